//! From a match to its bouts: seeds and seats.
//!
//! Unless an event says `seats: listed`, nothing here depends on the order in which
//! bots are listed: everything follows from the bots' names in sorted order and the
//! tournament's seed. Seeds never depend on it.
//!
//! - With `mirror: true` the bouts of a match of two come in pairs: 0 and 1, 2
//!   and 3, ... Both bouts of a pair have the seed of the pair's number, and the
//!   second has the seats exchanged. With more seats, as many bouts as there
//!   are seats belong together, and each turns the seats by one place: the bot
//!   of the second seat moves to the first.
//! - With `mirror: false` every bout has the seed of its own number.
//! - Seats in the first bout of a pair (in every bout with `mirror: false`) are drawn from that
//!   seed, so that no name is favoured. Without mirrors the second of two bouts of two bots has
//!   the seats exchanged all the same.
//! - An odd last bout of two bots, which has no second one, is balanced over the event: on a
//!   [`Circle`], or by the rings of a partial schedule, in which everybody stands before one bot and
//!   behind another.
//! - With `seats: listed` no lots are drawn: who is earlier in `bots:` sits first.

use joust_config::{Event, Tournament};
use joust_model::{ScheduleKind, Seats, Seed, bout_seed, digest_number};

use super::{Circle, draw_seed};

/// One bout of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatOrder {
    /// The bout's number within its match, from 0.
    pub number: u32,
    /// The bout's seed.
    pub seed: Seed,
    /// Indices of the bots, in seat order.
    pub order: Vec<usize>,
}

/// All that decides seeds and seats, but the bots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seating {
    /// The tournament's seed.
    pub tournament_seed: Seed,
    /// The event's id.
    pub event: String,
    /// Bouts of each match.
    pub bouts: u32,
    /// True if bouts come in mirror pairs.
    pub mirror: bool,
    /// Rule of the first seat.
    pub first: FirstSeats,
}

/// Rule by which a bot sits first where no mirror makes up for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstSeats {
    /// The order of `bots:`, in which every bot, by its index, has a place. It decides all bouts.
    Listed(Vec<u32>),
    /// The order of the bots in a match, as the schedule has it.
    Match,
    /// A circle of all bots.
    Circle(Circle),
}

impl Seating {
    /// Returns the seating of an event of `bots`; `places` are their places in `bots:`.
    pub fn of(tournament: &Tournament, event: &Event, bots: &[&str], places: Vec<u32>) -> Self {
        let first = match (event.seats, &event.schedule) {
            (Seats::Listed, _) => FirstSeats::Listed(places),
            (_, ScheduleKind::Partial { .. }) => FirstSeats::Match,
            _ => FirstSeats::Circle(Circle::of(bots, draw_seed(tournament, event))),
        };
        Self {
            tournament_seed: tournament.seed,
            event: event.id.clone(),
            bouts: event.bouts,
            mirror: event.mirror,
            first,
        }
    }

    /// Returns the bouts of the match between the bots `group`; `names` are the names of all bots,
    /// by index.
    pub fn of_match<'a>(&'a self, names: &[&'a str], group: &[usize]) -> MatchSeating<'a> {
        let mut sorted = group.to_vec();
        sorted.sort_unstable_by_key(|bot| names[*bot]);
        let names = sorted.iter().map(|bot| names[*bot]).collect();
        let balanced = match (&self.first, group) {
            (FirstSeats::Circle(circle), [one, other]) => Some(circle.seated([*one, *other])),
            (FirstSeats::Match, [one, other]) => Some([*one, *other]),
            _ => None,
        };
        MatchSeating { seating: self, names, sorted, balanced, drawn: None }
    }

    /// Returns which mirror pair, from 0, bout `number` of a match of `seats`
    /// belongs to: the bouts that share its seed.
    pub fn pair_of(&self, number: u32, seats: usize) -> u32 {
        let seats = u32::try_from(seats).unwrap_or(u32::MAX).max(1);
        if self.mirror { number / seats } else { number }
    }
}

/// Seats and seeds of the bouts of one match.
#[derive(Clone, Debug)]
pub struct MatchSeating<'a> {
    seating: &'a Seating,
    /// The names of its bots, sorted.
    names: Vec<&'a str>,
    /// Its bots in the order of their names.
    sorted: Vec<usize>,
    /// Two bots in the order of their seats in a bout that has no second one.
    balanced: Option<[usize; 2]>,
    /// Latest draw: the bouts of a mirror pair share it.
    drawn: Option<DrawnOrder>,
}

/// Draw for a mirror pair.
#[derive(Clone, Debug)]
struct DrawnOrder {
    pair: u32,
    seed: Seed,
    order: Vec<usize>,
}

