//! Keys of `limits:`, `build:` and `calibration:`.

use joust_model::Limits;

use super::super::build::{BuildLimits, Calibration, Network};
use super::super::limits;
use super::super::table::{Key, Kind, Table, field, word};

/// `limits:`
pub(in super::super) static LIMITS: Table<Limits> = Table {
    name: "limits",
    keys: &[
        Key::new(
            "cpu",
            Kind::Duration(field!(Limits, cpu)),
            "Processor time of all its processes per turn.",
        )
        .is("1s"),
        Key::new(
            "turn",
            Kind::Duration(field!(Limits, turn)),
            "Wall clock per turn: a later answer does not count.",
        )
        .is("2s"),
        Key::new(
            "kill",
            Kind::Duration(field!(Limits, kill)),
            "Wall clock per turn: its processes are ended.",
        )
        .is("4s"),
        Key::new("memory", Kind::Memory(field!(Limits, memory)), "Memory of all its processes.")
            .is("512MiB"),
        Key::new(
            "processes",
            Kind::Count { range: 1..=1_000_000, field: field!(Limits, processes) },
            "Processes and threads.",
        )
        .is("64"),
        Key::new("output", Kind::Size(field!(Limits, output)), "Standard output per turn.")
            .is("64KiB"),
        Key::new("disk", Kind::Size(field!(Limits, disk)), "Bytes in /scratch.").is("64MiB"),
        Key::new("network", limits::NO_NETWORK, "A bot never has a network.").told("none"),
        Key::new(
            "start",
            Kind::Duration(field!(Limits, start)),
            "Long-lived bots: until they are ready.",
        )
        .is("10s"),
        Key::new("bout", Kind::Duration(field!(Limits, bout)), "Wall clock of a whole bout.")
            .is("30m"),
        Key::new(
            "cpu_bout",
            Kind::OptionalDuration(field!(Limits, cpu_bout)),
            "Games on a clock: processor time of a bot in a whole bout.",
        )
        .follows("Default 0.8 x ticks x tick_ms.", limits::set_with_the_clock)
        .example("144s"),
        Key::new("stderr", Kind::Size(field!(Limits, stderr)), "Standard error per turn.")
            .is("256KiB"),
        Key::new(
            "files",
            Kind::Count { range: 1..=1_000_000, field: field!(Limits, files) },
            "Files and folders in /scratch.",
        )
        .is("10000"),
        Key::new(
            "descriptors",
            Kind::Count { range: 1..=1_000_000, field: field!(Limits, descriptors) },
            "Open files, pipes and sockets per process.",
        )
        .is("256"),
        Key::new(
            "cores_per_bot",
            Kind::Count { range: 1..=1024, field: field!(Limits, cores_per_bot) },
            "Processor cores a thinking bot has to itself.",
        )
        .is("1"),
    ],
};

/// `build:`
pub(in super::super) static BUILD: Table<BuildLimits> = Table {
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
pub(in super::super) static CALIBRATION: Table<Calibration> = Table {
    name: "calibration",
    keys: &[Key::new(
        "runs",
        Kind::Count { range: 1..=1000, field: field!(Calibration, runs) },
        "Runs of each language's do-nothing bot; the median counts.",
    )
    .is("10")],
};
