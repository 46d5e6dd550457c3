//! `bots:` of an event — patterns that select its bots.

use serde_json::json;

use super::event::{Event, Pattern};
use super::node::Value;
use super::section::Item;
use super::shape::{list_of, text};
use super::table::{Key, Kind, Origins, OwnKind, Shown, Table, field};

/// Bytes of a pattern; groups within one another are read by recursion.
pub(super) const LONGEST_PATTERN: usize = 1000;

/// Patterns, each alone or as `{ path: ..., name: ..., language: ... }`.
pub(super) const BOTS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.bots = read_bots(item);
        true
    },
    show: |event| Some(Shown::List(event.bots.iter().map(show_pattern).collect())),
    schema: || list_of(json!({ "anyOf": [glob(), PATTERN.schema_of_required()] }), 1),
});

/// Reads the patterns of an event.
pub(super) fn read_bots(item: &Item<'_>) -> Vec<Pattern> {
    let Some(items) = item.list() else { return Vec::new() };
    if items.is_empty() {
        let hint = "for instance `bots: [bots/battlebots/*]`".to_owned();
        item.refuse("there is no pattern in the list", Some(hint));
    }
    items.iter().map(read_pattern).collect()
}

fn read_pattern(item: &Item<'_>) -> Pattern {
    let mut pattern =
        Pattern { text: String::new(), name: None, language: None, place: item.node.place };
    match &item.node.value {
        Value::Map(_) => PATTERN.read_item(item, &mut pattern, &mut Origins::default()),
        _ => _ = read_glob(item, &mut pattern),
    }
    pattern
}

fn show_pattern(pattern: &Pattern) -> Shown {
    if pattern.name.is_none() && pattern.language.is_none() {
        return pattern.text.as_str().into();
    }
    PATTERN.show(pattern)
}

/// A folder, a file or an archive.
pub(super) const PATH: Kind<Pattern> = Kind::Own(OwnKind {
    read: read_glob,
    show: |pattern| Some(pattern.text.as_str().into()),
    schema: glob,
});

fn glob() -> serde_json::Value {
    let mut glob = text();
    glob["type"] = "string".into();
    glob
}

fn read_glob(item: &Item<'_>, pattern: &mut Pattern) -> bool {
    let Some(text) = item.text() else { return false };
    if text.trim().is_empty() {
        let hint = "for instance `bots/battlebots/*`".to_owned();
        item.refuse("an empty pattern selects no bot", Some(hint));
        return false;
    }
    if text.len() > LONGEST_PATTERN {
        let hint = "for instance `bots/battlebots/*`".to_owned();
        item.refuse(format!("a pattern has at most {LONGEST_PATTERN} bytes"), Some(hint));
        return false;
    }
    if let Err(error) = globset::Glob::new(&text) {
        let hint = "a pattern has `*`, `?`, `[ab]` and `{a,b}`; `[*]` stands for a star itself";
        let message = format!("`{text}` is not a pattern: {}", error.kind());
        item.refuse(message, Some(hint.to_owned()));
        return false;
    }
    pattern.place = item.node.place;
    pattern.text = text;
    true
}

/// An entry of `bots:` that says more than a pattern.
static PATTERN: Table<Pattern> = Table {
    name: "bots",
    keys: &[
        Key::new("path", PATH, "A folder, a single source file or an archive.")
            .required("for instance `{ path: bots/old, language: python2 }`"),
        Key::new("name", Kind::Text(field!(Pattern, name)), "What the bot is called here."),
        Key::new("language", Kind::Text(field!(Pattern, language)), "The id of its language."),
    ],
};
