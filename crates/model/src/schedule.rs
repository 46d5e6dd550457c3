//! Kinds of schedules, which determine the pairings of an event, rounds, and shards of an event's bouts,
//! so that several machines can share the work.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Kind of schedule of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// Every pair of bots meets; with more than two seats, every group.
    #[default]
    RoundRobin,
    /// Every bot meets about the same number of others.
    Partial {
        /// The least number of matches per bot.
        matches_per_bot: u32,
    },
    /// Named bots meet all others.
    Gauntlet {
        /// Their names.
        bots: Vec<String>,
    },
    /// Bots of similar strength meet, round by round.
    Swiss {
        /// Number of rounds.
        rounds: u32,
    },
    /// Bots are grouped by strength, and within a group every pair meets, round by round.
    Divisions {
        /// Number of bots per group.
        size: u32,
        /// Number of rounds.
        rounds: u32,
    },
}

impl ScheduleKind {
    /// Most rounds of an event.
    pub const MOST_ROUNDS: u32 = 1000;

    /// Returns the number of rounds, each of which is drawn from earlier results; `None` where all
    /// matches are known from the beginning.
    pub fn rounds(&self) -> Option<u32> {
        match self {
            Self::RoundRobin | Self::Partial { .. } | Self::Gauntlet { .. } => None,
            Self::Swiss { rounds } | Self::Divisions { rounds, .. } => Some(*rounds),
        }
    }
}

/// Progress of an event with rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RoundState {
    /// The current round, from 1; the last one after all rounds.
    pub open: u32,
    /// Number of rounds in all.
    pub of: u32,
    /// True if every bout of the current round has a result.
    pub is_over: bool,
}

impl RoundState {
    /// Distance between the first match numbers of two rounds. Matches of events without rounds
    /// have numbers below it.
    pub const MATCHES: u64 = 1 << 32;

    /// Returns the number of the first match of a round, counted from 0.
    pub fn first_match(round: u32) -> u64 {
        (u64::from(round) + 1) * Self::MATCHES
    }

    /// Returns the round of a match, counted from 0; `None` in events without rounds.
    pub fn round_of(match_number: u64) -> Option<u32> {
        u32::try_from((match_number / Self::MATCHES).checked_sub(1)?).ok()
    }
}

/// A round of a bout. Referees and logs count from 0; text and JSON, which people read and write,
/// from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Round(pub u32);

impl Round {
    /// Returns the round that people call `number`.
    pub fn numbered(number: u32) -> Self {
        Self(number.saturating_sub(1))
    }

    /// Returns the number that people use: 1 for the first round.
    pub fn number(self) -> u32 {
        self.0.saturating_add(1)
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

impl Serialize for Round {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.number().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Round {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        u32::deserialize(from).map(Self::numbered)
    }
}

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

/// Returns how many groups of `seats` bots can be formed of `bots` bots, at most `u64::MAX`.
pub fn all_groups(bots: u64, seats: u64) -> u64 {
    if seats == 0 || seats > bots {
        return 0;
    }
    let mut groups: u128 = 1;
    for place in 0..seats.min(bots - seats) {
        groups = groups * u128::from(bots - place) / u128::from(place + 1);
        if groups > u64::MAX.into() {
            return u64::MAX;
        }
    }
    u64::try_from(groups).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_is_1_wherever_people_meet_it() {
        assert_eq!((Round(0).to_string(), format!("{:03}", Round(11))), ("1".into(), "012".into()));
        assert_eq!(serde_json::to_string(&Round(0)).expect("a number"), "1");
        assert_eq!(serde_json::from_str::<Round>("7").expect("a number"), Round::numbered(7));
        assert_eq!(Round::numbered(7), Round(6));
    }

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

    #[test]
    fn groups_are_counted_without_overflow() {
        assert_eq!(
            [(10, 4), (6, 6), (3, 4), (3, 0)].map(|(b, s)| all_groups(b, s)),
            [210, 1, 0, 0]
        );
        assert_eq!(all_groups(1_000_000, 12), u64::MAX);
    }
}
