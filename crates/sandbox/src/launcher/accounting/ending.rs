//! Ending of a turn: why its program was stopped, and the limit that this comes to.

use std::time::{Duration, Instant};

use crate::sys::Exit;
use crate::{Ending, LimitHit, LimitsHit};

/// Why a program was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopCause {
    /// It ended by itself.
    Itself(Exit),
    /// It passed this limit.
    Wall,
    /// It passed this limit.
    Cpu,
    /// It passed this limit.
    Output,
    /// The samples show that it passed this limit.
    Memory,
    /// It filled a scratch that has no file system of its own.
    Disk(LimitHit),
    /// The other end wants it ended.
    Stopped,
    /// Nobody waits for the answer any more.
    Abandoned,
}

/// Result of watching.
pub(crate) struct WatchOutcome {
    pub(crate) cause: StopCause,
    pub(crate) ended: Instant,
    /// Stall of the turn.
    pub(crate) stall: Duration,
    /// Processor time when it had to be ended, if ending it takes much of that, too.
    pub(crate) cpu: Option<Duration>,
}

impl WatchOutcome {
    /// Makes the result of watching that was given up just now.
    pub(crate) fn abandoned() -> Self {
        Self {
            cause: StopCause::Abandoned,
            ended: Instant::now(),
            stall: Duration::ZERO,
            cpu: None,
        }
    }
}

/// Returns the first ending that applies; `over` says that output passed its hard cap.
pub(super) fn ending(hits: LimitsHit, over: bool, cause: StopCause) -> Ending {
    if hits.contains(LimitHit::Memory) {
        Ending::MemoryLimit
    } else if over || cause == StopCause::Output {
        Ending::OutputLimit
    } else if hits.contains(LimitHit::Cpu) {
        Ending::CpuLimit
    } else if hits.contains(LimitHit::Wall) {
        Ending::WallLimit
    } else {
        match cause {
            StopCause::Itself(Exit::Signal(signal)) => Ending::Signalled(signal),
            StopCause::Itself(Exit::Status(status)) => Ending::Exited(status),
            StopCause::Stopped => Ending::Stopped,
            // The limit that was passed says why.
            StopCause::Disk(_) => Ending::Signalled(libc::SIGKILL),
            _ => Ending::WallLimit,
        }
    }
}
