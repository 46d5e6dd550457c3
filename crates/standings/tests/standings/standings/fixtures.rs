//! Events and bouts by hand.

use joust_model::{
    BotRow, BoutPlan, BoutSummary, Decision, DecisionRow, EventInfo, EventSettings, SeatSummary,
    Seed, VerdictCounts,
};
use joust_testkit::fixtures;

/// An event whose matches are pairs of `bots` with `bouts` bouts each.
pub(crate) fn event(bots: &[&str], bouts: u32) -> EventInfo {
    EventInfo {
        settings: EventSettings {
            bouts_per_match: bouts,
            tie_breaks: Vec::new(),
            ..fixtures::event("league")
        },
        bots: bots.iter().zip(0..).map(bot).collect(),
        decisions: Vec::new(),
        referee_errors: 0,
    }
}

fn bot((name, registration): (&&str, u32)) -> BotRow {
    BotRow { name: (*name).to_owned(), registration, ..BotRow::default() }
}

pub(crate) fn decide(event: &mut EventInfo, bot: &str, decision: Decision) {
    let row = DecisionRow { bot: bot.to_owned(), decision, reason: "why".to_owned(), at: 1 };
    event.decisions.push(row);
}

/// A bout of `bots` with these ranks, in seat order.
pub(crate) fn bout<const N: usize>(bots: [&str; N], ranks: [u8; N], number: u32) -> BoutSummary {
    let seat = |(bot, rank): (&&str, u8)| SeatSummary {
        bot: (*bot).into(),
        rank,
        score: i64::from(10 - rank).into(),
        verdicts: VerdictCounts::default().into(),
    };
    BoutSummary {
        bout: BoutPlan::id("cup", "league", &bots, number),
        match_number: 0,
        number,
        seed: Seed(0),
        rounds: 1,
        is_isolated: true,
        seats: bots.iter().zip(ranks).map(seat).collect(),
    }
}