impl MatchSeating<'_> {
    /// Returns bout `number`; `None` when the match has no such bout.
    pub fn bout(&mut self, number: u32) -> Option<SeatOrder> {
        if number >= self.seating.bouts {
            return None;
        }
        let pair = self.seating.pair_of(number, self.sorted.len());
        let drawn = match self.drawn.take() {
            Some(drawn) if drawn.pair == pair => drawn,
            _ => self.draw(pair),
        };
        let mut order = drawn.order.clone();
        if self.seating.mirror {
            let turn = number as usize % order.len().max(1);
            order.rotate_left(turn);
        }
        let seed = drawn.seed;
        self.drawn = Some(drawn);
        Some(SeatOrder { number, seed, order })
    }

    /// Returns the bouts from the first one on.
    pub fn bouts(mut self) -> impl Iterator<Item = SeatOrder> {
        (0..self.seating.bouts).map_while(move |number| self.bout(number))
    }

    fn draw(&self, pair: u32) -> DrawnOrder {
        let Seating { tournament_seed, event, first, mirror, bouts } = self.seating;
        let seed = |pair| bout_seed(*tournament_seed, event, &self.names, pair);
        let is_last = if *mirror { pair == bouts / 2 } else { pair + 1 == *bouts };
        let order = match (first, self.balanced) {
            (FirstSeats::Listed(places), _) => listed(&self.sorted, places),
            (_, Some(balanced)) if is_last && !bouts.is_multiple_of(2) => balanced.to_vec(),
            (_, Some(_)) if !mirror => {
                let mut order = drawn(&self.sorted, seed(pair - pair % 2));
                order.rotate_left((pair % 2) as usize);
                order
            }
            _ => drawn(&self.sorted, seed(pair)),
        };
        DrawnOrder { pair, seed: seed(pair), order }
    }
}

/// Sorts bots by their order in `bots:`.
fn listed(sorted: &[usize], places: &[u32]) -> Vec<usize> {
    let mut order = sorted.to_vec();
    order.sort_by_key(|bot| places.get(*bot));
    order
}

