//! The builds a bot has played with.

use serde::Serialize;

use super::BuildHash;

/// One build of a bot, and the results of its bouts, whether or not their results
/// still stand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotVersion {
    /// The bot's name.
    pub bot: String,
    /// Build that was run.
    pub build: BuildHash,
    /// The language's id; empty when nothing is known of the build.
    pub language: String,
    /// The toolchain's version, as it says; empty when nothing is known.
    pub toolchain: String,
    /// The beginning of the build's log.
    pub log_head: String,
    /// Start of its first bout, milliseconds since 1970.
    pub first_at: i64,
    /// Start of its last bout, milliseconds since 1970.
    pub last_at: i64,
    /// Bouts played.
    pub bouts: u32,
    /// Bouts of these that count today.
    pub standing: u32,
    /// Bouts won alone.
    pub won: u32,
    /// Bouts in which others were first, too.
    pub drawn: u32,
    /// Bouts lost.
    pub lost: u32,
    /// Verdicts that were not `ok`.
    pub faults: u64,
}
