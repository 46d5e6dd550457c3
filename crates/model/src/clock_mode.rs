//! Mode of the clock of a game on a clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Clock of a game on a clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "clock", rename_all = "kebab-case")]
pub enum ClockMode {
    /// At its fixed times, whatever the bots do.
    Realtime,
    /// As soon as every living bot has acted, at the latest when it would in
    /// [`ClockMode::Realtime`]: the same game, without waiting for nobody.
    #[default]
    Eager,
    /// As [`ClockMode::Eager`], with everything that can happen in any order put in
    /// the order of the seats, so that bots that are repeatable and in time give
    /// the same log again.
    Lockstep,
}

impl ClockMode {
    /// Every pace.
    pub const ALL: [Self; 3] = [Self::Realtime, Self::Eager, Self::Lockstep];

    /// Returns the word used in configuration, reports and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Realtime => "realtime",
            Self::Eager => "eager",
            Self::Lockstep => "lockstep",
        }
    }

    /// Returns the pace called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pace| pace.name() == name)
    }
}
