//! `build:` — what the build of a bot may use, and `calibration:`.

use std::time::Duration;

use super::keys::{BUILD, CALIBRATION};
use joust_model::Bytes;

/// Whether a build reaches the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// No network at all.
    None,
    /// The machine's network.
    Open,
}

impl Network {
    pub(super) const WORDS: [(&str, Self); 2] = [("none", Self::None), ("open", Self::Open)];
}

/// What the build of one bot may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// Wall clock of the whole build. Default 10 min.
    pub time: Duration,
    /// Memory of the whole tree. Default 2 GiB.
    pub memory: Bytes,
    /// Bytes written. Default 4 GiB.
    pub disk: Bytes,
    /// Processes and threads. Default 512.
    pub processes: u32,
    /// Whether the build reaches the network. Default not.
    pub network: Network,
    /// Bytes of the build's output that are kept. Default 1 MiB.
    pub output: Bytes,
}

impl Default for BuildLimits {
    fn default() -> Self {
        let mut defaults = Self {
            time: Duration::ZERO,
            memory: Bytes(0),
            disk: Bytes(0),
            processes: 0,
            network: Network::None,
            output: Bytes(0),
        };
        BUILD.set_defaults(&mut defaults);
        defaults
    }
}

/// How languages are measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calibration {
    /// Runs of each do-nothing bot. Default 10.
    pub runs: u32,
}

impl Default for Calibration {
    fn default() -> Self {
        let mut defaults = Self { runs: 0 };
        CALIBRATION.set_defaults(&mut defaults);
        defaults
    }
}
