//! `build:` — what the build of a bot may use, and `calibration:`.

use std::time::Duration;

use super::table::{Key, Kind, Table, field, word};
use joust_model::Bytes;

/// Network access of a build.
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

/// Limits of the build of one bot.
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
    /// Network access. Default none.
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

/// Measurement of languages.
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

/// `build:`
pub(super) static BUILD: Table<BuildLimits> = Table {
    name: "build",
    keys: &[
        Key::new(
            "time",
            Kind::Duration(field!(BuildLimits, time)),
            "Wall clock of the whole build.",
        )
        .is("10m"),
        Key::new("memory", Kind::Memory(field!(BuildLimits, memory)), "Memory of all its processes.")
            .is("2GiB"),
        Key::new("disk", Kind::Size(field!(BuildLimits, disk)), "Bytes written.").is("4GiB"),
        Key::new(
            "processes",
            Kind::Count { range: 1..=1_000_000, field: field!(BuildLimits, processes) },
            "Processes and threads.",
        )
        .is("512"),
        Key::new(
            "network",
            word!(BuildLimits, "network", Network::WORDS, network),
            "`open` for builds that download their dependencies; they reach services of this machine, too.",
        )
        .text("none"),
        Key::new("output", Kind::Size(field!(BuildLimits, output)), "The build log that is kept.")
            .is("1MiB"),
    ],
};

/// `calibration:`
pub(super) static CALIBRATION: Table<Calibration> = Table {
    name: "calibration",
    keys: &[Key::new(
        "runs",
        Kind::Count { range: 1..=1000, field: field!(Calibration, runs) },
        "Runs of each language's do-nothing bot; the median counts.",
    )
    .is("10")],
};

/// Key of `build:` in an event and in `defaults:`.
pub(super) const fn build_key<T>(kind: Kind<T>) -> Key<T> {
    Key::new("build", kind, "What the build of one bot may use.")
}

/// Key of `calibration:` in an event and in `defaults:`.
pub(super) const fn calibration_key<T>(kind: Kind<T>) -> Key<T> {
    Key::new("calibration", kind, "How languages are measured.")
}
