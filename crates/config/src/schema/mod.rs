//! Shape of a `tournament.yaml` and of a `game.yaml` as JSON Schema, for editors.
//!
//! It follows from the structs that declare the keys and from the declarations of each game.
//! Rules over several values (`kill` before `turn`, two events of one id) are checked by the
//! reader alone.

mod event;

use joust_referee::Catalogue;
use serde_json::{Value, json};

pub use super::derived_schema::{described, schema_of};
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
    event::add_games(&mut schema["properties"]["events"]["items"], games);
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
