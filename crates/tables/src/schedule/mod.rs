//! Who meets whom, and who sits where.
//!
//! A [`Schedule`] streams matches and never holds them whole: 1000 bots are
//! 499,500 matches. Only a selection of groups is held, see [`Balanced`]. [`Seating`] turns a match into its bouts. Neither knows how
//! a bout is played.

mod balanced;
mod free_for_all;
mod gauntlet;
mod mirror;
mod partial;
mod round_robin;

pub use balanced::Balanced;
pub use free_for_all::FreeForAll;
pub use gauntlet::Gauntlet;
pub use mirror::{SeatOrder, Seating};
pub use partial::Partial;
pub use round_robin::{Cycles, Round, RoundRobin, Table};

use joust_config::{Event, Tournament};
use joust_model::{Pairing, digest_number};

/// A pairing system.
pub trait Schedule: Send + Sync {
    /// Returns the matches in the order they should be played, each as the
    /// indices of its bots. In a match of two the first index is the one the
    /// system gives the first seat.
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_>;

    /// Returns how many matches there are; what does not fit is `u64::MAX`.
    fn count(&self) -> u64;
}

/// Returns the schedule of `event` for `bots`, in order of their names.
///
/// Where everybody meets everybody, matches of two are a round robin, cut after the event's `max_matches`. For
/// matches of more every group of bots meets once, or, where there are more
/// groups than `max_matches`, a balanced selection drawn from the tournament's
/// seed and the event's id.
#[must_use]
pub fn for_event(tournament: &Tournament, event: &Event, bots: &[&str]) -> Box<dyn Schedule> {
    let players = usize::from(event.players_per_match);
    match (&event.pairing, players) {
        (Pairing::Gauntlet { bots: named }, _) => {
            Box::new(Gauntlet::new(bots, named, players, selection_seed(tournament, event)))
        }
        (Pairing::Everybody, 0..=2) => cut(RoundRobin::new(bots.len()), event.max_matches),
        (Pairing::Everybody, _) => groups(tournament, event, bots.len(), players),
    }
}

fn cut(whole: RoundRobin, most: Option<u64>) -> Box<dyn Schedule> {
    match most {
        Some(most) => Box::new(Shortened { whole: Box::new(whole), most }),
        None => Box::new(whole),
    }
}

fn groups(
    tournament: &Tournament,
    event: &Event,
    bots: usize,
    players: usize,
) -> Box<dyn Schedule> {
    let all = FreeForAll::new(bots, players);
    let most = event.max_matches.unwrap_or(u64::MAX);
    if all.count() <= most && all.count() > balanced::MOST_ORDERED {
        return Box::new(all);
    }
    Box::new(Balanced::new(bots, players, most, selection_seed(tournament, event)))
}

/// Returns the seed of an event's selection, which tells nothing of its bouts'.
fn selection_seed(tournament: &Tournament, event: &Event) -> u64 {
    let fields = [&tournament.seed.0.to_le_bytes()[..], event.id.as_bytes()];
    digest_number("joust-selection-1", &fields)
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

    fn tournament(settings: &str) -> Tournament {
        let text = format!("events:\n  - {{ game: battlebots, bots: [a]{settings} }}\n");
        joust_config::parse(&text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap()
    }

    fn schedule(tournament: &Tournament, bots: usize) -> Box<dyn Schedule> {
        let names: Vec<String> = (0..bots).map(|bot| format!("bot-{bot:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        for_event(tournament, &tournament.events[0], &names)
    }

    fn with_players(players: u8, most: u64) -> Tournament {
        let mut tournament = tournament("");
        let event = &mut tournament.events[0];
        (event.players_per_match, event.max_matches) = (players, Some(most));
        tournament
    }

    #[test]
    fn an_event_of_two_is_a_round_robin() {
        let schedule = schedule(&tournament(""), 5);
        assert_eq!((schedule.count(), schedule.matches().count()), (10, 10));
    }

    #[test]
    fn an_event_of_two_stops_after_its_most_matches() {
        let three = schedule(&tournament(", max_matches: 3"), 5);
        assert_eq!((three.count(), three.matches().count()), (3, 3));
        assert_eq!(schedule(&tournament(", max_matches: 300"), 5).count(), 10);
    }

    #[test]
    fn an_event_of_more_plays_every_group_up_to_its_most_matches() {
        let mut all: Vec<_> = schedule(&with_players(4, 15), 6).matches().collect();
        all.sort_unstable();
        assert_eq!(all, FreeForAll::new(6, 4).matches().collect::<Vec<_>>());
    }

    #[test]
    fn an_event_with_too_many_groups_plays_a_selection_drawn_from_its_seed() {
        let chosen = |tournament: &Tournament| -> Vec<Vec<usize>> {
            schedule(tournament, 12).matches().collect()
        };
        let one = with_players(4, 60);
        let mut other = with_players(4, 60);
        other.seed.0 += 1;
        assert_eq!(chosen(&one).len(), 60);
        assert_eq!(chosen(&one), chosen(&with_players(4, 60)));
        assert_ne!(chosen(&one), chosen(&other));
    }
}
