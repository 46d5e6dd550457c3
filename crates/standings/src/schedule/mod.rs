//! Schedules: the bots of each match, and their seats.
//!
//! A [`Schedule`] finds a match by its place; a round robin is never held whole: 10,000 bots are
//! 49,995,000 matches. [`Seating`] turns a match into its bouts. Neither knows how a bout is
//! played.

mod circle;
mod divisions;
mod free_for_all;
mod gauntlet;
mod groups;
mod mirror;
mod partial;
mod progress;
mod round_robin;
mod rounds;
mod swiss;

pub use circle::Circle;
pub use free_for_all::FreeForAll;
pub use gauntlet::Gauntlet;
pub use groups::Groups;
pub use mirror::{FirstSeats, MatchSeating, SeatOrder, Seating};
pub use partial::Partial;
pub use progress::{RoundCount, RoundProgress, progress};
pub use round_robin::{Round, RoundRobin};
pub use rounds::{RecordedRound, Rounds, SeatFinish};

use joust_config::{Event, Tournament};
use joust_model::{ScheduleKind, digest_number};

/// A pairing system.
pub trait Schedule: Send + Sync {
    /// Returns the match at a place, from 0 in the order they should be played, as the
    /// indices of its bots; `None` from [`Schedule::count`] on. In a match of two the first
    /// index is the one the system gives the first seat.
    fn at(&self, place: u64) -> Option<Vec<usize>>;

    /// Returns how many matches there are; what does not fit is `u64::MAX`.
    fn count(&self) -> u64;

    /// Returns the matches in their order.
    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        Box::new((0..self.count()).map_while(|place| self.at(place)))
    }
}

/// Returns the schedule of `event` for `bots`, in order of their names; `None` where it is
/// drawn round by round.
pub fn for_event(
    tournament: &Tournament,
    event: &Event,
    bots: &[&str],
) -> Option<Box<dyn Schedule>> {
    let players = usize::from(event.players_per_match);
    of_kind(&event.schedule, bots, players, draw_seed(tournament, event))
}

/// Returns the schedule of a kind for `bots`, in order of their names, in matches of `players`;
/// `None` where it is drawn round by round ([`Rounds`]).
pub fn of_kind(
    kind: &ScheduleKind,
    bots: &[&str],
    players: usize,
    draw_seed: u64,
) -> Option<Box<dyn Schedule>> {
    Some(match kind {
        ScheduleKind::RoundRobin => everybody(bots.len(), players),
        ScheduleKind::Partial { matches_per_bot } => {
            Box::new(Partial::new(bots, players, (*matches_per_bot).into(), draw_seed))
        }
        ScheduleKind::Gauntlet { bots: named } => {
            Box::new(Gauntlet::new(bots, named, players, draw_seed))
        }
        ScheduleKind::Swiss { .. } | ScheduleKind::Divisions { .. } => return None,
    })
}

/// Returns the schedule in which every two bots, or every group of `players`, meet.
fn everybody(bots: usize, players: usize) -> Box<dyn Schedule> {
    let all = FreeForAll::new(bots, players);
    match players {
        0..=2 => Box::new(RoundRobin::new(bots)),
        _ if all.count() > free_for_all::MOST_ORDERED => Box::new(all),
        _ => Box::new(free_for_all::Ordered::new(&all)),
    }
}

/// Returns what an event's schedule draws its lots from, which tells nothing of its bouts'
/// seeds.
pub fn draw_seed(tournament: &Tournament, event: &Event) -> u64 {
    let fields = [&tournament.seed.0.to_le_bytes()[..], event.id.as_bytes()];
    digest_number("joust-selection-1", &fields)
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
        for_event(tournament, &tournament.events[0], &names).unwrap()
    }

    fn crowd(settings: &str) -> Tournament {
        let text = format!(
            "events:\n  - {{ game: uwcs-bomberman, bots: [a], players_per_match: 4{settings} }}\n"
        );
        joust_config::parse(&text, Path::new("t.yaml"), &joust_referee::Catalogue::built_in())
            .unwrap()
    }

    #[test]
    fn an_event_of_two_is_a_round_robin() {
        let schedule = schedule(&tournament(""), 5);
        assert_eq!((schedule.count(), schedule.matches().count()), (10, 10));
    }

    #[test]
    fn a_partial_event_of_two_gives_each_bot_as_many_matches() {
        let partial = tournament(", schedule: { kind: partial, matches_per_bot: 4 }");
        assert_eq!(schedule(&partial, 20).count(), 40);
        assert_eq!(schedule(&partial, 5).count(), 10);
    }

    #[test]
    fn a_gauntlet_is_of_the_bots_that_are_named() {
        let gauntlet = tournament(", schedule: { kind: gauntlet, bots: [bot-003, bot-001] }");
        let groups: Vec<_> = schedule(&gauntlet, 6).matches().collect();
        assert_eq!(groups.len(), 9);
        assert!(groups.iter().all(|group| group.contains(&1) || group.contains(&3)));
    }

    #[test]
    fn a_round_robin_of_more_plays_every_group() {
        let robin = crowd(", schedule: { kind: round-robin }");
        let mut all: Vec<_> = schedule(&robin, 6).matches().collect();
        all.sort_unstable();
        assert_eq!(all, FreeForAll::new(6, 4).matches().collect::<Vec<_>>());
    }

    #[test]
    fn every_beginning_of_all_groups_is_about_balanced() {
        let groups: Vec<_> = everybody(9, 4).matches().collect();
        for end in 1..groups.len() {
            let mut played = [0_u64; 9];
            groups[..end].iter().flatten().for_each(|bot| played[*bot] += 1);
            let spread = played.iter().max().unwrap() - played.iter().min().unwrap();
            assert!(spread <= 2, "after {end} matches the bots differ by {spread}");
        }
    }

    #[test]
    fn an_event_of_more_is_partial_by_itself_and_drawn_from_its_seed() {
        let chosen =
            |tournament: &Tournament| schedule(tournament, 20).matches().collect::<Vec<_>>();
        let one = crowd("");
        let mut other = crowd("");
        other.seed.0 += 1;
        assert_eq!(chosen(&one).len(), 500);
        assert_eq!(chosen(&one), chosen(&crowd("")));
        assert_ne!(chosen(&one), chosen(&other));
    }
}
