//! Bots that play, and the bouts of theirs that count.

use std::collections::BTreeMap;

use super::Status;
use joust_model::{BotRow, BoutSummary, Decision, EventInfo};

/// The bots that play, in the order of registration.
pub(super) struct Roster<'a> {
    pub(super) bots: Vec<&'a BotRow>,
}

impl<'a> Roster<'a> {
    pub(super) fn of(event: &'a EventInfo) -> Self {
        let plays = |bot: &&BotRow| status(event, bot) == Status::Playing;
        Self { bots: event.bots.iter().filter(plays).collect() }
    }
}

/// Returns the names of the bots of an event that play, in the order of registration.
pub fn playing(event: &EventInfo) -> Vec<&str> {
    Roster::of(event).bots.iter().map(|bot| bot.name.as_str()).collect()
}

/// The places of the bots of a field, by their names.
#[derive(Clone, Debug)]
pub(super) struct RosterPlaces(BTreeMap<String, usize>);

impl RosterPlaces {
    pub(super) fn of(field: &Roster<'_>) -> Self {
        Self(field.bots.iter().zip(0..).map(|(bot, place)| (bot.name.clone(), place)).collect())
    }

    /// Returns the place of a bot that plays.
    pub(super) fn place(&self, bot: &str) -> Option<usize> {
        self.0.get(bot).copied()
    }

    /// Gives `places` a bout's bots by their place in the field, in seat order; says
    /// whether all of them play.
    pub(super) fn find(&self, bout: &BoutSummary, places: &mut Vec<usize>) -> bool {
        places.clear();
        places.extend(bout.seats.iter().map_while(|seat| self.place(&seat.bot)));
        places.len() == bout.seats.len()
    }
}

/// Returns what becomes of a bot.
pub(super) fn status(event: &EventInfo, bot: &BotRow) -> Status {
    if let Some(row) = event.decision(&bot.name) {
        let (reason, at) = (row.reason.clone(), row.at);
        return match row.decision {
            Decision::Disqualified => Status::Disqualified { reason, at },
            Decision::Withdrawn | Decision::Restored => Status::Withdrawn { reason, at },
        };
    }
    match &bot.sits_out {
        Some(reason) if bot.build.is_some() => Status::NotRun { reason: reason.clone() },
        Some(reason) => Status::NotBuilt { reason: reason.clone() },
        None => Status::Playing,
    }
}
