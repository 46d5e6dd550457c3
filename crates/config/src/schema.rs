//! Shape of a `tournament.yaml` and of a `game.yaml` as JSON Schema, for editors.
//!
//! It follows from the structs that declare the keys and from the declarations of each game.
//! Rules over several values (`kill` before `turn`, two events of one id) are checked by the
//! reader alone.

use joust_referee::{Catalogue, GameSpec, OptionKind, OptionSpec, OriginalName, SeatRange};
use serde_json::{Map, Value, json};

pub use super::derived_schema::{described, schema_of};
use super::events::has_bots_that_stay;
use super::keys::game::GameKeys;
use super::keys::tournament::TournamentKeys;

/// Returns the schema of a `game.yaml`.
pub fn of_game() -> Value {
    let mut schema = schema_of::<GameKeys>();
    schema["title"] = "A game of one's own for Joust (game.yaml)".into();
    schema
}

/// Returns the schema of a `tournament.yaml`. `languages` is the schema of its section of that
/// name, which another crate reads; `games` are the known games.
pub fn schema(mut languages: Value, games: &Catalogue) -> Value {
    let mut schema = schema_of::<TournamentKeys>();
    let place = &mut schema["properties"]["languages"];
    languages["description"] = place["description"].take();
    *place = languages;
    add_games(&mut schema["properties"]["events"]["items"], games);
    // Without games of its own a tournament has those that ship with Joust.
    schema["allOf"] = json!([{
        "if": { "properties": { "games": { "type": "null" } } },
        "then": { "properties": { "events": { "items": { "properties": {
            "game": { "enum": games.ids() },
        } } } } },
    }]);
    schema["title"] = "A tournament of Joust (tournament.yaml)".into();
    schema
}

/// Adds the keys of the known games to the schema of an event.
fn add_games(event: &mut Value, games: &Catalogue) {
    event["allOf"] = games.iter().map(|game| schema_of_game(game.spec())).collect();
}

/// Returns the schema of events of one game.
fn schema_of_game(game: &GameSpec) -> Value {
    let SeatRange { fewest, most } = game.seats;
    let mut then = json!({
        "rules": words(game.rule_sets.iter().map(String::as_str)),
        "options": options(game),
        "players_per_match": {
            "type": ["integer", "null"], "minimum": fewest.max(2), "maximum": most,
        },
    });
    if game.clock.is_none() {
        then["clock"] = json!({ "type": "null" });
        then["limits"] = json!({ "properties": { "cpu_bout": { "type": "null" } } });
    }
    if !game.has_bots_that_wait() {
        then["pondering"] = words(["allow"]);
    }
    if !has_bots_that_stay(game) {
        then["programs"] = words(["bout"]);
    }
    json!({
        "if": { "properties": { "game": { "const": game.id } }, "required": ["game"] },
        "then": { "properties": then },
    })
}

fn options(game: &GameSpec) -> Value {
    let known = &game.options;
    if known.is_empty() {
        return section_of(Map::new());
    }
    let option = |spec: &OptionSpec| (spec.name.clone(), described(option(spec), &spec.help));
    let original = |name: &OriginalName| {
        let text = format!("what the original calls `{}`, in its unit", name.option);
        (name.name.clone(), described(json!({ "type": ["number", "string", "null"] }), &text))
    };
    let originals = game.original_names.iter().map(original);
    section_of(known.iter().map(option).chain(originals).collect())
}

fn option(spec: &OptionSpec) -> Value {
    match &spec.kind {
        OptionKind::Bool(default) => json!({ "type": ["boolean", "null"], "default": default }),
        OptionKind::Int { min, max, default } => {
            json!({ "type": ["integer", "null"], "minimum": min, "maximum": max, "default": default })
        }
        OptionKind::OptionalInt { min, max } => {
            json!({ "type": ["integer", "null"], "minimum": min, "maximum": max })
        }
        OptionKind::OneOf(known) => one_of(known),
        OptionKind::HostName(default) => json!({
            "type": ["string", "null"],
            "pattern": "^[A-Za-z0-9][A-Za-z0-9.-]*$",
            "maxLength": 253,
            "default": default,
        }),
    }
}

/// A whole number spelled like one of the words is that word.
fn one_of(known: &[String]) -> Value {
    let numbers = known.iter().filter_map(|word| word.parse::<i64>().ok()).map(Value::from);
    let all =
        known.iter().map(|word| Value::from(word.as_str())).chain(numbers).chain([Value::Null]);
    json!({ "enum": all.collect::<Vec<_>>(), "default": known.first() })
}

/// Returns the schema of a mapping of these keys and no others.
fn section_of(properties: Map<String, Value>) -> Value {
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

/// Returns the schema of one of a few words.
fn words<'a>(words: impl IntoIterator<Item = &'a str>) -> Value {
    let words = words.into_iter().map(Value::from).chain([Value::Null]);
    json!({ "enum": words.collect::<Vec<_>>() })
}
