//! Endings: how a turn's main process ended.

use serde::{Deserialize, Serialize};

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
