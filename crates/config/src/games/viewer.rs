//! Viewer hints of a `game.yaml`: how positions are drawn. They are no rules, and count for
//! no hash.

use serde_json::json;

use super::super::node::Entry;
use super::super::section::Item;
use super::super::table::{Key, Kind, OwnKind, Table, field, word};
use joust_referee::{BoardText, Colour, Glyph, Kind as Thing, ViewerSpec};

/// The most names of seats.
const MOST_NAMES: usize = 255;

/// The longest name of a seat, characters.
const LONGEST_NAME: usize = 24;

/// Colours of a legend.
const COLOURS: &str = "`plain`, `dim`, `danger`, `bonus`, or `seat-0`, `seat-1` and so on";

/// `viewer:`
pub(super) static VIEWER: Table<ViewerSpec> = Table {
    name: "viewer",
    keys: &[
        Key::new(
            "board",
            word!(ViewerSpec, "board", BoardText::WORDS, board),
            "What is drawn as a board where the referee draws nothing: nothing, or the lines that `state` begins with, as far as they are as long as the first.",
        )
        .text("none"),
        Key::new(
            "legend",
            LEGEND,
            "What characters of a board stand for, a `kind` and a `colour` as in the protocol's `scene`; a picture without a legend has this one.",
        )
        .example("{ '#': { kind: wall }, o: { kind: disc, colour: seat-0 } }"),
        Key::new(
            "open",
            Kind::Flag(field!(ViewerSpec, is_open)),
            "Whether the board of `state` hides nothing, so that seats are shown it, too.",
        )
        .is("false"),
        Key::new("seats", SEAT_NAMES, "What seats are called, in their order.")
            .example("[white, black]"),
        Key::new(
            "pace",
            Kind::OptionalDuration(field!(ViewerSpec, pace)),
            "How long a position stands in a replay; without, long bouts are shown faster.",
        )
        .example("500ms"),
    ],
};

/// `legend:`
const LEGEND: Kind<ViewerSpec> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(section) = item.section() else { return false };
        let glyphs = section.all().into_iter();
        to.legend = glyphs.filter_map(|(entry, item)| glyph_of(entry, &item)).collect();
        true
    },
    show: |_| None,
    schema: || {
        let colours = "^(plain|dim|danger|bonus|seat-[0-9]{1,3})$";
        let glyph = json!({
            "type": "object",
            "properties": {
                "kind": { "enum": Thing::NAMED.map(Thing::name) },
                "colour": { "type": "string", "pattern": colours },
            },
            "additionalProperties": false,
        });
        json!({
            "type": ["object", "null"],
            "propertyNames": { "minLength": 1, "maxLength": 1 },
            "additionalProperties": glyph,
        })
    },
});

/// Reads what a character stands for.
fn glyph_of(entry: &Entry, item: &Item<'_>) -> Option<(char, Glyph)> {
    let mut characters = entry.key.chars();
    let (Some(symbol), None) = (characters.next(), characters.next()) else {
        let message = format!("`{}` is no single character", entry.key);
        let problem = item.reading.source.error(entry.place, &item.path, message);
        let hint = "a legend has characters of the board, in quotes: `'#': { kind: wall }`";
        item.reading.report(problem.with_hint(hint));
        return None;
    };
    let section = item.section()?;
    let kinds = Thing::NAMED.map(|kind| (kind.name(), kind));
    let kind = section.item("kind").map_or(Some(Thing::Sign), |item| item.word("kind", &kinds));
    let colour = section.item("colour").map_or(Some(Colour::Plain), |item| colour_of(&item));
    section.finish();
    Some((symbol, Glyph { kind: kind?, colour: colour? }))
}

fn colour_of(item: &Item<'_>) -> Option<Colour> {
    let name = item.text()?;
    let colour = Colour::from_name(&name);
    if colour.is_none() {
        item.refuse(format!("unknown colour `{name}`"), Some(format!("it is {COLOURS}")));
    }
    colour
}

/// `seats:` of `viewer:`
const SEAT_NAMES: Kind<ViewerSpec> = Kind::Own(OwnKind {
    read: |item, to| {
        let Some(items) = item.list() else { return false };
        if items.len() > MOST_NAMES {
            item.refuse(format!("a game has at most {MOST_NAMES} seats"), None);
        }
        to.seats = items.iter().filter_map(seat_name).collect();
        true
    },
    show: |_| None,
    schema: || {
        let name = json!({ "type": "string", "minLength": 1, "maxLength": LONGEST_NAME });
        json!({ "type": ["array", "null"], "items": name, "maxItems": MOST_NAMES })
    },
});

fn seat_name(item: &Item<'_>) -> Option<String> {
    let name = item.text()?;
    let is_name = (1..=LONGEST_NAME).contains(&name.chars().count())
        && name.trim() == name
        && !name.contains(|c: char| c.is_control() || c == '=');
    if !is_name {
        let hint = format!("1 to {LONGEST_NAME} characters, without `=`: `[white, black]`");
        item.refuse(format!("`{}` is no name of a seat", name.escape_debug()), Some(hint));
    }
    is_name.then_some(name)
}
