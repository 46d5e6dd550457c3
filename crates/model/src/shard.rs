//! Shards of a tournament's bouts, so that several machines can share the work.

use std::fmt;
use std::str::FromStr;

/// One of several equal parts of an event's bouts.
///
/// The shard of a bout depends only on the positions of its bots in the field, sorted by name, and
/// on the number of its mirror pair, not on earlier results. So every bot's bouts are spread
/// evenly, whether the bot is old or new, fast or slow, and the bouts of a mirror pair stay
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    count: u32,
}

/// Reason why a text is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseShardError {
    /// It is not two numbers with a slash between them.
    #[error("`{0}` is not two numbers such as 3/8")]
    Shape(String),
    /// The number is outside the range.
    #[error("there is no shard {number} of {count}: they are 1/{count} to {count}/{count}")]
    Number {
        /// The number of the shard.
        number: u32,
        /// Number of parts.
        count: u32,
    },
    /// The number of shards is zero.
    #[error("a tournament has at least one shard")]
    None,
}

impl Shard {
    /// Returns part `number`, from 1, of `count`.
    ///
    /// # Errors
    ///
    /// [`ParseShardError`] when there is no such part.
    pub fn new(number: u32, count: u32) -> Result<Self, ParseShardError> {
        match (number, count) {
            (_, 0) => Err(ParseShardError::None),
            (1.., _) if number <= count => Ok(Self { number, count }),
            _ => Err(ParseShardError::Number { number, count }),
        }
    }

    /// Returns whether the bouts of mirror pair `pair` of a match belong to this shard; `bots` are
    /// the positions of its bots in the field, from 0.
    #[must_use]
    pub fn contains(self, bots: &[usize], pair: u32) -> bool {
        let count = u64::from(self.count);
        let places = bots.iter().fold(0, |sum, bot| (sum + *bot as u64 % count) % count);
        (places + u64::from(pair)) % count == u64::from(self.number - 1)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = ParseShardError;
    fn from_str(text: &str) -> Result<Self, ParseShardError> {
        let wrong = || ParseShardError::Shape(text.to_owned());
        let plain = |digits: &str| {
            let digits = Some(digits).filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            digits.and_then(|text| text.parse().ok()).ok_or_else(wrong)
        };
        let (number, count) = text.split_once('/').ok_or_else(wrong)?;
        Self::new(plain(number)?, plain(count)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(count: u32) -> Vec<Shard> {
        (1..=count).map(|number| Shard::new(number, count).unwrap()).collect()
    }

    /// Returns the number of `units` that each of `count` shards contains; each unit is in one
    /// shard.
    fn taken(count: u32, units: &[(Vec<usize>, u32)]) -> Vec<usize> {
        let shards = shards(count);
        for (bots, pair) in units {
            let takers = shards.iter().filter(|shard| shard.contains(bots, *pair)).count();
            assert_eq!(takers, 1, "{bots:?}, pair {pair} of {count} shards");
        }
        let of =
            |shard: &Shard| units.iter().filter(|unit| shard.contains(&unit.0, unit.1)).count();
        shards.iter().map(of).collect()
    }

    fn spread(counts: &[usize]) -> usize {
        counts.iter().max().unwrap() - counts.iter().min().unwrap()
    }

    #[test]
    fn a_shard_is_read_and_written_as_people_say_it() {
        let shard: Shard = "3/8".parse().unwrap();
        assert_eq!(shard.to_string(), "3/8");
        assert_eq!("1/1".parse(), Shard::new(1, 1));
        let refused = ["0/8", "9/8", "3", "3/", "/8", "3/0", "-1/8", "+1/8", "a/b", "1/2/3", ""];
        for text in refused {
            text.parse::<Shard>().expect_err(text);
        }
    }

    #[test]
    fn every_bout_belongs_to_one_shard_and_shards_are_balanced() {
        for bots in 2..40_usize {
            for count in 1..17 {
                let pairs = (0..bots).flat_map(|one| (0..one).map(move |two| vec![two, one]));
                let units: Vec<_> = pairs.map(|pair| (pair, 0)).collect();
                let counts = taken(count, &units);
                let most = bots.div_ceil(2) + 1;
                assert!(spread(&counts) <= most, "{bots} bots in {count} shards: {counts:?}");
            }
        }
    }

    #[test]
    fn the_bouts_of_one_bot_are_spread_evenly() {
        for bots in 2..60_usize {
            for count in 1..17 {
                for bot in [0, bots / 2, bots - 1] {
                    let others = (0..bots).filter(|other| *other != bot);
                    let units: Vec<_> = others.map(|other| (vec![other, bot], 0)).collect();
                    let counts = taken(count, &units);
                    assert!(spread(&counts) <= 2, "{bot} of {bots} in {count}: {counts:?}");
                }
            }
        }
    }

    #[test]
    fn the_pairs_of_one_match_go_to_different_shards() {
        let units: Vec<_> = (0..16).map(|pair| (vec![0, 1], pair)).collect();
        assert_eq!(taken(8, &units), [2; 8]);
    }

    #[test]
    fn matches_of_more_than_two_are_spread() {
        let mut units = Vec::new();
        for one in 0..12 {
            for two in 0..one {
                for three in 0..two {
                    units.push((vec![three, two, one], 0));
                }
            }
        }
        assert!(spread(&taken(4, &units)) <= 3);
    }
}
