//! Verdicts: how one request for an action ended, and which limits were touched.

use std::fmt;

/// Verdict of one request for an action.
///
/// Listed in order of precedence: when several apply, the first wins.
/// `bots/limits.md` explains each to authors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Joust or the host failed; voids the bout, never counted against a bot.
    InfrastructureError,
    /// The memory of the whole tree reached its limit.
    MemoryLimit,
    /// stdout, stderr or an answer file passed its cap.
    OutputLimit,
    /// Processor time of the whole tree passed its limit.
    CpuLimit,
    /// The wall limit passed.
    Timeout,
    /// The scratch was full and the bot ended without an action.
    DiskLimit,
    /// The protocol was broken: out of turn, not a plain file, dropped.
    ProtocolViolation,
    /// Ended by a signal that no limit explains.
    Crash,
    /// Ended by itself with a status other than 0.
    ExitNonzero,
    /// Ended properly with nothing but white space.
    NoOutput,
    /// In time and within limits, but the text is not an action.
    IllegalOutput,
    /// An action in time.
    Ok,
}

impl Verdict {
    /// Every verdict, in order of precedence.
    pub const ALL: [Self; 12] = [
        Self::InfrastructureError,
        Self::MemoryLimit,
        Self::OutputLimit,
        Self::CpuLimit,
        Self::Timeout,
        Self::DiskLimit,
        Self::ProtocolViolation,
        Self::Crash,
        Self::ExitNonzero,
        Self::NoOutput,
        Self::IllegalOutput,
        Self::Ok,
    ];

    /// Returns the name used in tables, messages and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InfrastructureError => "infrastructure-error",
            Self::MemoryLimit => "memory-limit",
            Self::OutputLimit => "output-limit",
            Self::CpuLimit => "cpu-limit",
            Self::Timeout => "timeout",
            Self::DiskLimit => "disk-limit",
            Self::ProtocolViolation => "protocol-violation",
            Self::Crash => "crash",
            Self::ExitNonzero => "exit-nonzero",
            Self::NoOutput => "no-output",
            Self::IllegalOutput => "illegal-output",
            Self::Ok => "ok",
        }
    }

    /// Returns the verdict called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.name() == name)
    }

    /// Returns the verdict's place in [`Verdict::ALL`], stable in logs.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }

    /// Returns the verdict whose [`Verdict::code`] is `code`.
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code)).copied()
    }

    /// Returns whether the answer counts.
    #[must_use]
    pub fn is_ok(self) -> bool {
        self == Self::Ok
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A limit a bot ran into, whether or not it coped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Wall clock of a turn.
    Wall,
    /// Processor time of the tree.
    Cpu,
    /// Memory of the tree.
    Memory,
    /// Processes and threads.
    Processes,
    /// Open descriptors.
    Descriptors,
    /// Bytes of scratch.
    Disk,
    /// Files of scratch.
    Files,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// The answer file.
    AnswerFile,
    /// Files that a build wrote.
    BuildOutput,
}

impl Limit {
    /// Every limit, in the order of their bits.
    pub const ALL: [Self; 11] = [
        Self::Wall,
        Self::Cpu,
        Self::Memory,
        Self::Processes,
        Self::Descriptors,
        Self::Disk,
        Self::Files,
        Self::Stdout,
        Self::Stderr,
        Self::AnswerFile,
        Self::BuildOutput,
    ];

    /// Returns the name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::Descriptors => "descriptors",
            Self::Disk => "disk",
            Self::Files => "files",
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
            Self::AnswerFile => "answer-file",
            Self::BuildOutput => "build-output",
        }
    }
}

/// A set of [`Limit`]s, one bit each in the order of [`Limit::ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub struct LimitSet(pub u16);

impl LimitSet {
    /// Adds `limit`.
    pub fn insert(&mut self, limit: Limit) {
        self.0 |= 1 << (limit as u16);
    }

    /// Returns whether `limit` is in the set.
    #[must_use]
    pub fn contains(self, limit: Limit) -> bool {
        self.0 & (1 << (limit as u16)) != 0
    }

    /// Adds every limit of `other`.
    pub fn extend(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Returns the limits in the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Limit> {
        Limit::ALL.into_iter().filter(move |limit| self.contains(*limit))
    }

    /// Returns whether no limit was touched.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}
