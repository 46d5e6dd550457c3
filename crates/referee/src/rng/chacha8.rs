//! ChaCha with 8 rounds: all chance of a game that does not prescribe another
//! generator.

use sha2::{Digest, Sha256};

use crate::Seed;

const BLOCK_WORDS: usize = 16;
const DOUBLE_ROUNDS: usize = 4;

/// The words `expand 32-byte k`.
const CONSTANTS: [u32; 4] = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574];

/// The ChaCha8 generator with a 256-bit key, a 64-bit block counter from 0 and a
/// 64-bit nonce of 0.
///
/// The numbers are the words of the key stream, little endian, in order; they
/// are the same on every machine and in every version.
#[derive(Clone, Debug)]
pub struct ChaCha8 {
    key: [u32; 8],
    next_block: u64,
    block: [u32; BLOCK_WORDS],
    used: usize,
}

impl ChaCha8 {
    /// Starts from a bout's seed.
    ///
    /// The key is the SHA-256 of `joust-chacha8-1` and the seed (eight bytes,
    /// little endian).
    pub fn from_seed(seed: Seed) -> Self {
        let hash = Sha256::new_with_prefix(b"joust-chacha8-1").chain_update(seed.0.to_le_bytes());
        Self::from_key(hash.finalize().into())
    }

    /// Starts from a 256-bit key.
    pub fn from_key(key: [u8; 32]) -> Self {
        let mut words = [0; 8];
        for (word, bytes) in words.iter_mut().zip(key.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
        Self { key: words, next_block: 0, block: [0; BLOCK_WORDS], used: BLOCK_WORDS }
    }

    /// Returns the next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.used == BLOCK_WORDS {
            self.refill();
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Returns the next 64 bits: two words, the low one first.
    pub fn next_u64(&mut self) -> u64 {
        let low = u64::from(self.next_u32());
        low | u64::from(self.next_u32()) << 32
    }

    /// Returns a number from 0 to `bound - 1`, each equally likely.
    ///
    /// One word is drawn, multiplied by `bound` and shifted right by 32 bits;
    /// the few words that would favour some results are drawn again.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0");
        let favoured = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.next_u32()) * u64::from(bound);
            if product as u32 >= favoured {
                return (product >> 32) as u32;
            }
        }
    }

    fn refill(&mut self) {
        let [low, high] = [self.next_block as u32, (self.next_block >> 32) as u32];
        let mut input = [0; BLOCK_WORDS];
        input[..4].copy_from_slice(&CONSTANTS);
        input[4..12].copy_from_slice(&self.key);
        input[12] = low;
        input[13] = high;
        self.block = input;
        for _ in 0..DOUBLE_ROUNDS {
            double_round(&mut self.block);
        }
        for (word, start) in self.block.iter_mut().zip(input) {
            *word = word.wrapping_add(start);
        }
        self.next_block = self.next_block.wrapping_add(1);
        self.used = 0;
    }
}

fn double_round(block: &mut [u32; BLOCK_WORDS]) {
    for column in 0..4 {
        quarter_round(block, [column, column + 4, column + 8, column + 12]);
    }
    for start in 0..4 {
        let diagonal = [start, 4 + (start + 1) % 4, 8 + (start + 2) % 4, 12 + (start + 3) % 4];
        quarter_round(block, diagonal);
    }
}

fn quarter_round(block: &mut [u32; BLOCK_WORDS], [a, b, c, d]: [usize; 4]) {
    for (left, middle, right, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        block[left] = block[left].wrapping_add(block[middle]);
        block[right] = (block[right] ^ block[left]).rotate_left(bits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key_stream(key: [u8; 32], words: usize) -> String {
        let mut rng = ChaCha8::from_key(key);
        let bytes = (0..words).flat_map(|_| rng.next_u32().to_le_bytes());
        bytes.map(|byte| format!("{byte:02x}")).collect()
    }

    /// draft-strombergson-chacha-test-vectors, TC1, 256-bit key, 8 rounds.
    #[test]
    fn the_zero_key_gives_the_published_stream() {
        let expected = "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e\
                        984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42\
                        d2aefa0deaa5c151bf0adb6c01f2a5adc0fd581259f9a2aadcf20f8fd566a26b\
                        5032ec38bbc5da98ee0c6f568b872a65a08abf251deb21bb4b56e5d8821e68aa";
        assert_eq!(key_stream([0; 32], 32), expected);
    }

    /// The same draft, TC2: the first bit of the key is set.
    #[test]
    fn a_key_of_one_bit_gives_the_published_stream() {
        let mut key = [0; 32];
        key[0] = 1;
        let expected = "cf5ee9a0494aa9613e05d5ed725b804b12f4a465ee635acc3a311de8740489ea";
        assert_eq!(key_stream(key, 8), expected);
    }

    #[test]
    fn every_number_below_the_bound_is_about_equally_likely() {
        let mut rng = ChaCha8::from_seed(Seed(1));
        let mut counts = [0_u32; 6];
        for _ in 0..60_000 {
            counts[rng.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
    }

    #[test]
    fn one_is_the_smallest_bound() {
        let mut rng = ChaCha8::from_seed(Seed(1));
        assert_eq!(rng.below(1), 0);
    }

    #[test]
    fn seeds_give_different_streams() {
        let mut one = ChaCha8::from_seed(Seed(1));
        let mut other = ChaCha8::from_seed(Seed(2));
        assert_ne!(one.next_u64(), other.next_u64());
    }
}
