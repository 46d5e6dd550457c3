//! Kinds of schedules: who meets whom in an event.

use serde::{Deserialize, Serialize};

/// Who meets whom in an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScheduleKind {
    /// Everybody meets everybody; of more than two, every group meets.
    #[default]
    RoundRobin,
    /// Every bot meets about as many others.
    Partial {
        /// Matches of each bot, at least.
        matches_per_bot: u32,
    },
    /// Named bots meet the field.
    Gauntlet {
        /// Their names.
        bots: Vec<String>,
    },
    /// Bots of about the same strength meet, round by round.
    Swiss {
        /// How many rounds.
        rounds: u32,
    },
    /// Everybody meets everybody of a pool of about the same strength, round by round.
    Divisions {
        /// Bots of a pool.
        size: u32,
        /// How many rounds.
        rounds: u32,
    },
}

impl ScheduleKind {
    /// Returns the word for it in the configuration.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Partial { .. } => "partial",
            Self::Gauntlet { .. } => "gauntlet",
            Self::Swiss { .. } => "swiss",
            Self::Divisions { .. } => "divisions",
        }
    }

    /// Returns how many rounds are drawn, each from the results of those before; `None` where
    /// all matches are known from the beginning.
    #[must_use]
    pub fn rounds(&self) -> Option<u32> {
        match self {
            Self::RoundRobin | Self::Partial { .. } | Self::Gauntlet { .. } => None,
            Self::Swiss { rounds } | Self::Divisions { rounds, .. } => Some(*rounds),
        }
    }
}
