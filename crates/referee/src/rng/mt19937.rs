//! Mersenne Twister with the random primitives of Python's `random` module.
//!
//! The same seeds give the same numbers as `CPython` 3.6 and later.
//!
//! Source: [Random primitives](crate::docs::coderone_dungeon#random-primitives).

const WORDS: usize = 624;
const MIDDLE: usize = 397;

/// MT19937, seeded as Python seeds it with a whole number.
#[derive(Clone, Debug)]
pub struct Mt19937 {
    words: [u32; WORDS],
    used: usize,
}

impl Mt19937 {
    /// Starts as Python's `random.seed(seed)` does.
    pub fn from_seed(seed: u64) -> Self {
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let key = [low, high];
        Self::from_key(if high == 0 { &key[..1] } else { &key })
    }

    /// Starts from a list of words: the reference `init_by_array`.
    ///
    /// # Panics
    ///
    /// When `key` is empty.
    pub fn from_key(key: &[u32]) -> Self {
        assert!(!key.is_empty(), "a key has at least one word");
        let mut words = base_words(19_650_218);
        let mut at = 1;
        for step in 0..WORDS.max(key.len()) {
            let index = step % key.len();
            let mixed = mix(words[at - 1]).wrapping_mul(1_664_525);
            words[at] = (words[at] ^ mixed).wrapping_add(key[index]).wrapping_add(index as u32);
            at = following(&mut words, at);
        }
        for _ in 1..WORDS {
            let mixed = mix(words[at - 1]).wrapping_mul(1_566_083_941);
            words[at] = (words[at] ^ mixed).wrapping_sub(at as u32);
            at = following(&mut words, at);
        }
        words[0] = 0x8000_0000;
        Self { words, used: WORDS }
    }

    /// Returns the next 32 bits.
    pub fn next_u32(&mut self) -> u32 {
        if self.used == WORDS {
            self.refill();
        }
        let mut word = self.words[self.used];
        self.used += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// Returns a number from 0 to `bound - 1`: as many top bits as `bound` has,
    /// drawn again until they are below it.
    ///
    /// # Panics
    ///
    /// When `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "there is no number below 0");
        loop {
            let value = self.next_u32() >> bound.leading_zeros();
            if value < bound {
                return value;
            }
        }
    }

    /// Returns an index into a list of `length` items, as `choice` draws it.
    ///
    /// # Panics
    ///
    /// When `length` is 0.
    pub fn index(&mut self, length: usize) -> usize {
        self.below(u32::try_from(length).expect("lists are short")) as usize
    }

    /// Returns a number from `low` to `high`, both included, as `randint` does.
    ///
    /// # Panics
    ///
    /// When `high` is smaller than `low`.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// Shuffles `list` as `shuffle` does.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.index(last + 1));
        }
    }

    /// Returns `count` different items of `list` as `sample` does.
    ///
    /// # Panics
    ///
    /// When `list` has fewer than `count` items.
    pub fn sample<T: Copy>(&mut self, list: &[T], count: usize) -> Vec<T> {
        assert!(count <= list.len(), "a sample is not larger than its list");
        if list.len() <= pool_threshold(count) {
            let mut pool = list.to_vec();
            return (0..count).map(|_| pool.swap_remove(self.index(pool.len()))).collect();
        }
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        while chosen.len() < count {
            let index = self.index(list.len());
            if !chosen.contains(&index) {
                chosen.push(index);
            }
        }
        chosen.into_iter().map(|index| list[index]).collect()
    }

    fn refill(&mut self) {
        let words = &mut self.words;
        for at in 0..WORDS {
            let bits = (words[at] & 0x8000_0000) | (words[(at + 1) % WORDS] & 0x7fff_ffff);
            let odd = if bits & 1 == 0 { 0 } else { 0x9908_b0df };
            words[at] = words[(at + MIDDLE) % WORDS] ^ (bits >> 1) ^ odd;
        }
        self.used = 0;
    }
}

fn base_words(seed: u32) -> [u32; WORDS] {
    let mut words = [seed; WORDS];
    for at in 1..WORDS {
        words[at] = mix(words[at - 1]).wrapping_mul(1_812_433_253).wrapping_add(at as u32);
    }
    words
}

