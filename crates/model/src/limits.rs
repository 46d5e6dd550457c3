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
    /// Wall clock after which the process is killed. It is not calibrated, but it is at least
    /// `turn` plus calibration.
    pub kill: Duration,
    /// Memory of the whole tree.
    pub memory: Bytes,
    /// Processes and threads.
    pub processes: u32,
    /// Open descriptors per process.
    pub descriptors: u32,
    /// Standard output of one turn.
    pub output: Bytes,
    /// Bytes of standard error that are kept per turn.
    pub stderr: Bytes,
    /// Bytes in the scratch folder.
    pub disk: Bytes,
    /// Files in the scratch folder.
    pub files: u32,
    /// Time until a long-lived bot is ready.
    pub start: Duration,
    /// Wall budget of a whole bout.
    pub bout: Duration,
    /// Processor time of a long-lived bot's whole tree in a whole bout, including its start. `None`
    /// for turn-based games, which have `cpu`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_bout: Option<Duration>,
    /// Processor cores that a thinking bot has for itself.
    pub cores_per_bot: u32,
    /// Treatment of bots that stay for a bout and think while they are not asked.
    #[serde(default, skip_serializing_if = "Pondering::is_allowed")]
    pub pondering: Pondering,
    /// Lifetime of bots that stay: a bout or a match.
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
