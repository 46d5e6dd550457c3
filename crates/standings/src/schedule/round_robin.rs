//! Round robin: every bot meets every other, by the circle method.
//!
//! Bots are numbered from 0 here. With an odd number of bots a ghost joins, and
//! the bot that meets the ghost sits out.

use super::Schedule;

/// The round robin of a number of bots, by Berger's tables, as FIDE prints them: the last bot stays
/// in place, and each bot's numbers of first and second seats differ by at most one.
#[derive(Clone, Copy, Debug)]
pub struct RoundRobin {
    bots: usize,
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
    /// Makes a round robin.
    pub fn new(bots: usize) -> Self {
        Self { bots }
    }

    /// Returns the rounds, one at a time.
    pub fn rounds(&self) -> impl Iterator<Item = Round> + Send + use<> {
        let schedule = *self;
        (0..schedule.round_count()).map(move |number| schedule.round(number))
    }

    /// Returns how many rounds there are.
    pub fn round_count(&self) -> usize {
        if self.bots < 2 { 0 } else { self.circle() - 1 }
    }

    /// Bots in the circle, the ghost included: an even number.
    fn circle(&self) -> usize {
        self.bots.next_multiple_of(2)
    }

    fn round(&self, number: usize) -> Round {
        let mut round = Round { matches: Vec::with_capacity(self.bots / 2), bye: None };
        for board in 0..self.circle() / 2 {
            match self.pair(number, board) {
                [ghost, bot] | [bot, ghost] if ghost == self.bots => round.bye = Some(bot),
                pair => round.matches.push(pair),
            }
        }
        round
    }

    /// The last bot, or the ghost, stays; the others stand in a ring that turns by half of the
    /// circle each round. The one at the top meets the last bot, with seats that
    /// alternate; the others meet across.
    fn pair(&self, round: usize, board: usize) -> [usize; 2] {
        let ring = self.circle() - 1;
        let top = round * (self.circle() / 2) % ring;
        if board > 0 {
            return [(top + board) % ring, (top + ring - board) % ring];
        }
        if round.is_multiple_of(2) { [top, ring] } else { [ring, top] }
    }
}

impl Schedule for RoundRobin {
    fn at(&self, place: u64) -> Option<Vec<usize>> {
        let place = usize::try_from(place).ok()?;
        let round = place.checked_div(self.bots / 2)?;
        if round >= self.round_count() {
            return None;
        }
        // The ghost is met at the first board.
        let board = place % (self.bots / 2) + self.bots % 2;
        Some(self.pair(round, board).to_vec())
    }

    fn matches(&self) -> Box<dyn Iterator<Item = Vec<usize>> + Send + '_> {
        Box::new(self.rounds().flat_map(|round| round.matches).map(|pair| pair.to_vec()))
    }

    fn count(&self) -> u64 {
        let bots = self.bots as u64;
        bots.saturating_mul(bots.saturating_sub(1)) / 2
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
        for schedule in (0..24).map(RoundRobin::new) {
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
