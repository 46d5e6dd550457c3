//! Limits of a bot in a bout, as configured.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Bytes, Pondering, ProgramLifetime, StartMode};

/// Limits of a bot as configured, before calibration is added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processor time of the whole tree in one turn: the primary limit.
    pub cpu: Duration,
    /// Wall clock of one turn; an answer after it does not count.
    pub turn: Duration,
    /// Wall clock after which the process is ended. Never calibrated, but at
    /// least `turn` plus calibration.
    pub kill: Duration,
    /// Memory of the whole tree.
    pub memory: Bytes,
    /// Processes and threads.
    pub processes: u32,
    /// Open descriptors per process.
    pub descriptors: u32,
    /// Standard output of one turn.
    pub output: Bytes,
    /// Standard error of one turn that is kept.
    pub stderr: Bytes,
    /// Bytes of scratch.
    pub disk: Bytes,
    /// Files in the scratch.
    pub files: u32,
    /// Long-lived bots: until ready.
    pub start: Duration,
    /// Wall budget of a whole bout.
    pub bout: Duration,
    /// Processor time of a long-lived bot's whole tree in a whole bout, start
    /// included. `None` for games that ask and wait, where `cpu` holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_bout: Option<Duration>,
    /// Processor cores a thinking bot has to itself.
    pub cores_per_bot: u32,
    /// Bots that stay for a bout and are asked: what becomes of one that thinks while it
    /// is not asked.
    #[serde(default, skip_serializing_if = "Pondering::is_allowed")]
    pub pondering: Pondering,
    /// Bots that stay: whether for a bout or for a match.
    #[serde(default, skip_serializing_if = "ProgramLifetime::are_for_a_bout")]
    pub programs: ProgramLifetime,
    /// Kind of start of the programs of one turn.
    #[serde(default, skip_serializing_if = "StartMode::is_cold")]
    pub starts: StartMode,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            cpu: Duration::from_secs(1),
            turn: Duration::from_secs(2),
            kill: Duration::from_secs(4),
            memory: Bytes::from_mib(512),
            processes: 64,
            descriptors: 256,
            output: Bytes::from_kib(64),
            stderr: Bytes::from_kib(256),
            disk: Bytes::from_mib(64),
            files: 10_000,
            start: Duration::from_secs(10),
            bout: Duration::from_secs(30 * 60),
            cpu_bout: None,
            cores_per_bot: 1,
            pondering: Pondering::Allow,
            programs: ProgramLifetime::Bout,
            starts: StartMode::Cold,
        }
    }
}