/// Shuffles `sorted`: from the last place down, each is exchanged with the place
/// that a hash of the seed and its number names.
fn drawn(sorted: &[usize], seed: Seed) -> Vec<usize> {
    let mut order = sorted.to_vec();
    for place in (1..order.len()).rev() {
        let fields = [seed.0.to_le_bytes(), (place as u64).to_le_bytes()];
        let drawn = digest_number("joust-seats-1", &[&fields[0], &fields[1]]) % (place as u64 + 1);
        order.swap(place, usize::try_from(drawn).expect("it is at most `place`"));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seating(bouts: u32) -> Seating {
        let event = "league".to_owned();
        let first = FirstSeats::Match;
        Seating { tournament_seed: Seed(2026), event, bouts, mirror: true, first }
    }

    fn bouts(seating: &Seating, names: &[&str]) -> Vec<SeatOrder> {
        let group: Vec<usize> = (0..names.len()).collect();
        seating.of_match(names, &group).bouts().collect()
    }

    #[test]
    fn a_pair_has_one_seed_and_exchanged_seats() {
        let bouts = bouts(&seating(6), &["ann", "bob"]);
        for pair in bouts.chunks(2) {
            assert_eq!(pair[0].seed, pair[1].seed);
            assert_eq!(pair[0].order, [pair[1].order[1], pair[1].order[0]]);
        }
        assert_ne!(bouts[0].seed, bouts[2].seed);
    }

    #[test]
    fn a_bout_is_found_by_its_number() {
        let (seating, names, group) = (seating(5), ["ann", "bob"], [1, 0]);
        for bout in seating.of_match(&names, &group).bouts() {
            let mut alone = seating.of_match(&names, &group);
            assert_eq!(alone.bout(bout.number), Some(bout));
        }
        let mut backwards = seating.of_match(&names, &group);
        let mut all: Vec<_> = (0..5).rev().filter_map(|number| backwards.bout(number)).collect();
        all.reverse();
        assert_eq!(all, seating.of_match(&names, &group).bouts().collect::<Vec<_>>());
        assert_eq!(backwards.bout(5), None);
    }

    #[test]
    fn the_seed_is_that_of_the_pairs_number() {
        let bouts = bouts(&seating(5), &["ann", "bob"]);
        let seed = |pair| bout_seed(Seed(2026), "league", &["ann", "bob"], pair);
        let seeds: Vec<Seed> = bouts.iter().map(|bout| bout.seed).collect();
        assert_eq!(seeds, [seed(0), seed(0), seed(1), seed(1), seed(2)]);
    }

    #[test]
    fn the_order_of_the_bots_plays_no_part() {
        let seats = |names: [&'static str; 2]| -> Vec<(Seed, Vec<&str>)> {
            let first = FirstSeats::Circle(Circle::of(&names, 1));
            bouts(&Seating { first, ..seating(9) }, &names)
                .into_iter()
                .map(|bout| (bout.seed, bout.order.iter().map(|bot| names[*bot]).collect()))
                .collect()
        };
        assert_eq!(seats(["ann", "bob"]), seats(["bob", "ann"]));
    }

    /// Returns how often each bot sits first in an event in which all bots meet.
    fn first_seats(bots: usize, seating: &Seating) -> Vec<u32> {
        let names: Vec<String> = (0..bots).map(|bot| format!("b{bot}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let first = FirstSeats::Circle(Circle::of(&names, 2026));
        let seating = Seating { first, ..seating.clone() };
        let mut counts = vec![0; bots];
        for one in 0..bots {
            for other in one + 1..bots {
                let bouts = seating.of_match(&names, &[one, other]).bouts();
                bouts.for_each(|bout| counts[bout.order[0]] += 1);
            }
        }
        counts
    }

    #[test]
    fn every_bot_of_eight_sits_first_in_three_or_four_odd_bouts() {
        for (bouts, mirror) in [1, 3, 5].into_iter().flat_map(|it| [(it, true), (it, false)]) {
            let counts = first_seats(8, &Seating { mirror, ..seating(bouts) });
            let paired = 7 * (bouts / 2);
            let odd: Vec<u32> = counts.iter().map(|count| count - paired).collect();
            assert!(odd.iter().all(|count| [3, 4].contains(count)), "{bouts} {mirror}: {odd:?}");
        }
    }

    #[test]
    fn every_bot_sits_first_in_half_of_an_even_number_of_bouts() {
        for mirror in [true, false] {
            assert_eq!(first_seats(7, &Seating { mirror, ..seating(4) }), [12; 7]);
        }
    }

    #[test]
    fn a_match_of_a_ring_gives_the_odd_bout_to_its_first_bot() {
        let seating = seating(3);
        let last = |group| seating.of_match(&["ann", "bob"], group).bout(2).map(|bout| bout.order);
        assert_eq!([last(&[1, 0]), last(&[0, 1])], [Some(vec![1, 0]), Some(vec![0, 1])]);
    }

    #[test]
    fn without_mirror_every_bout_has_its_own_seed() {
        let bouts = bouts(&Seating { mirror: false, ..seating(4) }, &["ann", "bob"]);
        let seeds: Vec<Seed> = bouts.iter().map(|bout| bout.seed).collect();
        let own = |number| bout_seed(Seed(2026), "league", &["ann", "bob"], number);
        assert_eq!(seeds, [own(0), own(1), own(2), own(3)]);
    }

    #[test]
    fn more_seats_turn_by_one_place() {
        let bouts = bouts(&seating(8), &["a", "b", "c", "d"]);
        for set in bouts.chunks(4) {
            assert!(set.iter().all(|bout| bout.seed == set[0].seed));
            for seat in 0..4 {
                let mut sitting: Vec<usize> = set.iter().map(|bout| bout.order[seat]).collect();
                sitting.sort_unstable();
                assert_eq!(sitting, [0, 1, 2, 3], "seat {seat}");
            }
            assert_eq!(set[1].order[0], set[0].order[1]);
        }
    }

    #[test]
    fn listed_seats_follow_the_list_and_turn_only_in_mirrors() {
        let listed = FirstSeats::Listed(vec![2, 0, 1]);
        let orders = |mirror| -> Vec<(Seed, Vec<usize>)> {
            let seating = Seating { mirror, first: listed.clone(), ..seating(4) };
            let bouts = bouts(&seating, &["ann", "bob", "cleo"]);
            bouts.into_iter().map(|bout| (bout.seed, bout.order)).collect()
        };
        let own = |number| bout_seed(Seed(2026), "league", &["ann", "bob", "cleo"], number);
        let expected = (0..4).map(|number| (own(number), vec![1, 2, 0]));
        assert_eq!(orders(false), expected.collect::<Vec<_>>());
        let turned = [vec![1, 2, 0], vec![2, 0, 1], vec![0, 1, 2], vec![1, 2, 0]];
        assert_eq!(orders(true), [0, 0, 0, 1].map(own).into_iter().zip(turned).collect::<Vec<_>>());
    }

    #[test]
    fn drawn_seats_stay_what_they_were() {
        assert_eq!(drawn(&[0, 1, 2, 3, 4, 5], Seed(1)), [2, 0, 3, 5, 1, 4]);
    }
}
