//! Bouts and events by hand.

use joust_model::{
    BotRow, BoutPlan, BoutSummary, EventInfo, EventSettings, GameOptions, Mirror, SeatSummary,
    Seats, Seed, VerdictCounts,
};

/// An event of `seats` seats.
pub(crate) fn event(bots: &[&str], seats: u32) -> EventInfo {
    EventInfo {
        settings: EventSettings {
            id: "league".to_owned(),
            game: "battlebots".to_owned(),
            revision: 1,
            rules: "documented".to_owned(),
            options: GameOptions::default(),
            bouts_per_match: 2,
            bots_per_match: seats,
            schedule: joust_model::ScheduleKind::RoundRobin,
            draw_seed: 0,
            unrepeatable: false,
            mirror: Mirror::Pairs,
            seats: Seats::Drawn,
            tie_breaks: Vec::new(),
        },
        bots: bots
            .iter()
            .map(|bot| BotRow { name: (*bot).to_owned(), ..BotRow::default() })
            .collect(),
        decisions: Vec::new(),
        referee_errors: 0,
    }
}

/// A bout of these bots with these ranks, in seat order.
pub(crate) fn bout(seats: &[(&str, u8)], number: u32, seed: u64) -> BoutSummary {
    let names: Vec<_> = seats.iter().map(|(bot, _)| *bot).collect();
    let seat = |(bot, rank): &(&str, u8)| SeatSummary {
        bot: (*bot).into(),
        rank: *rank,
        score: 0.into(),
        verdicts: VerdictCounts::default().into(),
    };
    BoutSummary {
        bout: BoutPlan::id("cup", "league", &names, number),
        match_number: number.into(),
        number: 0,
        seed: Seed(seed),
        rounds: 1,
        is_isolated: true,
        seats: seats.iter().map(seat).collect(),
    }
}
