//! Keys of a `tournament.yaml`, and of its `entries:`, the rights to change bots, which every pull
//! request is held to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::event::{DefaultsKeys, EventKeys};
use super::leave_for_later;
use super::site::{ReportKeys, SiteKeys};
use crate::rejection::Rejection;
use crate::values::{Name, VISIBLE, WholeNumber};

/// Keys of the file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["events"]))]
pub(crate) struct TournamentKeys {
    /// Name of the tournament: a part of every bout's identity.
    pub(crate) name: Name,
    /// Seed from which every bout's seed derives: a number, or `drawn`, which `joust run` draws
    /// when it first plays, so that nobody knows it before.
    pub(crate) seed: SeedSetting,
    /// Database of SQLite, relative to this file.
    pub(crate) database: Name,
    /// Copies of each bot's source in the database, up to 8 MiB packed, so that a disputed bout can
    /// be played again anywhere.
    pub(crate) keep_sources: bool,
    /// Parts of results that `joust report` makes public.
    pub(crate) report: ReportKeys,
    /// Texts of the pages of `joust report`.
    pub(crate) site: SiteKeys,
    /// Games of your own by their ids, `{ my-game: { referee: FOLDER } }`: the folder has the
    /// game's `game.yaml`.
    pub(crate) games: BTreeMap<String, GameEntry>,
    /// Defaults of all events.
    pub(crate) defaults: Option<DefaultsKeys>,
    /// Games of this tournament, each with its rules and bots.
    #[serde(deserialize_with = "leave_for_later")]
    #[schemars(length(min = 1), example = serde_json::json!([{ "game": "battlebots", "bots": ["bots/*"] }]))]
    pub(crate) events: Vec<EventKeys>,
    /// Rules for changes to bots, which `joust ci` applies.
    pub(crate) entries: Entries,
    /// Languages to add or to change.
    #[schemars(example = serde_json::json!({ "lua": { "title": "Lua" } }))]
    pub(crate) languages: BTreeMap<String, serde_json::Value>,
}

impl Default for TournamentKeys {
    fn default() -> Self {
        Self {
            name: Name("Tournament".to_owned()),
            seed: SeedSetting::Number(SeedNumber(0)),
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
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum SeedSetting {
    Number(#[schemars(with = "u64")] SeedNumber),
    Text(DrawnSeed),
}

serialize_as_value!(SeedSetting: Number, Text);

/// Seed that is written.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct SeedNumber(pub(crate) u64);

impl<'de> Deserialize<'de> for SeedNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeNumber { least: 0, most: u64::MAX }).map(Self)
    }
}

/// Word for a seed that a run draws.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", rename_all = "kebab-case")]
#[schemars(!try_from)]
pub(crate) enum DrawnSeed {
    Drawn,
}

impl TryFrom<String> for DrawnSeed {
    type Error = Rejection;

    fn try_from(word: String) -> Result<Self, Rejection> {
        let hint = "write a number, such as `2026`, or `drawn`";
        Rejection::unless(word == "drawn", format!("unknown seed `{word}`"), hint)?;
        Ok(Self::Drawn)
    }
}

/// Treatment of a change to a bot without an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Unowned {
    /// Anybody may change it.
    #[default]
    Anyone,
    /// Only maintainers may.
    Maintainers,
}

/// Treatment of a change to files that belong to no bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum OtherFiles {
    /// It is reported.
    Report,
    /// Only maintainers may make it.
    #[default]
    Refuse,
}

/// Rights to change bots: keys of `entries:`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Entries {
    /// Login by bot, for bots whose manifest names no owner. It is stronger than one that does.
    pub owners: BTreeMap<String, Login>,
    /// Logins that may change everything.
    pub maintainers: Vec<Login>,
    /// Right to change a bot that nobody owns.
    pub unowned: Unowned,
    /// Treatment of a change to files that belong to no bot.
    pub other_files: OtherFiles,
}

/// Name of an account as its forge has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub struct Login(pub String);

impl TryFrom<String> for Login {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "write the account's name as its forge has it, without `@`";
        Rejection::unless(!text.trim().is_empty(), "an empty text is no login", hint)?;
        Ok(Self(text))
    }
}
