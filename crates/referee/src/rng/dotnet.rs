//! Generator of the .NET Framework class `System.Random`.

/// The largest number of the generator, plus one.
const M: i32 = i32::MAX;

/// Numbers of the table; index 0 is not used.
const TABLE: usize = 56;

/// A subtractive generator after Knuth, with the well-known deviation that the
/// second index starts 21 behind the first.
///
/// The numbers equal the original class's for every seed, including the extreme ones.
///
/// Source: [Random numbers](crate::docs::bomberman_2016#random-numbers).
#[derive(Clone, Debug)]
pub struct DotNetRandom {
    table: [i32; TABLE],
    first: usize,
    second: usize,
}

impl DotNetRandom {
    /// Starts from a seed; `seed` and `-seed` give the same numbers.
    pub fn new(seed: i32) -> Self {
        let mut table = [0; TABLE];
        let mut last = 161_803_398_i32.wrapping_sub(seed.checked_abs().unwrap_or(M));
        table[55] = last;
        let mut next = 1;
        for index in 1..55 {
            let place = (21 * index) % 55;
            table[place] = next;
            next = not_negative(last.wrapping_sub(next));
            last = table[place];
        }
        for _ in 0..4 {
            for index in 1..TABLE {
                let other = table[1 + (index + 30) % 55];
                table[index] = not_negative(table[index].wrapping_sub(other));
            }
        }
        Self { table, first: 0, second: 21 }
    }

    /// Returns the next number from 0 to 2147483646: `Next()`.
    pub fn sample(&mut self) -> i32 {
        self.first = following(self.first);
        self.second = following(self.second);
        let difference = self.table[self.first].wrapping_sub(self.table[self.second]);
        let number = not_negative(if difference == M { difference - 1 } else { difference });
        self.table[self.first] = number;
        number
    }

    /// Returns a number from `low` to `high - 1`: `Next(low, high)`.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        let part = f64::from(self.sample()) * (1.0 / f64::from(M));
        (part * f64::from(high - low)) as i32 + low
    }

    /// Returns a number from 0 to `bound - 1`: `Next(bound)`.
    pub fn below(&mut self, bound: i32) -> i32 {
        self.between(0, bound)
    }
}

fn following(index: usize) -> usize {
    if index + 1 == TABLE { 1 } else { index + 1 }
}

fn not_negative(number: i32) -> i32 {
    if number < 0 { number.wrapping_add(M) } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first<const N: usize>(seed: i32) -> [i32; N] {
        let mut random = DotNetRandom::new(seed);
        std::array::from_fn(|_| random.sample())
    }

    #[test]
    fn seeds_give_the_published_numbers() {
        assert_eq!(first(0), [1_559_595_546, 1_755_192_844, 1_649_316_166, 1_198_642_031]);
        assert_eq!(first(1), [534_011_718, 237_820_880, 1_002_897_798]);
        assert_eq!(first(42), [1_434_747_710, 302_596_119, 269_548_474]);
    }

    #[test]
    fn the_sign_of_a_seed_does_not_count() {
        assert_eq!(first::<4>(-42), first(42));
        assert_eq!(first::<4>(i32::MIN), first(i32::MAX));
    }

    #[test]
    fn ranges_are_as_published() {
        let mut random = DotNetRandom::new(0);
        let numbers: [i32; 10] = std::array::from_fn(|_| random.below(100));
        assert_eq!(numbers, [72, 81, 76, 55, 20, 55, 90, 44, 97, 27]);
    }
}