fn mix(word: u32) -> u32 {
    word ^ (word >> 30)
}

fn following(words: &mut [u32; WORDS], at: usize) -> usize {
    if at + 1 < WORDS {
        return at + 1;
    }
    words[0] = words[WORDS - 1];
    1
}

/// Returns up to how many items a list is copied to draw `count` of them: 21,
/// and for more than five draws 4 to the power of ceil(log4(3 * count)) more.
fn pool_threshold(count: usize) -> usize {
    let mut table = 0;
    if count > 5 {
        table = 1;
        while table < 3 * count {
            table *= 4;
        }
    }
    21 + table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that the reference program `mt19937ar.c` prints.
    #[test]
    fn a_key_of_four_words_gives_the_published_stream() {
        let mut rng = Mt19937::from_key(&[0x123, 0x234, 0x345, 0x456]);
        let first: Vec<u32> = (0..5).map(|_| rng.next_u32()).collect();
        assert_eq!(first, [1067595299, 955945823, 477289528, 4107218783, 4228976476]);
    }

    fn words(seed: u64) -> Vec<u32> {
        let mut rng = Mt19937::from_seed(seed);
        (0..3).map(|_| rng.next_u32()).collect()
    }

    fn sample(length: u32, count: usize) -> Vec<u32> {
        let list: Vec<u32> = (0..length).collect();
        Mt19937::from_seed(u64::from(length)).sample(&list, count)
    }

    /// `random.seed(n)`, then `random.getrandbits(32)`.
    #[test]
    fn seeds_give_the_numbers_python_gives() {
        assert_eq!(words(0), [3626764237, 1654615998, 3255389356]);
        assert_eq!(words(1), [577090037, 2444712010, 3639700191]);
        assert_eq!(words(2026), [511616025, 1372175472, 2158288730]);
        assert_eq!(words(4294967296), [485306839, 1508871100, 1794561286]);
        assert_eq!(words(18446744073709551615), [93740670, 1068495656, 1452108352]);
    }

    /// `random.seed(7)`, then `random.randint(50, 250)`.
    #[test]
    fn between_draws_as_randint() {
        let mut rng = Mt19937::from_seed(7);
        let drawn: Vec<u32> = (0..5).map(|_| rng.between(50, 250)).collect();
        assert_eq!(drawn, [132, 88, 151, 216, 62]);
    }

    /// `random.seed(7)`, then `random.shuffle(list(range(8)))`.
    #[test]
    fn lists_are_shuffled_as_shuffle_does() {
        let mut list: Vec<u32> = (0..8).collect();
        Mt19937::from_seed(7).shuffle(&mut list);
        assert_eq!(list, [6, 7, 2, 4, 0, 3, 1, 5]);
    }

    /// `random.seed(n)`, then `random.sample(range(n), k)`, on both sides of the threshold.
    #[test]
    fn samples_are_drawn_as_sample_does() {
        assert_eq!(sample(110, 5), [49, 101, 105, 76, 31]);
        assert_eq!(sample(21, 5), [5, 13, 19, 9, 15]);
        assert_eq!(sample(22, 5), [4, 7, 0, 19, 14]);
        assert_eq!(sample(85, 6), [25, 78, 13, 41, 24, 28]);
        assert_eq!(sample(86, 6), [3, 71, 40, 1, 8, 64]);
        assert_eq!(sample(20, 1), [4]);
        assert_eq!(
            sample(110, 18),
            [49, 101, 105, 76, 31, 52, 61, 91, 35, 81, 69, 88, 9, 53, 64, 40, 95, 5]
        );
    }

    /// `random.seed(3)`, three times `random.choice(range(1))`, then `random.getrandbits(32)`.
    #[test]
    fn one_item_may_cost_several_draws() {
        let mut rng = Mt19937::from_seed(3);
        let zeros = [rng.index(1), rng.index(1), rng.index(1)];
        assert_eq!((zeros, rng.next_u32()), ([0; 3], 3933953013));
    }
}
