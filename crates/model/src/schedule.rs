//! Kinds of schedules: who meets whom in an event.

use std::fmt;

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
}

impl ScheduleKind {
    /// Returns the word for it in the configuration.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::RoundRobin => "round-robin",
            Self::Partial { .. } => "partial",
            Self::Gauntlet { .. } => "gauntlet",
        }
    }
}

impl fmt::Display for ScheduleKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundRobin => f.write_str(self.name()),
            Self::Partial { matches_per_bot } => {
                write!(f, "partial, {matches_per_bot} matches per bot")
            }
            Self::Gauntlet { bots } => write!(f, "gauntlet of {}", bots.join(", ")),
        }
    }
}
