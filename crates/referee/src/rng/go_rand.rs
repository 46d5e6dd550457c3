//! Generator of Go's package `math/rand`, version 1.

/// Words of the generator's state.
const CELLS: usize = 607;

/// Cell at which the second index starts.
const FEED: usize = 334;

/// Modulus and factor of the generator that fills the cells.
const M: u64 = (1 << 31) - 1;
const FACTOR: u64 = 48271;

/// Constants that are mixed into the cells.
///
/// They are the state of the same recurrence after 7.8 · 10¹² steps; a test computes them.
static MIX: [u64; CELLS] = mix();

/// Powers of [`FACTOR`] that lead from a seed to the first number of each cell.
static POWERS: [u32; CELLS] = powers();

/// Returns the product of two remainders, modulo [`M`]. It has no branch, so that several are
/// computed at once.
const fn reduced(product: u64) -> u64 {
    let sum = (product >> 31) + (product & M);
    (sum + ((sum + 1) >> 31)) & M
}

/// Reads the constants: the file has the low byte of each first.
const fn mix() -> [u64; CELLS] {
    let bytes = include_bytes!("go_rand.bin").as_chunks().0;
    let mut mix = [0; CELLS];
    let mut cell = 0;
    while cell < CELLS {
        mix[cell] = u64::from_le_bytes(bytes[cell]);
        cell += 1;
    }
    mix
}

const fn powers() -> [u32; CELLS] {
    let mut powers = [0; CELLS];
    let mut power = 1;
    let mut step = 0;
    while step < 21 + 3 * (CELLS - 1) {
        power = reduced(power * FACTOR);
        step += 1;
        if step >= 21 && step.is_multiple_of(3) {
            powers[(step - 21) / 3] = power as u32;
        }
    }
    powers
}

/// A lagged Fibonacci generator with the numbers of Go's `rand.New(rand.NewSource(seed))`.
///
/// Cells are filled when they are first used, so that a new seed costs nothing and a few draws
/// cost little. Those of a shuffle are filled together, which costs less than one at a time.
///
/// Source: [Random numbers](crate::docs::battlesnake#random-numbers).
#[derive(Clone, Debug)]
pub struct GoRand {
    seed: u64,
    cells: [u64; CELLS],
    /// Numbers drawn so far, until all cells are filled.
    drawn: usize,
    /// Numbers for which the cells are filled; [`FEED`] once all are.
    filled: usize,
    tap: usize,
    feed: usize,
}

impl GoRand {
    /// Starts from a seed.
    pub fn from_seed(seed: i64) -> Self {
        let mut rng = Self { seed: 0, cells: [0; CELLS], drawn: 0, filled: 0, tap: 0, feed: 0 };
        rng.reseed(seed);
        rng
    }

    /// Starts again, from another seed.
    pub fn reseed(&mut self, seed: i64) {
        self.seed = match seed.rem_euclid(M as i64).unsigned_abs() {
            0 => 89_482_311,
            seed => seed,
        };
        (self.drawn, self.filled, self.tap, self.feed) = (0, 0, 0, FEED);
    }

    /// Returns the next number: `Uint64()`.
    pub fn next_u64(&mut self) -> u64 {
        if self.drawn < FEED {
            self.fill(1);
            self.drawn += 1;
        }
        self.tap = before(self.tap);
        self.feed = before(self.feed);
        self.cells[self.feed] = self.cells[self.feed].wrapping_add(self.cells[self.tap]);
        self.cells[self.feed]
    }

    /// Fills the cells of the next `draws` numbers.
    fn fill(&mut self, draws: usize) {
        let (from, until) = (self.filled, FEED.min(self.drawn + draws));
        if until <= from {
            return;
        }
        // The cells of the first index; after these it meets cells that the second one filled.
        let taps = |draws: usize| CELLS - draws.min(CELLS - FEED);
        for cells in [FEED - until..FEED - from, taps(until)..taps(from)] {
            let constants = POWERS[cells.clone()].iter().zip(&MIX[cells.clone()]);
            for (cell, (power, mix)) in self.cells[cells].iter_mut().zip(constants) {
                let first = reduced(self.seed * u64::from(*power));
                let second = reduced(first * FACTOR);
                let third = reduced(second * FACTOR);
                *cell = (first << 40) ^ (second << 20) ^ third ^ mix;
            }
        }
        self.filled = until;
    }

    fn next_u31(&mut self) -> u32 {
        (self.next_u64() << 1 >> 33) as u32
    }

