//! Schema of a `bot.yaml` as JSON Schema, for editors. Tests ask the reader for its keys and compare.

use serde_json::{Map, Value, json};

use crate::source_language::SourceLanguages;
use joust_config::schema::{DIALECT, described};

/// A path that stays in the bot's folder, as `bot_yaml` reads it.
const ENTRY: &str = r"^(?![/\\])(?!.*:)(?!(.*[/\\])?\.\.([/\\]|$))(?!.*[/\\]{2})(?!.*[/\\]$)";

/// Returns the schema of a `bot.yaml`.
#[must_use]
pub fn schema(languages: &SourceLanguages) -> Value {
    let keys = [
        (
            "name",
            json!({ "type": ["string", "number"], "minLength": 1 }),
            "What the tables call it.",
        ),
        ("author", name(), "Who wrote it."),
        ("owner", name(), "Whose bot it is, for events that allow one each."),
        (
            "language",
            language(languages),
            "Its language's id. Default: what the extension of `entry` says.",
        ),
        (
            "entry",
            json!({ "type": ["string", "null"], "pattern": ENTRY }),
            "The main file, relative to this one.",
        ),
        ("build", commands(), "Commands in place of the language's build; no shell sees them."),
        ("run", command(1), "The command in place of the language's; no shell sees it."),
        ("args", command(0), "Arguments before what the game passes."),
        ("enabled", json!({ "type": "boolean" }), "Whether it plays at all. Default true."),
        (
            "example",
            json!({ "type": "boolean" }),
            "Whether it only fills an empty field. Default false.",
        ),
    ];
    json!({
        "$schema": DIALECT,
        "title": "A bot of Joust (bot.yaml)",
        "type": "object",
        "properties": keys.map(property).into_iter().collect::<Map<_, _>>(),
        "additionalProperties": false,
        "required": ["name"],
        "anyOf": [{ "required": ["language"] }, { "required": ["entry"] }],
    })
}

fn property((key, value, text): (&str, Value, &str)) -> (String, Value) {
    (key.to_owned(), described(value, text))
}

/// A number is read as the text it is written as.
fn name() -> Value {
    json!({ "type": ["string", "number", "null"] })
}

/// A tournament may have added languages, so the shipped ones are only offered.
fn language(languages: &SourceLanguages) -> Value {
    let ids: Vec<&str> = languages.ids().collect();
    json!({ "anyOf": [{ "enum": ids }, name()] })
}

fn words(fewest: u32) -> Value {
    json!({ "type": "array", "items": { "type": ["string", "number"] }, "minItems": fewest })
}

fn command(fewest: u32) -> Value {
    json!({ "anyOf": [line(fewest), words(fewest), { "type": "null" }] })
}

/// A text that is split at its blanks.
fn line(fewest: u32) -> Value {
    let pattern = if fewest > 0 { r"\S" } else { "" };
    json!({ "type": ["string", "number"], "pattern": pattern })
}

fn commands() -> Value {
    let many = json!({ "type": "array", "items": { "anyOf": [line(1), words(1)] } });
    json!({ "anyOf": [line(1), many, { "type": "null" }] })
}
