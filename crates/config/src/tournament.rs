//! The whole of a `tournament.yaml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::entries::Entries;
use super::event::Event;
use super::games::ExternalGame;
use super::keys::tournament::TournamentKeys;
use super::node::Node;
use super::problem::{Problem, SourceText};
use joust_model::{Publication, Seed, SiteLabels};
use joust_referee::Catalogue;

/// Origin of a tournament's seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedSource {
    /// Its file.
    Written,
    /// A run, which draws it when it first plays.
    ToDraw,
    /// A run has drawn it.
    Drawn,
}

/// One `tournament.yaml`, complete: every value it leaves out has its default.
#[derive(Clone, Debug)]
pub struct Tournament {
    /// Name of the tournament; part of every bout's identity. Default
    /// `Tournament`.
    pub name: String,
    /// Seed from which every bout's seed derives. Default 0; without a meaning while the source is
    /// [`SeedSource::ToDraw`].
    pub seed: Seed,
    /// Origin of the seed.
    pub seed_source: SeedSource,
    /// The database, resolved against [`Self::folder`]. Default `results.db`.
    pub database: PathBuf,
    /// The file this was read from.
    pub file: PathBuf,
    /// The folder of that file; patterns of bots are relative to it.
    pub folder: PathBuf,
    /// Flag: the database keeps each bot's source. Default true.
    pub keep_sources: bool,
    /// All known games: those that ship with Joust, and the tournament's own.
    pub games: Catalogue,
    /// The tournament's own games, which are among `games`.
    pub external: Vec<ExternalGame>,
    /// The events, at least one.
    pub events: Vec<Event>,
    /// Parts of results that `joust report` makes public.
    pub report: Publication,
    /// Texts of its pages.
    pub site: SiteLabels,
    /// Rights to change bots.
    pub entries: Entries,
    /// Languages that are added or changed, by id; see [`Self::error_at`].
    pub languages: BTreeMap<String, serde_json::Value>,
    /// Warnings: values that are accepted but probably not meant.
    pub warnings: Vec<Problem>,
    /// Keys of the file as they are written, but for those of its events.
    pub(super) keys: TournamentKeys,
    pub(super) source: SourceText,
    pub(super) root: Node,
}

impl Tournament {
    /// Returns the event called `id`.
    pub fn event(&self, id: &str) -> Option<&Event> {
        self.events.iter().find(|event| event.id == id)
    }

    /// Makes an error at the value under `keys`, or as near to it as the file
    /// goes: `["languages", "python3", "variants", "0", "run"]`.
    pub fn error_at(&self, keys: &[&str], message: impl Into<String>) -> Problem {
        let mut node = &self.root;
        for key in keys {
            let Some(inner) = node.get(key).or_else(|| node.item(key)) else { break };
            node = inner;
        }
        self.source.error(node.place, &keys.join("."), message)
    }

    /// Makes an error at what an event provides for a language.
    pub fn error_at_provided(&self, event: usize, language: &str, message: String) -> Problem {
        let place = self.events[event].requirements.provides[language].place;
        self.source.error(place, &format!("events[{event}].provides"), message)
    }
}
