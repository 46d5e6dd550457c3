//! Limits of the build of a bot, and the measurement of languages.

use std::time::Duration;

use joust_model::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Network access of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "network", rename_all = "kebab-case")]
pub enum Network {
    /// No network at all.
    None,
    /// The machine's network.
    Open,
}

/// Limits of the build of one bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// Wall clock of the whole build.
    pub time: Duration,
    /// Memory of the whole tree.
    pub memory: Bytes,
    /// Bytes written.
    pub disk: Bytes,
    /// Processes and threads.
    pub processes: u32,
    /// Network access.
    pub network: Network,
    /// Bytes of the build's output that are kept.
    pub output: Bytes,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10 * 60),
            memory: Bytes::from_mib(2048),
            disk: Bytes::from_mib(4096),
            processes: 512,
            network: Network::None,
            output: Bytes::from_mib(1),
        }
    }
}

/// Measurement of languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalibrationSettings {
    /// Runs of each do-nothing bot.
    pub runs: u32,
}

impl Default for CalibrationSettings {
    fn default() -> Self {
        Self { runs: 10 }
    }
}
