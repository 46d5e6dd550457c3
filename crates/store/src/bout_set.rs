//! Set of bouts by their places in a schedule: a bit for each, in blocks, because the rounds of a
//! schedule that is drawn round by round lie far apart.

use std::collections::BTreeMap;

/// Words of a block: its bits are 65,536 places.
const WORDS: usize = 1024;

/// A set of bouts of one schedule. It is not valid for another schedule, nor for the same schedule
/// after a bot has come or gone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoutSet {
    bouts_per_match: u64,
    /// Blocks that have a bout, by their number.
    blocks: BTreeMap<u64, Box<[u64; WORDS]>>,
    len: u64,
}

/// Place of a bout's bit.
struct BitPlace {
    block: u64,
    word: usize,
    bit: u64,
}

impl BoutSet {
    /// Makes an empty set for a schedule with so many bouts per match.
    pub fn new(bouts_per_match: u32) -> Self {
        Self { bouts_per_match: bouts_per_match.into(), ..Self::default() }
    }

    /// Adds bout `number` of a match of the schedule; returns whether it is new.
    pub fn insert(&mut self, match_number: u64, number: u32) -> bool {
        let Some(BitPlace { block, word, bit }) = self.place(match_number, number) else {
            return false;
        };
        let words = self.blocks.entry(block).or_insert_with(|| Box::new([0; WORDS]));
        let is_new = words[word] & bit == 0;
        words[word] |= bit;
        self.len += u64::from(is_new);
        is_new
    }

    /// Returns whether bout `number` of a match is in the set.
    pub fn contains(&self, match_number: u64, number: u32) -> bool {
        self.place(match_number, number).is_some_and(|BitPlace { block, word, bit }| {
            self.blocks.get(&block).is_some_and(|words| words[word] & bit != 0)
        })
    }

    /// Adds the bouts of another set of the same schedule.
    pub fn extend(&mut self, other: &Self) {
        if self.is_empty() {
            self.bouts_per_match = other.bouts_per_match;
        }
        for (block, its) in &other.blocks {
            let words = self.blocks.entry(*block).or_insert_with(|| Box::new([0; WORDS]));
            words.iter_mut().zip(its.iter()).for_each(|(own, its)| *own |= its);
        }
        let words = self.blocks.values().flat_map(|words| words.iter());
        self.len = words.map(|word| u64::from(word.count_ones())).sum();
    }

    /// Returns how many bouts there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the place of a bout's bit; `None` where no schedule has such a bout.
    fn place(&self, match_number: u64, number: u32) -> Option<BitPlace> {
        if u64::from(number) >= self.bouts_per_match {
            return None;
        }
        let place = match_number.checked_mul(self.bouts_per_match)?.checked_add(number.into())?;
        let word = place / 64;
        let within = usize::try_from(word % WORDS as u64).ok()?;
        Some(BitPlace { block: word / WORDS as u64, word: within, bit: 1 << (place % 64) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use joust_model::RoundState;

    #[test]
    fn a_bout_is_in_the_set_by_its_match_and_number() {
        let mut set = BoutSet::new(3);
        assert!(set.insert(7, 2) && !set.insert(7, 2) && set.insert(1_000_000, 0));
        assert!(set.contains(7, 2) && !set.contains(7, 1) && !set.contains(8, 0));
        assert!(!set.insert(0, 3) && !set.contains(u64::MAX, 0), "there is no such bout");
        let mut all = BoutSet::default();
        all.extend(&set);
        assert_eq!((all.len(), all), (2, set));
    }

    #[test]
    fn rounds_that_lie_far_apart_take_no_room_between_them() {
        let mut set = BoutSet::new(1000);
        for round in 0..100 {
            assert!(set.insert(RoundState::first_match(round), 999));
        }
        assert_eq!((set.len(), set.blocks.len()), (100, 100));
        assert!(set.contains(RoundState::first_match(99), 999));
        assert!(!set.contains(RoundState::first_match(99), 998));
    }
}
