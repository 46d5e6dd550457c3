//! From a match to its bouts: seeds and seats.
//!
//! Unless an event says `seats: listed`, nothing here depends on the order in which
//! bots are listed: everything follows from the bots' names in sorted order and the
//! tournament's seed. Seeds never depend on it.
//!
//! - With `mirror: true` the bouts of a match of two come in pairs: 0 and 1, 2
//!   and 3, ... Both bouts of a pair have the seed of the pair's number, and the
//!   second has the seats exchanged. With more seats, as many bouts as there
//!   are seats belong together, and each turns the seats by one place: who sat
//!   in the second seat sits in the first.
//! - With `mirror: false` every bout has the seed of its own number.
//! - Who sits where in the first bout of a pair (in every bout with `mirror:
//!   false`) is drawn from that seed, so that no name is favoured; an odd last
//!   bout is the first bout of a pair without a second.
//! - With `seats: listed` no lots are drawn: who is earlier in `bots:` sits first.

use joust_config::{Event, Tournament};
use joust_model::{Seats, Seed, bout_seed, digest_number};

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
    /// Whether bouts come in mirror pairs.
    pub mirror: bool,
    /// Every bot's place in `bots:`, by its index, where that decides who sits
    /// first; `None` where lots do.
    pub listed: Option<Vec<u32>>,
}

impl Seating {
    /// Returns the seating of an event; `places` are the places of all bots in
    /// `bots:`, by index.
    #[must_use]
    pub fn of(tournament: &Tournament, event: &Event, places: Vec<u32>) -> Self {
        Self {
            tournament_seed: tournament.seed,
            event: event.id.clone(),
            bouts: event.bouts,
            mirror: event.mirror,
            listed: (event.seats == Seats::Listed).then_some(places),
        }
    }

    /// Returns the bouts of the match between the bots `group`; `names` are the names of all bots,
    /// by index.
    #[must_use]
    pub fn of_match<'a>(&'a self, names: &[&'a str], group: &[usize]) -> MatchSeating<'a> {
        let mut sorted = group.to_vec();
        sorted.sort_unstable_by_key(|bot| names[*bot]);
        let names = sorted.iter().map(|bot| names[*bot]).collect();
        MatchSeating { seating: self, names, sorted, drawn: None }
    }

    /// Returns which mirror pair, from 0, bout `number` of a match of `seats`
    /// belongs to: the bouts that share its seed.
    #[must_use]
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
    /// What was drawn last: the bouts of a mirror pair share it.
    drawn: Option<Drawn>,
}

/// What is drawn for a mirror pair.
#[derive(Clone, Debug)]
struct Drawn {
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

    fn draw(&self, pair: u32) -> Drawn {
        let Seating { tournament_seed, event, listed: places, .. } = self.seating;
        let seed = bout_seed(*tournament_seed, event, &self.names, pair);
        let order = match places {
            Some(places) => listed(&self.sorted, places),
            None => drawn(&self.sorted, seed),
        };
        Drawn { pair, seed, order }
    }
}

/// Puts who is earlier in `bots:` first.
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
        Seating { tournament_seed: Seed(2026), event, bouts, mirror: true, listed: None }
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
            bouts(&seating(9), &names)
                .into_iter()
                .map(|bout| (bout.seed, bout.order.iter().map(|bot| names[*bot]).collect()))
                .collect()
        };
        assert_eq!(seats(["ann", "bob"]), seats(["bob", "ann"]));
    }

    #[test]
    fn no_name_is_favoured_in_an_odd_last_bout() {
        let first_seats = (0..1000).filter(|match_number| {
            let other = format!("bot-{match_number}");
            bouts(&seating(3), &["ann", &other])[2].order[0] == 0
        });
        let count = first_seats.count();
        assert!((430..=570).contains(&count), "`ann` sat first in {count} of 1000");
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
        let listed = Some(vec![2, 0, 1]);
        let orders = |mirror| -> Vec<(Seed, Vec<usize>)> {
            let seating = Seating { mirror, listed: listed.clone(), ..seating(4) };
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
