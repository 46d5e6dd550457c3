//! Bouts and events by hand.

use joust_model::{
    BotRow, BoutPlan, BoutSummary, EventInfo, EventSettings, SeatSummary, Seed, VerdictCounts,
};
use joust_testkit::fixtures;

/// An event of `seats` seats.
pub(crate) fn event(bots: &[&str], seats: u32) -> EventInfo {
    EventInfo {
        settings: EventSettings {
            bouts_per_match: 2,
            bots_per_match: seats,
            tie_breaks: Vec::new(),
            ..fixtures::event("league")
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
