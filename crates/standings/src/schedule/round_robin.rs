//! Round robin: every bot meets every other, by the circle method.
//!
//! Bots are numbered from 0 here. With an odd number of bots a ghost joins, and
//! the bot that meets the ghost sits out.

use super::Schedule;

/// Rotation of the circle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingTable {
    /// Berger's tables, as FIDE prints them: the last bot stays in place, and
    /// each bot's numbers of first and second seats differ by at most one.
    Berger,
    /// The first bot stays in place; the seats are not balanced.
    FirstFixed,
}

/// Number of times that a pair meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cycles {
    /// Once.
    Single,
    /// Twice, the second time with the seats exchanged. The last two rounds of
    /// the first cycle change places, so that no bot keeps a seat three times
    /// in a row.
    Double,
}

/// The round robin of a number of bots.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobin {
    bots: usize,
    table: PairingTable,
    cycles: Cycles,
}

/// Matches that can be played at the same time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Pairs of bots; the first takes the first seat.
    pub matches: Vec<[usize; 2]>,
    /// Bot that sits out.
    pub bye: Option<usize>,
}

impl RoundRobin {
    /// Makes a single round robin by Berger's tables.
    pub fn new(bots: usize) -> Self {
        Self::with(bots, PairingTable::Berger, Cycles::Single)
    }

    /// Makes a round robin.
    pub fn with(bots: usize, table: PairingTable, cycles: Cycles) -> Self {
        Self { bots, table, cycles }
    }

    /// Returns the rounds, one at a time.
    pub fn rounds(&self) -> impl Iterator<Item = Round> + Send + use<> {
        let schedule = *self;
        (0..schedule.round_count()).map(move |number| schedule.round(number))
    }

    /// Returns how many rounds there are.
    pub fn round_count(&self) -> usize {
        match self.cycles {
            Cycles::Single => self.rounds_per_cycle(),
            Cycles::Double => self.rounds_per_cycle() * 2,
        }
    }

    /// Bots in the circle, the ghost included: an even number.
    fn circle(&self) -> usize {
        self.bots.next_multiple_of(2)
    }

    fn rounds_per_cycle(&self) -> usize {
        if self.bots < 2 { 0 } else { self.circle() - 1 }
    }

    fn round(&self, number: usize) -> Round {
        let mut round = Round { matches: Vec::with_capacity(self.bots / 2), bye: None };
        for board in 0..self.circle() / 2 {
            match self.pair_of(number, board) {
                [ghost, bot] | [bot, ghost] if ghost == self.bots => round.bye = Some(bot),
                pair => round.matches.push(pair),
            }
        }
        round
    }

    /// Returns the pair at a board of a round of any cycle.
    fn pair_of(&self, round: usize, board: usize) -> [usize; 2] {
        let per_cycle = self.rounds_per_cycle();
        if round >= per_cycle {
            let [one, other] = self.pair(round - per_cycle, board);
            return [other, one];
        }
        match self.cycles {
            Cycles::Single => self.pair(round, board),
            Cycles::Double => self.pair(exchange_last_two(round, per_cycle), board),
        }
    }

    /// Returns the board at which a bot meets the ghost, if there is one.
    fn board_of_ghost(&self, round: usize) -> Option<usize> {
        let is_there = !self.bots.is_multiple_of(2);
        is_there.then(|| match self.table {
            PairingTable::Berger => 0,
            PairingTable::FirstFixed => {
                let ring = self.circle() - 1;
                let place = match round % ring {
                    0 => ring,
                    place => place,
                };
                place.min(ring - place)
            }
        })
    }

    fn pair(&self, round: usize, board: usize) -> [usize; 2] {
        match self.table {
            PairingTable::Berger => berger_pair(self.circle(), round, board),
            PairingTable::FirstFixed => first_fixed_pair(self.circle(), round, board),
        }
    }
}

fn exchange_last_two(round: usize, rounds: usize) -> usize {
    match rounds - round {
        1 if rounds > 1 => round - 1,
        2 => round + 1,
        _ => round,
    }
}

