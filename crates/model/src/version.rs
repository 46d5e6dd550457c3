//! The builds a bot has played with.

use serde::Serialize;

use super::BuildHash;

/// One build of a bot with its results, whether or not they are current.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotVersion {
    /// The bot's name.
    pub bot: String,
    /// Build that was run.
    pub build: BuildHash,
    /// The language's id; empty when the build is not recorded.
    pub language: String,
    /// The toolchain's version, as the toolchain reports it; empty when the build is not recorded.
    pub toolchain: String,
    /// The beginning of the build's log.
    pub log_head: String,
    /// Start of its first bout, milliseconds since 1970.
    pub first_at: i64,
    /// Start of its last bout, milliseconds since 1970.
    pub last_at: i64,
    /// Bouts played.
    pub bouts: u32,
    /// Number of these bouts whose results count now.
    pub standing: u32,
    /// Bouts won alone.
    pub won: u32,
    /// Bouts in which others shared the first rank.
    pub drawn: u32,
    /// Bouts lost.
    pub lost: u32,
    /// Verdicts that were not `ok`.
    pub faults: u64,
    /// Days on which its bouts began, the first one first.
    pub days: Vec<VersionDay>,
}

/// Bouts of a build that began on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VersionDay {
    /// Start of the day in UTC, milliseconds since 1970.
    pub at: i64,
    /// Bouts played.
    pub bouts: u32,
    /// Bouts won alone.
    pub won: u32,
    /// Bouts in which others shared the first rank.
    pub drawn: u32,
}
