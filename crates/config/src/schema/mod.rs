//! The shape of a `tournament.yaml` as JSON Schema, for editors.
//!
//! Words, ranges and game options come from the tables the reader itself uses;
//! a test asks the reader for the keys of every section and compares. What takes
//! more than one value to see (`kill` before `turn`, two events of one id) is the
//! reader's alone.

mod event;
mod sections;
mod values;

use serde_json::{Value, json};

use sections::{build, calibration, entries, limits, report};
pub use values::{DIALECT, described};
use values::{list_of, section, text};

/// Returns the schema; `languages` is that of the section of the same name, which
/// is read by others.
#[must_use]
pub fn schema(languages: Value) -> Value {
    let events = described(
        list_of(event::event(), 1),
        "The games of this tournament, each with its rules and bots.",
    );
    let seed = json!({ "type": ["integer", "null"], "minimum": 0, "maximum": u64::MAX });
    let properties = [
        ("name", described(text(), "What people call it: a part of every bout's identity.")),
        ("seed", described(seed, "Every bout's seed derives from it. Default 0.")),
        ("database", described(text(), "SQLite, relative to this file. Default `results.db`.")),
        (
            "keep_sources",
            described(
                json!({ "type": ["boolean", "null"] }),
                "Whether the database keeps each bot's source, up to 8 MiB packed, so that a disputed \
                 bout can be played again anywhere. Default `true`.",
            ),
        ),
        (
            "defaults",
            described(defaults(), "What holds for every event that does not say otherwise."),
        ),
        ("report", described(report(), "What `joust report` makes public.")),
        ("events", events),
        ("entries", entries()),
        ("languages", described(languages, "Languages to add or to change.")),
    ];
    let mut schema = section(properties);
    schema["$schema"] = DIALECT.into();
    schema["title"] = "A tournament of Joust (tournament.yaml)".into();
    schema["type"] = "object".into();
    schema["required"] = json!(["events"]);
    schema
}

fn defaults() -> Value {
    section([("limits", limits()), ("build", build()), ("calibration", calibration())])
}
