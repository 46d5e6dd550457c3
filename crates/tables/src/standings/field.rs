//! Which bots play, and which of their bouts count.

use std::collections::BTreeMap;

use super::Status;
use joust_model::{BotRow, BoutSummary, Decision, EventInfo};

/// The bots that play, in the order of registration.
pub(super) struct Field<'a> {
    pub(super) bots: Vec<&'a BotRow>,
    places: BTreeMap<&'a str, usize>,
}

impl<'a> Field<'a> {
    pub(super) fn of(event: &'a EventInfo) -> Self {
        let plays = |bot: &&BotRow| status(event, bot) == Status::Playing;
        let bots: Vec<_> = event.bots.iter().filter(plays).collect();
        let places = bots.iter().zip(0..).map(|(bot, place)| (bot.name.as_str(), place)).collect();
        Self { bots, places }
    }

    /// Returns the place of a bot that plays.
    pub(super) fn place(&self, bot: &str) -> Option<usize> {
        self.places.get(bot).copied()
    }

    /// Gives `places` a bout's bots by their place in the field, in seat order; says
    /// whether all of them play.
    pub(super) fn find_places(&self, bout: &BoutSummary, places: &mut Vec<usize>) -> bool {
        places.clear();
        places.extend(bout.seats.iter().map_while(|seat| self.places.get(&*seat.bot).copied()));
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
