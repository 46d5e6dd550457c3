//! Chance of a test: everything that is drawn follows from a seed.

use std::time::Duration;

/// A generator of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub struct SeededRng(pub u64);

impl SeededRng {
    /// Returns any number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next_u64() % end.max(1)
    }

    /// Returns true so often in a thousand times.
    pub fn next_permille(&mut self, often: u64) -> bool {
        self.below(1000) < often
    }

    /// Returns true with this probability.
    pub fn next_bool(&mut self, probability: f64) -> bool {
        ((self.next_u64() >> 11) as f64) < probability * (1_u64 << 53) as f64
    }

    /// Returns at least `from` milliseconds and fewer than `to`.
    pub fn next_millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to - from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_numbers_again_within_their_bounds() {
        let draw = |mut chance: SeededRng| {
            let millis = chance.next_millis(3, 9);
            assert!((3..9).contains(&millis.as_millis()));
            (chance.next_u64(), chance.below(7), chance.next_permille(500), chance.next_bool(0.5))
        };
        assert_eq!(draw(SeededRng(5)), draw(SeededRng(5)));
        assert_ne!(SeededRng(5).next_u64(), SeededRng(6).next_u64());
        let mut chance = SeededRng(1);
        let often = (0..10_000).filter(|_| chance.next_bool(0.1)).count();
        assert!((900..1100).contains(&often), "{often}");
    }
}
