//! Keys of a `tournament.yaml`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::entries::Entries;
use super::super::rejection::Rejection;
use super::super::values::{Name, VISIBLE, WholeNumber};
use super::event::{DefaultsKeys, EventKeys};
use super::later;
use super::site::{ReportKeys, SiteKeys};

/// Word for a seed that a run draws.
const DRAWN: &str = "drawn";

/// Keys of the file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["events"]))]
pub(crate) struct TournamentKeys {
    /// Name of the tournament: a part of every bout's identity.
    pub(crate) name: Name,
    /// Seed from which every bout's seed derives: a number, or `drawn`, which `joust run` draws when
    /// it first plays, so that nobody knows it before.
    pub(crate) seed: SeedSetting,
    /// Database of SQLite, relative to this file.
    pub(crate) database: Name,
    /// Copies of each bot's source in the database, up to 8 MiB packed, so that a disputed bout can be
    /// played again anywhere.
    pub(crate) keep_sources: bool,
    /// Parts of results that `joust report` makes public.
    pub(crate) report: ReportKeys,
    /// Texts of the pages of `joust report`.
    pub(crate) site: SiteKeys,
    /// Games of your own by their ids, `{ my-game: { referee: FOLDER } }`: the folder has the game's
    /// `game.yaml`.
    pub(crate) games: BTreeMap<String, GameEntry>,
    /// Sections that hold for every event that does not say otherwise.
    pub(crate) defaults: Option<DefaultsKeys>,
    /// Games of this tournament, each with its rules and bots.
    #[serde(deserialize_with = "later")]
    #[schemars(length(min = 1), example = serde_json::json!([{ "game": "battlebots", "bots": ["bots/*"] }]))]
    pub(crate) events: Vec<EventKeys>,
    /// Permissions to change bots: what `joust ci` holds a change to.
    pub(crate) entries: Entries,
    /// Languages to add or to change.
    #[schemars(example = serde_json::json!({ "lua": { "title": "Lua" } }))]
    pub(crate) languages: BTreeMap<String, serde_json::Value>,
}

impl Default for TournamentKeys {
    fn default() -> Self {
        Self {
            name: Name("Tournament".to_owned()),
            seed: SeedSetting::Number(0),
            database: Name("results.db".to_owned()),
            keep_sources: true,
            report: ReportKeys::default(),
            site: SiteKeys::default(),
            games: BTreeMap::new(),
            defaults: None,
            events: Vec::new(),
            entries: Entries::default(),
            languages: BTreeMap::new(),
        }
    }
}

/// Keys of an entry of `games:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GameEntry {
    /// Folder with the game's `game.yaml`.
    #[schemars(example = &"referee", extend("pattern" = VISIBLE))]
    pub(crate) referee: String,
}

/// Seed, or the word for one that is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SeedSetting {
    Number(u64),
    Drawn,
}

/// Range of written seeds.
const SEEDS: WholeNumber = WholeNumber { least: 0, most: u64::MAX };

struct SeedVisitor;

impl Visitor<'_> for SeedVisitor {
    type Value = SeedSetting;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        SEEDS.expecting(f)
    }

    fn visit_u64<E: de::Error>(self, seed: u64) -> Result<SeedSetting, E> {
        Ok(SeedSetting::Number(seed))
    }

    fn visit_i64<E: de::Error>(self, seed: i64) -> Result<SeedSetting, E> {
        SEEDS.visit_i64(seed).map(SeedSetting::Number)
    }

    fn visit_i128<E: de::Error>(self, seed: i128) -> Result<SeedSetting, E> {
        SEEDS.visit_i128(seed).map(SeedSetting::Number)
    }

    fn visit_f64<E: de::Error>(self, seed: f64) -> Result<SeedSetting, E> {
        SEEDS.visit_f64(seed).map(SeedSetting::Number)
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<SeedSetting, E> {
        if word == DRAWN {
            return Ok(SeedSetting::Drawn);
        }
        if word.contains(|c: char| c.is_ascii_digit()) {
            return SEEDS.visit_str(word).map(SeedSetting::Number);
        }
        let hint = format!("write a number, such as `2026`, or `{DRAWN}`");
        Err(E::custom(Rejection::new(format!("unknown seed `{word}`"), hint)))
    }
}

impl<'de> Deserialize<'de> for SeedSetting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeedVisitor)
    }
}

impl Serialize for SeedSetting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(seed) => serializer.serialize_u64(*seed),
            Self::Drawn => serializer.serialize_str(DRAWN),
        }
    }
}

impl JsonSchema for SeedSetting {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let number = serde_json::json!({ "type": "integer", "minimum": 0, "maximum": u64::MAX });
        json_schema!({ "anyOf": [number, { "const": DRAWN }] })
    }
}
