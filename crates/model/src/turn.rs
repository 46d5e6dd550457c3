//! The record of each turn in a bout's compressed turn log.

use joust_referee::{LimitSet, Verdict};
use serde::{Deserialize, Serialize};

use super::Round;

/// End of a turn's main process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By this signal.
    Signal(i32),
    /// It was ended at a limit.
    Killed,
    /// The program still runs, because it stays for its bout.
    Running,
    /// It could not be started; the number is the `errno`.
    NotStarted(i32),
}

/// Record of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnRecord {
    /// The round.
    pub round: Round,
    /// The seat.
    pub seat: u8,
    /// [`Verdict::code`].
    pub verdict: u8,
    /// Limits touched.
    pub limits_hit: LimitSet,
    /// Wall clock, microseconds.
    pub wall_us: u64,
    /// Processor time, microseconds.
    pub cpu_us: u64,
    /// True if the processor time covers the whole process tree.
    pub cpu_partial: bool,
    /// Runnable without a processor, microseconds.
    pub stall_us: u64,
    /// Largest memory, bytes.
    pub peak_memory_bytes: u64,
    /// End of the main process.
    pub exit: Exit,
    /// The action in the game's words; empty for none.
    pub action: String,
    /// The first 256 bytes of output, kept unless it is the action.
    pub output: Vec<u8>,
    /// The last 1,024 bytes of standard error that were kept.
    pub stderr: Vec<u8>,
    /// A short reason for a fault, if the verdict is not specific enough. An external referee's own
    /// words follow [`REFEREE_SAYS`](super::REFEREE_SAYS).
    pub reason: String,
}

impl TurnRecord {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}
