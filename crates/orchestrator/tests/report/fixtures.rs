//! Small standings.

use joust_orchestrator::model::{
    BotRow, BoutPlan, BoutSummary, Decision, DecisionRow, EventInfo, EventSettings, GameOptions,
    Mirror, SeatSummary, TieBreak, Verdict, VerdictCounts,
};
use joust_orchestrator::report::{Look, find};
use joust_orchestrator::standings::{Standings, table};

/// An event of `bots`, two bouts a match.
pub(crate) fn event(bots: &[&str]) -> EventInfo {
    EventInfo {
        settings: EventSettings {
            id: "league".to_owned(),
            game: "battlebots".to_owned(),
            revision: 1,
            rules: "documented".to_owned(),
            options: GameOptions::default(),
            bouts_per_match: 2,
            bots_per_match: 2,
            max_matches: None,
            mirror: Mirror::Pairs,
            tie_breaks: TieBreak::DEFAULT.to_vec(),
        },
        bots: bots.iter().zip(0..).map(bot).collect(),
        decisions: Vec::new(),
    }
}

fn bot((name, registration): (&&str, u32)) -> BotRow {
    let language = "python3".to_owned();
    BotRow { name: (*name).to_owned(), language, registration, ..BotRow::default() }
}

pub(crate) fn bout(bots: [&str; 2], ranks: [u8; 2], number: u32) -> BoutSummary {
    let seat = |(bot, rank): (&&str, u8)| {
        let mut verdicts = VerdictCounts::default();
        verdicts.add(if rank == 1 { Verdict::Ok } else { Verdict::Timeout });
        SeatSummary { bot: (*bot).into(), rank, score: i64::from(10 - rank), verdicts }
    };
    BoutSummary {
        bout: BoutPlan::id("cup", "league", &bots, number),
        match_number: 0,
        number,
        seed: 0,
        rounds: 1,
        is_isolated: true,
        seats: bots.iter().zip(ranks).map(seat).collect(),
    }
}

/// Anna has beaten Bert twice and has a bout to play against Cleo; Dora was
/// disqualified, Emil not built.
pub(crate) fn league() -> Standings {
    let mut event = event(&["cleo", "bert", "anna", "dora", "emil"]);
    event.decisions.push(DecisionRow {
        bot: "dora".to_owned(),
        decision: Decision::Disqualified,
        reason: "a copy of bert".to_owned(),
        at: 1_790_000_000_000,
    });
    event.bots[4].not_built = Some("exit status 1\nbot.c:1: error".to_owned());
    let bouts = [
        bout(["anna", "bert"], [1, 2], 0),
        bout(["bert", "anna"], [2, 1], 1),
        bout(["bert", "cleo"], [1, 2], 0),
        bout(["cleo", "bert"], [1, 1], 1),
        bout(["anna", "cleo"], [1, 2], 0),
    ];
    table(&event, &bouts, &TieBreak::DEFAULT)
}

/// Returns standings as the format called `name` writes them.
pub(crate) fn written(name: &str, standings: &Standings, look: Look) -> String {
    find(name, look).expect("a format").standings(standings)
}
