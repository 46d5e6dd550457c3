//! Kinds of schedules, which determine the pairings of an event.

use serde::{Deserialize, Serialize};

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