/// The last bot stays; the others stand in a ring that turns by half of the
/// circle each round. The one at the top meets the last bot, with seats that
/// alternate; the others meet across.
fn berger_pair(circle: usize, round: usize, board: usize) -> [usize; 2] {
    let ring = circle - 1;
    let top = round * (circle / 2) % ring;
    if board > 0 {
        return [(top + board) % ring, (top + ring - board) % ring];
    }
    if round.is_multiple_of(2) { [top, ring] } else { [ring, top] }
}

/// Returns a pair: the first bot stays, the others move one place each round, and bots that
/// stand face to face meet.
fn first_fixed_pair(circle: usize, round: usize, board: usize) -> [usize; 2] {
    let ring = circle - 1;
    let standing = |place: usize| match place {
        0 => 0,
        _ => 1 + (place - 1 + ring - round % ring) % ring,
    };
    [standing(board), standing(circle - 1 - board)]
}

impl Schedule for RoundRobin {
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        let place = usize::try_from(place).ok()?;
        let round = place.checked_div(self.bots / 2)?;
        if round >= self.round_count() {
            return None;
        }
        let board = place % (self.bots / 2);
        // In the second cycle, which is not exchanged, the ghost goes round once more.
        let in_cycle = match (self.cycles, round.checked_sub(self.rounds_per_cycle())) {
            (_, Some(again)) => again,
            (Cycles::Single, None) => round,
            (Cycles::Double, None) => exchange_last_two(round, self.rounds_per_cycle()),
        };
        let skipped = self.board_of_ghost(in_cycle).is_some_and(|ghost| board >= ghost);
        Some(self.pair_of(round, board + usize::from(skipped)).to_vec())
    }

    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        Box::new(self.rounds().flat_map(|round| round.matches).map(|pair| pair.to_vec()))
    }

    fn count(&self) -> u64 {
        let bots = self.bots as u64;
        let single = bots.saturating_mul(bots.saturating_sub(1)) / 2;
        match self.cycles {
            Cycles::Single => single,
            Cycles::Double => single.saturating_mul(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_pair_meets_once() {
        for bots in 0..40 {
            let schedule = RoundRobin::new(bots);
            let pairs: Vec<Vec<usize>> = schedule.matches().collect();
            let sorted: BTreeSet<[usize; 2]> =
                pairs.iter().map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
            assert_eq!(sorted.len(), pairs.len(), "{bots} bots: a pair meets twice");
            assert_eq!(pairs.len() as u64, schedule.count(), "{bots} bots");
            assert!(pairs.iter().flatten().all(|bot| *bot < bots));
        }
    }

    #[test]
    fn everybody_plays_at_most_once_a_round() {
        for round in RoundRobin::new(11).rounds() {
            let playing: BTreeSet<usize> = round.matches.iter().flatten().copied().collect();
            assert_eq!(playing.len(), 10);
            assert!(!playing.contains(&round.bye.unwrap()));
        }
    }

    #[test]
    fn a_match_is_found_by_its_place() {
        let tables = [PairingTable::Berger, PairingTable::FirstFixed];
        let kinds = tables.into_iter().flat_map(|it| [(it, Cycles::Single), (it, Cycles::Double)]);
        for ((table, cycles), bots) in kinds.flat_map(|it| (0..24).map(move |bots| (it, bots))) {
            let schedule = RoundRobin::with(bots, table, cycles);
            let found: Vec<_> = (0..schedule.count()).filter_map(|it| schedule.at(it)).collect();
            assert_eq!(found, schedule.matches().collect::<Vec<_>>(), "{schedule:?}");
            assert_eq!(schedule.at(schedule.count()), None);
        }
        assert_eq!(RoundRobin::new(10_000).at(49_994_999).map(|pair| pair.len()), Some(2));
    }

    #[test]
    fn a_thousand_bots_are_streamed() {
        let schedule = RoundRobin::new(1000);
        assert_eq!(schedule.count(), 499_500);
        assert_eq!(schedule.matches().next(), Some(vec![0, 999]));
        assert_eq!(RoundRobin::new(1_000_000).matches().take(5).count(), 5);
    }
}
