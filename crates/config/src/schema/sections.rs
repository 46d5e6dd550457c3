//! The sections that `defaults:` and every event have in common.

use serde_json::{Value, json};

use super::super::build::{MOST_PROCESSES, MOST_RUNS, Network};
use super::super::entries::{OtherFiles, Unowned};
use super::super::limits::{MOST, MOST_CORES};
use super::super::report::MOST_BOUTS;
use super::values::{count, described, duration, integer, list_of, section, size, words};
use joust_model::Public;

pub(super) fn limits() -> Value {
    let keys = [
        ("cpu", described(duration(), "Processor time of all its processes per turn. Default 1s.")),
        (
            "turn",
            described(
                duration(),
                "Wall clock per turn: a later answer does not count. Default 2s.",
            ),
        ),
        (
            "kill",
            described(duration(), "Wall clock per turn: its processes are ended. Default 4s."),
        ),
        ("memory", described(size(), "Memory of all its processes. Default 512MiB.")),
        ("processes", described(count(MOST), "Processes and threads. Default 64.")),
        (
            "descriptors",
            described(count(MOST), "Open files, pipes and sockets per process. Default 256."),
        ),
        ("output", described(size(), "Standard output per turn. Default 64KiB.")),
        ("stderr", described(size(), "Standard error per turn. Default 256KiB.")),
        ("disk", described(size(), "Bytes in /scratch. Default 64MiB.")),
        ("files", described(count(MOST), "Files and folders in /scratch. Default 10000.")),
        ("network", described(words(["none"]), "A bot never has a network.")),
        ("start", described(duration(), "Long-lived bots: until they are ready. Default 10s.")),
        ("bout", described(duration(), "Wall clock of a whole bout. Default 30m.")),
        (
            "cpu_bout",
            described(
                duration(),
                "Games on a clock: processor time of a bot in a whole bout. Default 0.8 x ticks x tick_ms.",
            ),
        ),
        (
            "cores_per_bot",
            described(
                count(MOST_CORES),
                "Processor cores a thinking bot has to itself. Default 1.",
            ),
        ),
    ];
    described(section(keys), "What one bot may use.")
}

pub(super) fn build() -> Value {
    let network = words(Network::WORDS.iter().map(|(word, _)| *word));
    let keys = [
        ("time", described(duration(), "Wall clock of the whole build. Default 10m.")),
        ("memory", described(size(), "Memory of all its processes. Default 2GiB.")),
        ("disk", described(size(), "Bytes written. Default 4GiB.")),
        ("processes", described(count(MOST_PROCESSES), "Processes and threads. Default 512.")),
        (
            "network",
            described(
                network,
                "`open` for builds that download their dependencies. Default `none`.",
            ),
        ),
        ("output", described(size(), "The build log that is kept. Default 1MiB.")),
    ];
    described(section(keys), "What the build of one bot may use.")
}

pub(super) fn calibration() -> Value {
    let runs = described(
        count(MOST_RUNS),
        "Runs of each language's do-nothing bot; the median counts. Default 10.",
    );
    described(section([("runs", runs)]), "How languages are measured.")
}

pub(super) fn report() -> Value {
    let public = words(Public::NAMES.map(|(name, _)| name));
    section([
        (
            "public",
            described(
                list_of(public, 0),
                "What the site shows beside results. Default verdicts, times, replays. An e-mail \
                 address is never shown.",
            ),
        ),
        (
            "bouts",
            described(
                integer(0, MOST_BOUTS),
                "Most bouts of an event with a page and a replay; of more, as many evenly chosen \
                 ones. Default 10000.",
            ),
        ),
    ])
}

pub(super) fn entries() -> Value {
    let owners = json!({
        "type": ["object", "null"],
        "additionalProperties": { "type": "string", "pattern": r"\S" },
    });
    let logins = json!({
        "type": ["array", "null"],
        "items": { "type": "string", "pattern": r"\S" },
    });
    let unowned = words(Unowned::WORDS.iter().map(|(word, _)| *word));
    let other_files = words(OtherFiles::WORDS.iter().map(|(word, _)| *word));
    let keys = [
        ("owners", described(owners, "Login by bot, for bots whose manifest names no owner.")),
        ("maintainers", described(logins, "Logins that may change everything.")),
        ("unowned", described(unowned, "Who may change a bot that nobody owns. Default `anyone`.")),
        (
            "other_files",
            described(
                other_files,
                "What becomes of a change to files that belong to no bot. Default `refuse`.",
            ),
        ),
    ];
    described(section(keys), "Who may change which bots: what `joust ci` holds a change to.")
}
