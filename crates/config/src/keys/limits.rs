//! `limits:`, `build:` and `calibration:` of an event, of `defaults:` and of the whole machine.

use std::time::Duration;

use joust_model::{Bytes, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::rejection::Rejection;
use super::super::values::{Count, Memory, Size, Time};

/// Keys of `limits:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LimitsKeys {
    /// Processor time of all its processes per turn.
    cpu: Time,
    /// Wall clock per turn: a later answer does not count.
    turn: Time,
    /// Wall clock per turn: its processes are ended.
    kill: Time,
    /// Memory of all its processes.
    memory: Memory,
    /// Processes and threads.
    processes: Count<1, 1_000_000>,
    /// Standard output per turn.
    output: Size,
    /// Bytes in /scratch.
    disk: Size,
    /// Network of a bot: it never has one.
    network: NoNetwork,
    /// Long-lived bots: time until they are ready.
    start: Time,
    /// Wall clock of a whole bout.
    bout: Time,
    /// Games on a clock: processor time of a bot in a whole bout. Default 0.8 x ticks x `tick_ms`.
    #[schemars(example = &"144s")]
    cpu_bout: Option<Time>,
    /// Standard error per turn.
    stderr: Size,
    /// Files and folders in /scratch.
    files: Count<1, 1_000_000>,
    /// Open files, pipes and sockets per process.
    descriptors: Count<1, 1_000_000>,
    /// Processor cores a thinking bot has to itself.
    cores_per_bot: Count<1, 1024>,
}

impl Default for LimitsKeys {
    fn default() -> Self {
        Self::from(&Limits::default())
    }
}

impl From<&Limits> for LimitsKeys {
    fn from(limits: &Limits) -> Self {
        Self {
            cpu: Time(limits.cpu),
            turn: Time(limits.turn),
            kill: Time(limits.kill),
            memory: Memory(Size(limits.memory)),
            processes: Count(limits.processes),
            output: Size(limits.output),
            disk: Size(limits.disk),
            network: NoNetwork::None,
            start: Time(limits.start),
            bout: Time(limits.bout),
            cpu_bout: limits.cpu_bout.map(Time),
            stderr: Size(limits.stderr),
            files: Count(limits.files),
            descriptors: Count(limits.descriptors),
            cores_per_bot: Count(limits.cores_per_bot),
        }
    }
}

impl From<LimitsKeys> for Limits {
    fn from(keys: LimitsKeys) -> Self {
        Self {
            cpu: keys.cpu.0,
            turn: keys.turn.0,
            kill: keys.kill.0,
            memory: keys.memory.0.0,
            processes: keys.processes.0,
            output: keys.output.0,
            disk: keys.disk.0,
            start: keys.start.0,
            bout: keys.bout.0,
            cpu_bout: keys.cpu_bout.map(|time| time.0),
            stderr: keys.stderr.0,
            files: keys.files.0,
            descriptors: keys.descriptors.0,
            cores_per_bot: keys.cores_per_bot.0,
            ..Self::default()
        }
    }
}

/// Network of a bot. The key is there to say that it has none.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", rename_all = "kebab-case")]
#[schemars(!try_from)]
enum NoNetwork {
    None,
}

impl TryFrom<String> for NoNetwork {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "a bot never has one: write `none`; only builds can, with `build: { network: \
                    open }`";
        Rejection::unless(text == "none", format!("network `{text}` is not possible"), hint)?;
        Ok(Self::None)
    }
}

/// Network access of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "network", rename_all = "kebab-case")]
pub enum Network {
    /// No network at all.
    None,
    /// The machine's network.
    Open,
}

/// Limits of the build of one bot: keys of `build:`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BuildLimits {
    /// Wall clock of the whole build.
    pub time: Time,
    /// Memory of all its processes.
    pub memory: Memory,
    /// Bytes written.
    pub disk: Size,
    /// Processes and threads.
    pub processes: Count<1, 1_000_000>,
    /// Network of a build: `open` for builds that download their dependencies; they reach services
    /// of this machine, too.
    pub network: Network,
    /// Build log that is kept.
    pub output: Size,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            time: Time(Duration::from_secs(10 * 60)),
            memory: Memory(Size(Bytes::from_mib(2048))),
            disk: Size(Bytes::from_mib(4096)),
            processes: Count(512),
            network: Network::None,
            output: Size(Bytes::from_mib(1)),
        }
    }
}

/// Keys of `calibration:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CalibrationKeys {
    /// Runs of each language's do-nothing bot; the median counts.
    pub(crate) runs: Count<1, 1000>,
}

impl Default for CalibrationKeys {
    fn default() -> Self {
        Self { runs: Count(10) }
    }
}
