//! The shape of a `tournament.yaml` as JSON Schema, for editors.
//!
//! It follows from the table of keys and from what each game says about itself. What takes
//! more than one value to see (`kill` before `turn`, two events of one id) is the
//! reader's alone.

mod event;
pub(super) mod values;

use serde_json::Value;

use super::keys::TOURNAMENT;
pub(super) use event::entry as event_entry;
pub use values::{DIALECT, described};

/// Returns the schema; `languages` is that of the section of the same name, which
/// is read by others.
#[must_use]
pub fn schema(mut languages: Value) -> Value {
    let mut schema = TOURNAMENT.schema_of_required();
    let place = &mut schema["properties"]["languages"];
    languages["description"] = place["description"].take();
    *place = languages;
    schema["$schema"] = DIALECT.into();
    schema["title"] = "A tournament of Joust (tournament.yaml)".into();
    schema
}
