//! `build:` — what the build of a bot may use, and `calibration:`.

use std::time::Duration;

use super::section::Section;
use joust_model::Bytes;

/// Most processes of a build.
pub(super) const MOST_PROCESSES: u32 = 1_000_000;

/// Most runs of a do-nothing bot.
pub(super) const MOST_RUNS: u32 = 1000;

/// Runs of a do-nothing bot when nothing is written.
pub(super) const CALIBRATION_RUNS: u32 = 10;

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
        Self {
            time: Duration::from_secs(10 * 60),
            memory: Bytes::from_mib(2 * 1024),
            disk: Bytes::from_mib(4 * 1024),
            processes: 512,
            network: Network::None,
            output: Bytes::from_mib(1),
        }
    }
}

/// Build limits as written in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct BuildLayer {
    time: Option<Duration>,
    memory: Option<Bytes>,
    disk: Option<Bytes>,
    processes: Option<u32>,
    network: Option<Network>,
    output: Option<Bytes>,
}

impl BuildLayer {
    /// Reads a `build:` section.
    pub(super) fn read(section: Section<'_>) -> Self {
        let size = |key| section.item(key).and_then(|item| item.size()).map(|size| size.value);
        let layer = Self {
            time: section.item("time").and_then(|item| item.duration()).map(|time| time.value),
            memory: size("memory"),
            disk: size("disk"),
            processes: section
                .item("processes")
                .and_then(|item| item.count(MOST_PROCESSES))
                .map(|n| n.value),
            network: section.item("network").and_then(|item| item.word("network", &Network::WORDS)),
            output: size("output"),
        };
        section.finish();
        layer
    }

    /// Lays this over `below`.
    pub(super) fn over(self, below: &Self) -> Self {
        Self {
            time: self.time.or(below.time),
            memory: self.memory.or(below.memory),
            disk: self.disk.or(below.disk),
            processes: self.processes.or(below.processes),
            network: self.network.or(below.network),
            output: self.output.or(below.output),
        }
    }

    /// Fills in what was left out.
    pub(super) fn complete(&self) -> BuildLimits {
        let default = BuildLimits::default();
        BuildLimits {
            time: self.time.unwrap_or(default.time),
            memory: self.memory.unwrap_or(default.memory),
            disk: self.disk.unwrap_or(default.disk),
            processes: self.processes.unwrap_or(default.processes),
            network: self.network.unwrap_or(default.network),
            output: self.output.unwrap_or(default.output),
        }
    }
}

/// Reads the number of runs of a `calibration:` section.
pub(super) fn read_calibration(section: Section<'_>) -> Option<u32> {
    let runs = section.item("runs").and_then(|item| item.count(MOST_RUNS)).map(|runs| runs.value);
    section.finish();
    runs
}
