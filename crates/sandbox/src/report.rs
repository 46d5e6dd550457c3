//! Turn report: what a turn did and used, and how its main process ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// A limit a tree ran into, whether or not it coped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(u16)]
pub enum LimitHit {
    /// Wall clock.
    Wall = 1 << 0,
    /// Processor time.
    Cpu = 1 << 1,
    /// Memory.
    Memory = 1 << 2,
    /// Processes and threads.
    Processes = 1 << 3,
    /// Descriptors.
    Descriptors = 1 << 4,
    /// Bytes of scratch.
    Disk = 1 << 5,
    /// Files of scratch.
    Files = 1 << 6,
    /// Standard output.
    Stdout = 1 << 7,
    /// Standard error.
    Stderr = 1 << 8,
    /// A file to be taken.
    AnswerFile = 1 << 9,
}

/// A set of [`LimitHit`]s as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitsHit(pub u16);

impl LimitsHit {
    /// Adds one.
    pub fn insert(&mut self, hit: LimitHit) {
        self.0 |= hit as u16;
    }

    /// Returns whether `hit` is in the set.
    #[must_use]
    pub fn contains(self, hit: LimitHit) -> bool {
        self.0 & hit as u16 != 0
    }
}

/// Result of taking a file after a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileOutcome {
    /// Its bytes, at most the cap.
    Bytes(Vec<u8>),
    /// There is no such file.
    Missing,
    /// It is longer than the cap.
    TooLong,
    /// It is not a plain file with one name: a link, a folder, a device ...
    NotPlain,
}

/// A file taken from the scratch after a turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFile {
    /// Its path, relative to the scratch.
    pub path: String,
    /// Content of the file, or the reason why it could not be read.
    pub outcome: FileOutcome,
}

/// Resources that a program has used so far, or in its turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceUsage {
    /// Time since its start.
    pub wall: Duration,
    /// Processor time of the whole tree, orphans included.
    pub cpu: Duration,
    /// True if `cpu` is complete (group accounting); otherwise it may lack processes that no
    /// parent waited for.
    pub cpu_complete: bool,
    /// Time the tree was runnable but had no processor.
    pub stall: Duration,
    /// Largest memory of the tree (group accounting) or of one process.
    pub peak_memory: Bytes,
    /// Limits the tree ran into.
    pub limits_hit: LimitsHit,
}

/// Kind of a program's start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum StartKind {
    /// From nothing.
    #[default]
    Cold,
    /// As a copy of its seat's server.
    Warm,
    /// From nothing, although it should have been a copy; the reason.
    ColdBecause(String),
}

/// Report of one turn: its results and resources. A program that started and failed is not an
/// error: see `ending`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnReport {
    /// End of the turn.
    pub ending: Ending,
    /// Standard output, at most its cap.
    #[serde(with = "serde_bytes")]
    pub stdout: Vec<u8>,
    /// Bytes of standard output seen before the end.
    pub stdout_seen: u64,
    /// The first part of standard error.
    #[serde(with = "serde_bytes")]
    pub stderr: Vec<u8>,
    /// Bytes of standard error seen before the end.
    pub stderr_seen: u64,
    /// Resources that the whole tree used, up to the exit of the main process.
    pub usage: ResourceUsage,
    /// The files asked for, in that order.
    pub files: Vec<OutputFile>,
    /// Attempts to start a process that were refused.
    pub children_refused: u32,
    /// Processes that were still there when the main process had ended.
    pub left_over_processes: u32,
    /// Kind of its start.
    pub start: StartKind,
}

impl TurnReport {
    /// Makes the report of a turn in which nothing ran.
    pub fn without_start(ending: Ending) -> Self {
        Self {
            ending,
            stdout: Vec::new(),
            stdout_seen: 0,
            stderr: Vec::new(),
            stderr_seen: 0,
            usage: ResourceUsage { cpu_complete: true, ..ResourceUsage::default() },
            files: Vec::new(),
            children_refused: 0,
            left_over_processes: 0,
            start: StartKind::Cold,
        }
    }
}

/// End of a turn, the first that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// The kernel killed a process of the tree because of the memory limit.
    MemoryLimit,
    /// Output passed its cap and the tree was killed.
    OutputLimit,
    /// Processor time passed its limit, seen during the turn or at its end.
    CpuLimit,
    /// The `turn` limit passed on the wall clock.
    WallLimit,
    /// The caller had it ended within its limits.
    Stopped,
    /// The program could not be started; the number is the `errno`.
    NotStarted(i32),
    /// The main process was ended by a signal that no limit explains.
    Signalled(i32),
    /// The main process ended by itself with this status.
    Exited(i32),
}