    /// Returns a number below `bound`, which is from 1 to 2³¹ - 1: `Intn(bound)`.
    pub fn below(&mut self, bound: u32) -> u32 {
        if bound.is_power_of_two() {
            return self.next_u31() & (bound - 1);
        }
        let most = M as u32 - (1 << 31) % bound;
        loop {
            let number = self.next_u31();
            if number <= most {
                return number % bound;
            }
        }
    }

    /// Shuffles `list`: `Shuffle`. It draws otherwise than [`GoRand::below`].
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        self.fill(list.len());
        for last in (1..list.len()).rev() {
            let other = self.index((last + 1) as u32);
            list.swap(last, other as usize);
        }
    }

    fn index(&mut self, bound: u32) -> u32 {
        let mut draw = || (self.next_u64() << 1 >> 32) * u64::from(bound);
        let mut product = draw();
        if (product as u32) < bound {
            let least = bound.wrapping_neg() % bound;
            while (product as u32) < least {
                product = draw();
            }
        }
        (product >> 32) as u32
    }
}

fn before(cell: usize) -> usize {
    if cell == 0 { CELLS - 1 } else { cell - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of the recurrence that lead from the start values to the constants.
    const STEPS: u64 = 7_800_000_000_000;

    /// Returns the values of the cells before the steps, in the order of the recurrence.
    fn start_values() -> Vec<u64> {
        let mut number = 1;
        let mut draw = || {
            number = number * FACTOR % M;
            number
        };
        (0..20).for_each(|_| _ = draw());
        let cells: Vec<u64> =
            (0..CELLS).map(|_| (draw() << 20) ^ (draw() << 10) ^ draw()).collect();
        (1..=CELLS).map(|step| cells[(CELLS + FEED - step) % CELLS]).collect()
    }

    /// Returns the product of two polynomials modulo x⁶⁰⁷ - x³³⁴ - 1.
    fn product(one: &[u64], other: &[u64]) -> Vec<u64> {
        let mut all = vec![0_u64; 2 * CELLS];
        for (degree, factor) in one.iter().enumerate() {
            for (place, term) in all[degree..].iter_mut().zip(other) {
                *place = place.wrapping_add(factor.wrapping_mul(*term));
            }
        }
        for degree in (CELLS..2 * CELLS).rev() {
            let term = all[degree];
            all[degree - CELLS + FEED] = all[degree - CELLS + FEED].wrapping_add(term);
            all[degree - CELLS] = all[degree - CELLS].wrapping_add(term);
        }
        all.truncate(CELLS);
        all
    }

    #[test]
    fn the_constants_are_the_recurrence_after_many_steps() {
        let mut x = vec![0; CELLS];
        x[1] = 1;
        let mut power = vec![0; CELLS];
        power[0] = 1;
        for bit in (0..STEPS.ilog2() + 1).rev() {
            power = product(&power, &power);
            if STEPS >> bit & 1 == 1 {
                power = product(&x, &power);
            }
        }
        let mut values = start_values();
        for next in CELLS..2 * CELLS {
            values.push(values[next - CELLS].wrapping_add(values[next - CELLS + FEED]));
        }
        for step in 0..CELLS {
            let terms = power.iter().zip(&values[step..]);
            let value = terms.fold(0_u64, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
            // The last of the values stands in the cell to which the last step belongs.
            let steps_left = (CELLS - 1 - step) as i64;
            let cell = (FEED as i64 - STEPS as i64 + steps_left).rem_euclid(CELLS as i64);
            let expected = MIX[cell as usize];
            assert_eq!(value, expected, "cell {cell}");
        }
    }

    /// `rand.New(rand.NewSource(1))`.
    #[test]
    fn numbers_are_drawn_as_by_go() {
        let mut rng = GoRand::from_seed(1);
        assert_eq!([rng.next_u64(), rng.next_u64()], [5577006791947779410, 8674665223082153551]);
        rng.reseed(1);
        let drawn: Vec<u32> = (0..5).map(|_| rng.below(100)).collect();
        assert_eq!(drawn, [81, 87, 47, 59, 81]);
        let mut list: Vec<u32> = (0..12).collect();
        rng.reseed(1);
        rng.shuffle(&mut list);
        assert_eq!(list, [2, 1, 11, 9, 5, 0, 4, 8, 3, 6, 10, 7]);
    }

    #[test]
    fn seeds_with_the_same_remainder_draw_the_same() {
        let first = |seed| GoRand::from_seed(seed).next_u64();
        assert_eq!(first(-1), first(M as i64 - 1));
        assert_eq!(first(0), first(89_482_311));
        assert_eq!(first(i64::MAX), first(i64::MAX % M as i64));
    }
}
