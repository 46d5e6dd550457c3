//! Who meets whom, and who sits where.
//!
//! A [`Schedule`] streams matches and never holds them whole: 1000 bots are
//! 499,500 matches. [`Seating`] turns a match into its bouts. Neither knows how
//! a bout is played.

mod free_for_all;
mod mirror;
mod round_robin;

pub use free_for_all::FreeForAll;
pub use mirror::{SeatOrder, Seating};
pub use round_robin::{Cycles, Round, RoundRobin, Table};

use crate::config::Event;

/// A pairing system.
pub trait Schedule: Send + Sync {
    /// Returns the matches in the order they should be played, each as the
    /// indices of its bots. In a match of two the first index is the one the
    /// system gives the first seat.
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_>;

    /// Returns how many matches there are; what does not fit is `u64::MAX`.
    fn count(&self) -> u64;
}

/// Returns the schedule of `event` for `bots` bots: a round robin for matches
/// of two, otherwise every group of bots once; cut after the event's
/// `max_matches`.
#[must_use]
pub fn for_event(event: &Event, bots: usize) -> Box<dyn Schedule> {
    let whole: Box<dyn Schedule> = match event.players_per_match {
        0..=2 => Box::new(RoundRobin::new(bots)),
        players => Box::new(FreeForAll::new(bots, players.into())),
    };
    match event.max_matches {
        Some(most) => Box::new(Shortened { whole, most }),
        None => whole,
    }
}

struct Shortened {
    whole: Box<dyn Schedule>,
    most: u64,
}

impl Schedule for Shortened {
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        let most = usize::try_from(self.most).unwrap_or(usize::MAX);
        Box::new(self.whole.matches().take(most))
    }

    fn count(&self) -> u64 {
        self.whole.count().min(self.most)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn event(settings: &str) -> Event {
        let text = format!("events:\n  - {{ game: battlebots, bots: [a]{settings} }}\n");
        let tournament = crate::config::parse(&text, Path::new("t.yaml")).unwrap();
        tournament.events[0].clone()
    }

    #[test]
    fn an_event_of_two_is_a_round_robin() {
        let schedule = for_event(&event(""), 5);
        assert_eq!((schedule.count(), schedule.matches().count()), (10, 10));
    }

    #[test]
    fn an_event_stops_after_its_most_matches() {
        let schedule = for_event(&event(", max_matches: 3"), 5);
        assert_eq!((schedule.count(), schedule.matches().count()), (3, 3));
        assert_eq!(for_event(&event(", max_matches: 300"), 5).count(), 10);
    }

    #[test]
    fn an_event_of_more_plays_every_group() {
        let event = Event { players_per_match: 4, ..event("") };
        assert_eq!(for_event(&event, 6).matches().count(), 15);
    }
}
