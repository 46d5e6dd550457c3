//! Verdicts that a referee receives: how a bot's answer came about.

use serde::{Deserialize, Serialize};

/// Verdict of one answer, as the machine saw it. The words are the same as in every
/// table of Joust; `illegal-output` is missing, because only the referee decides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    /// Every verdict, in the order of the protocol's page.
    pub const ALL: [Self; 10] = [
        Self::Ok,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::CpuLimit,
        Self::Timeout,
        Self::DiskLimit,
        Self::ProtocolViolation,
        Self::Crash,
        Self::ExitNonzero,
        Self::NoOutput,
    ];

    /// Returns the word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::MemoryLimit => "memory-limit",
            Self::OutputLimit => "output-limit",
            Self::CpuLimit => "cpu-limit",
            Self::Timeout => "timeout",
            Self::DiskLimit => "disk-limit",
            Self::ProtocolViolation => "protocol-violation",
            Self::Crash => "crash",
            Self::ExitNonzero => "exit-nonzero",
            Self::NoOutput => "no-output",
        }
    }

    /// Returns the verdict called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }
}
