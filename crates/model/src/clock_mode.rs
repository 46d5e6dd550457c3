//! Clock mode of a game with a clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Clock mode of a game with a clock.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename = "clock", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ClockMode {
    /// Ticks at fixed times, whatever the bots do.
    Realtime,
    /// Ticks as soon as every living bot has acted, at the latest when [`ClockMode::Realtime`]
    /// would. The game is the same, without idle waiting.
    #[default]
    Eager,
    /// As [`ClockMode::Eager`], and simultaneous events are put into the order of the seats.
    /// Deterministic bots that answer in time then produce the same log again.
    Lockstep,
}

impl ClockMode {
    /// All clock modes.
    pub const ALL: [Self; 3] = [Self::Realtime, Self::Eager, Self::Lockstep];

    /// Returns the word used in configuration, reports and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
