//! Schemas: the shapes of a `bot.yaml` and of a tournament's `languages:` as JSON Schema,
//! for editors. Tests ask the readers for their keys and compare.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::language::{Language, Languages};
use joust_bots::manifest;
use joust_config::schema;
use joust_referee::Catalogue;

/// Returns the schema of a `tournament.yaml` that knows these games.
pub fn tournament(games: &Catalogue) -> Value {
    schema::schema(languages(), games)
}

/// Returns the schema of a `game.yaml`.
pub fn game() -> Value {
    schema::of_game()
}

/// Returns the schema of a `bot.yaml` that knows the shipped languages.
pub fn bot() -> Value {
    manifest::schema(Languages::shipped().sources())
}

/// Returns the schema of `languages:`. A shipped language's fields can be changed one by one; a new
/// one needs those that have no default.
fn languages() -> Value {
    let settings = SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let new = settings.into_generator().into_root_schema_for::<Language>().to_value();
    let mut changes = new.clone();
    changes["required"] = json!([]);
    let known = Languages::shipped();
    let known = known.iter().map(|(id, language)| {
        changes["description"] = format!("Changes of {}.", language.title).into();
        (id.to_owned(), changes.clone())
    });
    json!({
        "type": ["object", "null"],
        "properties": known.collect::<Map<_, _>>(),
        "additionalProperties": new,
    })
}

#[cfg(test)]
mod tests;
