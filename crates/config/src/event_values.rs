//! Values of an event that are like no other: its id, a point in
//! time, the order of tie-breaks, versions.

use serde_json::json;

use super::event::{DEFAULT_BOUTS, Event, TIE_BREAKS};
use super::node::Entry;
use super::section::Item;
use super::table::{Kind, OwnKind, word_of};
use joust_model::{Seats, TieBreak};

/// Ids that can be names of files and folders.
const ID_PATTERN: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$";

/// A date, a time and its zone.
const TIME_PATTERN: &str =
    r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt ][0-9]{2}.*([Zz]|[+-][0-9]{2}(:?[0-9]{2})*)(\[.*\])?$";

/// An event's id.
pub(super) const ID: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| read_id(item).map(|id| event.id = id).is_some(),
    show: |event| Some(event.id.as_str().into()),
    schema: || json!({ "type": ["string", "null"], "pattern": ID_PATTERN }),
});

/// An id becomes part of folder and file names.
fn read_id(item: &Item<'_>) -> Option<String> {
    let text = item.text()?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let is_fitting = (1..=64).contains(&text.len())
        && text.chars().all(is_plain)
        && text.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !is_fitting {
        let hint = "up to 64 letters, digits, `.`, `_` and `-`, a letter or digit first";
        item.refuse(format!("`{text}` cannot be an event's id"), Some(hint.to_owned()));
        return None;
    }
    Some(text)
}

/// Every bot of a match of more than two has every seat once.
pub(super) fn play_every_seat(event: &mut Event) {
    let players = event.players_per_match;
    event.bouts = if players > 2 { players.into() } else { DEFAULT_BOUTS };
}

/// Seats in the order of a list are not exchanged.
pub(super) fn mirror_drawn_seats(event: &mut Event) {
    event.mirror = event.seats == Seats::Drawn;
}

/// Time at which bots may last be changed.
pub(super) const DEADLINE: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.deadline = read_deadline(item);
        event.deadline.is_some()
    },
    show: |event| {
        let time = event.deadline.map(jiff::Timestamp::from_millisecond);
        Some(json!(time.and_then(Result::ok).map(|time| time.to_string())).into())
    },
    schema: || json!({ "type": ["string", "null"], "pattern": TIME_PATTERN }),
});

fn read_deadline(item: &Item<'_>) -> Option<i64> {
    let text = item.text()?;
    match text.parse::<jiff::Timestamp>() {
        Ok(time) => Some(time.as_millisecond()),
        Err(_) => {
            let hint = "write a date, a time and its zone: `2026-12-01T18:00:00Z` or `...+01:00`";
            item.refuse(format!("`{text}` is not a point in time"), Some(hint.to_owned()));
            None
        }
    }
}

/// Tie-breaks in their order.
pub(super) const TIE_BREAK_ORDER: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        event.tie_breaks = read_tie_breaks(item);
        true
    },
    show: |event| {
        let order = event.tie_breaks.iter().map(|one| word_of(one, &TIE_BREAKS));
        Some(order.collect::<Vec<_>>().into())
    },
    schema: || {
        let known: Vec<&str> = TIE_BREAKS.iter().map(|(word, _)| *word).collect();
        json!({ "type": ["array", "null"], "items": { "enum": known }, "uniqueItems": true })
    },
});

fn read_tie_breaks(item: &Item<'_>) -> Vec<TieBreak> {
    let mut order = Vec::new();
    for item in item.list().unwrap_or_default() {
        let Some(word) = item.word("tie-break", &TIE_BREAKS) else { continue };
        if order.contains(&word) {
            let hint = Some("delete one of the two".to_owned());
            item.refuse("this tie-break is in the list already", hint);
        }
        order.push(word);
    }
    order
}

/// Matches of two and of more are told apart by other things.
pub(super) fn take_usual_tie_breaks(event: &mut Event) {
    let is_crowd = event.players_per_match > 2;
    let usual = if is_crowd { TieBreak::DEFAULT_OF_MORE } else { TieBreak::DEFAULT };
    event.tie_breaks = usual.to_vec();
}

/// Versions by language.
pub(super) const VERSIONS: Kind<Event> = Kind::Own(OwnKind {
    read: |item, event| {
        let Some(section) = item.section() else { return false };
        let version = |(entry, item): (&Entry, Item<'_>)| Some((entry.key.clone(), item.text()?));
        event.language_versions = section.all().into_iter().filter_map(version).collect();
        true
    },
    show: |event| Some(json!(event.language_versions).into()),
    schema: || json!({ "type": ["object", "null"], "additionalProperties": { "type": "string" } }),
});
