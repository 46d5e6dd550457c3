//! The record of each turn in a bout's compressed turn log.

use joust_referee::{LimitSet, Verdict};
use serde::{Deserialize, Serialize};

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
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TurnRecord {
    /// The round, from 0.
    #[serde(rename = "r")]
    pub round: u32,
    /// The seat.
    #[serde(rename = "s")]
    pub seat: u8,
    /// [`Verdict::code`].
    #[serde(rename = "v")]
    pub verdict: u8,
    /// Limits touched.
    #[serde(rename = "l", skip_serializing_if = "is_empty", with = "crate::numbers::limits")]
    pub limits_hit: LimitSet,
    /// Wall clock, microseconds.
    #[serde(rename = "w")]
    pub wall_us: u64,
    /// Processor time, microseconds.
    #[serde(rename = "c")]
    pub cpu_us: u64,
    /// True if the processor time covers the whole process tree.
    #[serde(rename = "p", skip_serializing_if = "is_false")]
    pub cpu_partial: bool,
    /// Runnable without a processor, microseconds.
    #[serde(rename = "t")]
    pub stall_us: u64,
    /// Largest memory, bytes.
    #[serde(rename = "m")]
    pub peak_memory_bytes: u64,
    /// End of the main process.
    #[serde(rename = "x")]
    pub exit: Exit,
    /// The action in the game's words; empty for none.
    #[serde(rename = "a", skip_serializing_if = "String::is_empty")]
    pub action: String,
    /// The first 256 bytes of output, kept unless it is the action.
    #[serde(rename = "o", skip_serializing_if = "Vec::is_empty")]
    pub output: Vec<u8>,
    /// The last 1,024 bytes of standard error that were kept.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    pub stderr: Vec<u8>,
    /// A short reason for a fault, if the verdict is not specific enough. An external referee's own
    /// words follow [`REFEREE_SAYS`](super::REFEREE_SAYS).
    #[serde(rename = "y", skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_empty(limits: &LimitSet) -> bool {
    limits.is_empty()
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(value: &bool) -> bool {
    !*value
}

impl TurnRecord {
    /// Returns the verdict.
    pub fn verdict(&self) -> Verdict {
        Verdict::from_code(self.verdict).unwrap_or(Verdict::InfrastructureError)
    }
}
