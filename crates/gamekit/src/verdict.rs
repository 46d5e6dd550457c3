//! Verdicts that a referee receives: how a bot's answer came about.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Verdict of one answer, as the machine saw it. The words are the same as in every
/// table of Joust; `illegal-output` is missing, because only the referee decides it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AnswerVerdict {
    /// An answer in time.
    Ok,
    /// The bot's memory reached its limit.
    MemoryLimit,
    /// It wrote more than it may.
    OutputLimit,
    /// It used more processor time than it may.
    CpuLimit,
    /// Its time was up.
    Timeout,
    /// Its disk was full.
    DiskLimit,
    /// It broke the rules of its channel.
    ProtocolViolation,
    /// It was ended by a signal.
    Crash,
    /// It ended by itself with a status other than 0.
    ExitNonzero,
    /// It ended properly without an answer.
    NoOutput,
}

impl AnswerVerdict {
    /// Returns the word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
