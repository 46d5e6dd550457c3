//! `limits:` — what a bot may use in a bout.

use std::time::Duration;

use joust_model::Limits;
use joust_referee::ClockSpec;

use super::shape::words;
use super::table::{Key, Kind, OwnKind, Table, field};

/// `limits:`
pub(super) static LIMITS: Table<Limits> = Table {
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
        Key::new("network", NO_NETWORK, "A bot never has a network.").in_help("none"),
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
        .follows("Default 0.8 x ticks x tick_ms.", set_with_the_clock)
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

/// Key of the section in an event and in `defaults:`.
pub(super) const fn limits_key<T>(kind: Kind<T>) -> Key<T> {
    Key::new("limits", kind, "What one bot may use.")
}

/// A bot never has a network; the key is there to say so.
const NO_NETWORK: Kind<Limits> = Kind::Own(OwnKind {
    read: |item, _| {
        let Some(text) = item.text() else { return false };
        if text != "none" {
            let hint = "a bot never has one: write `none`; only builds can, with `build: { network: \
                        open }`";
            item.refuse(format!("network `{text}` is not possible"), Some(hint.to_owned()));
        }
        true
    },
    show: |_| Some("none".into()),
    schema: || words(["none"]),
});

/// The processor time of a whole bout is [`cpu_of_a_bout`], once the event's clock is known.
fn set_with_the_clock(_: &mut Limits) {}

/// Returns the processor time of a whole bout of a game on a clock for which none is
/// written: four fifths of what its ticks can last.
pub(super) fn cpu_of_a_bout(clock: &ClockSpec, bout: Duration) -> Duration {
    let ticks = Duration::from_millis(clock.tick_ms.into()).saturating_mul(clock.ticks);
    ticks.min(bout) / 5 * 4
}
