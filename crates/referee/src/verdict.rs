//! Verdicts: how one request for an action ended, and which limits were touched.

use std::fmt;

use crate::named::named;

named! {
    /// Verdict of one request for an action.
    ///
    /// Listed in order of precedence: when several apply, the first wins.
    /// `bots/limits.md` explains each to authors.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// Joust or the host failed; voids the bout, never counted against a bot.
        InfrastructureError = "infrastructure-error",
        /// The memory of the whole tree reached its limit.
        MemoryLimit = "memory-limit",
        /// stdout, stderr or an answer file passed its cap.
        OutputLimit = "output-limit",
        /// Processor time of the whole tree passed its limit.
        CpuLimit = "cpu-limit",
        /// The wall limit passed.
        Timeout = "timeout",
        /// The scratch was full and the bot ended without an action.
        DiskLimit = "disk-limit",
        /// The protocol was broken: out of turn, not a plain file, dropped.
        ProtocolViolation = "protocol-violation",
        /// Ended by a signal that no limit explains.
        Crash = "crash",
        /// Ended by itself with a status other than 0.
        ExitNonzero = "exit-nonzero",
        /// Ended properly with nothing but white space.
        NoOutput = "no-output",
        /// In time and within limits, but the text is not an action.
        IllegalOutput = "illegal-output",
        /// An action in time.
        Ok = "ok",
    }
}

impl Verdict {
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

named! {
    /// A limit a bot ran into, whether or not it coped.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Limit {
        /// Wall clock of a turn.
        Wall = "wall",
        /// Processor time of the tree.
        Cpu = "cpu",
        /// Memory of the tree.
        Memory = "memory",
        /// Processes and threads.
        Processes = "processes",
        /// Open descriptors.
        Descriptors = "descriptors",
        /// Bytes of scratch.
        Disk = "disk",
        /// Files of scratch.
        Files = "files",
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
        /// The answer file.
        AnswerFile = "answer-file",
        /// Files that a build wrote.
        BuildOutput = "build-output",
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
