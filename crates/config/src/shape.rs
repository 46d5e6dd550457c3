//! The shapes of single values. A key with nothing behind it counts as left out,
//! so every one of them may be `null`.

use serde_json::{Map, Value, json};

use super::duration;
use super::size;

/// The dialect editors know best.
pub const DIALECT: &str = "http://json-schema.org/draft-07/schema#";

/// A number above zero, as a quantity has it.
const ABOVE_ZERO: &str = r"(?=[0-9.]*[1-9])([0-9]+\.?[0-9]*|\.[0-9]+)";

/// A mapping of these keys and no others.
pub(super) fn section_of(properties: Map<String, Value>) -> Value {
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

/// Adds what an editor shows beside the key.
pub fn described(mut schema: Value, text: &str) -> Value {
    schema["description"] = text.into();
    schema
}

/// A text with something to see in it.
pub(super) fn text() -> Value {
    json!({ "type": ["string", "null"], "pattern": r"\S" })
}

/// Returns the schema of a list with at least `fewest` items.
pub(super) fn list_of(items: Value, fewest: u32) -> Value {
    json!({ "type": "array", "items": items, "minItems": fewest })
}

pub(super) fn flag() -> Value {
    json!({ "type": ["boolean", "null"] })
}

/// A whole number within a range.
pub(super) fn integer(least: u64, most: u64) -> Value {
    json!({ "type": ["integer", "null"], "minimum": least, "maximum": most })
}

/// One of a few words.
pub(super) fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Value {
    let mut words: Vec<Value> = words.into_iter().map(Value::from).collect();
    words.push(Value::Null);
    json!({ "enum": words })
}

/// A span of time above zero, such as `500ms`.
pub(super) fn duration() -> Value {
    let units: Vec<&str> = duration::UNITS.iter().map(|(unit, _)| *unit).collect();
    let pattern = format!(r"^\s*{ABOVE_ZERO}\s*({})\s*$", units.join("|"));
    json!({ "type": ["string", "null"], "pattern": pattern })
}

/// A number of bytes above zero, such as `64KiB`.
pub(super) fn size() -> Value {
    let units: Vec<String> = size::UNITS.iter().map(|(unit, _)| any_case(unit)).collect();
    let pattern = format!(r"^\s*{ABOVE_ZERO}\s*({})\s*$", units.join("|"));
    json!({ "type": ["string", "null"], "pattern": pattern })
}

fn any_case(unit: &str) -> String {
    let both = |c: char| format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase());
    unit.chars().map(both).collect()
}
