//! Who may import whom.

/// A module of the orchestrator and what it may import. `sandbox` and `referee`
/// are the crates; the names and types that `model` passes on from the referee
/// are everybody's.
pub(crate) const MODULES: &[(&str, &[&str])] = &[
    ("model", &["referee"]),
    ("cancel", &[]),
    ("clock", &[]),
    ("threads", &[]),
    ("panics", &[]),
    ("notices", &["model", "panics"]),
    ("config", &["model", "referee"]),
    ("channel", &["model", "sandbox", "referee"]),
    ("bots", &["model", "cancel", "threads", "config", "channel", "notices", "sandbox", "referee"]),
    ("schedule", &["model", "config"]),
    ("play", &["model", "cancel", "clock", "notices", "channel", "referee"]),
    ("executor", &["model", "cancel", "clock", "panics", "notices", "bots", "channel", "play"]),
    ("store", &["model", "clock", "panics"]),
    ("standings", &["model"]),
    ("ratings", &["model"]),
    ("report", &["model", "standings", "ratings", "referee"]),
    ("progress", &["model", "notices"]),
    ("dispute", &["model", "panics", "executor", "play", "store", "referee"]),
    ("scaffold", &["model", "config", "bots", "sandbox"]),
    ("doctor", &["model", "threads", "config", "bots", "sandbox"]),
    (
        "pipeline",
        &[
            "model",
            "cancel",
            "clock",
            "panics",
            "threads",
            "notices",
            "config",
            "channel",
            "bots",
            "schedule",
            "play",
            "executor",
            "store",
            "standings",
            "ratings",
            "report",
            "progress",
            "scaffold",
            "doctor",
            "sandbox",
            "referee",
        ],
    ),
    ("serve", &["model", "clock", "config", "store", "referee"]),
    ("shard", &["model", "store"]),
    ("ci", &["model", "config", "bots", "store", "standings", "ratings", "report", "pipeline"]),
];

/// Arrows that are in the source and not in the table: the file, what it
/// imports, and why it is still there. An entry that nothing needs any more
/// fails the test.
pub(crate) const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A crate, the crates of ours it may use, and those its tests may use.
pub(crate) const CRATES: &[(&str, &[&str], &[&str])] = &[
    ("referee", &[], &[]),
    ("sandbox", &[], &["testkit"]),
    ("orchestrator", &["sandbox", "referee"], &["testkit"]),
    ("cli", &["orchestrator", "sandbox", "referee"], &["testkit"]),
    ("testkit", &["sandbox", "referee"], &[]),
];

/// A package and the only places in the orchestrator that may use it.
pub(crate) const HOMES: &[(&str, &[&str])] = &[
    ("sqlx", &["store/"]),
    ("indicatif", &["progress/bar.rs", "progress/terminal.rs"]),
    ("comfy_table", &["report/"]),
    ("saphyr_parser", &["config/"]),
    ("zip", &["bots/"]),
    ("tar", &["bots/"]),
];

/// Returns what `module` may import; `None` when the table does not know it.
pub(crate) fn allowed(module: &str) -> Option<&'static [&'static str]> {
    MODULES.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed)
}
