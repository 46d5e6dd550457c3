//! The measured cost of a do-nothing bot.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The measured cost of a do-nothing bot in one language on one machine.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The language's id.
    pub language: String,
    /// The game whose first view the bot read.
    pub game: String,
    /// Number of measured runs.
    pub runs: u32,
    /// Median processor time of the tree; added to the `cpu` limit.
    pub cpu: Duration,
    /// Median wall clock; added to the `turn` limit.
    pub wall: Duration,
    /// Slowest minus fastest run, wall clock.
    pub spread: Duration,
    /// Time of the measurement, milliseconds since 1970.
    pub measured_at: i64,
    /// The machine it was measured on.
    pub machine: String,
}
