//! The whole of a `tournament.yaml`, and its events: one game each with its rules, options and field
//! of bots.

use std::collections::BTreeMap;
use std::path::PathBuf;

use joust_model::{
    ClockMode, GameOptions, Limits, Publication, ScheduleKind, Seats, Seed, SiteLabels, TieBreak,
};
use joust_referee::{Catalogue, Game, RankBy};

use super::games::ExternalGame;
use super::keys::event::{Dependencies, EventKeys, Examples, Logs};
use super::keys::libraries::Provided;
use super::keys::limits::BuildLimits;
use super::keys::tournament::{Entries, TournamentKeys};
use super::node::{Node, SourceLocation};
use super::problem::{Problem, SourceText};

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

/// Default number of matches of each bot in matches of more than two, if there are so many.
pub const DEFAULT_MATCHES_PER_BOT: u32 = 100;

/// A glob that selects bots, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The glob, relative to the tournament's folder.
    pub text: String,
    /// Name of the one bot that it selects.
    pub name: Option<String>,
    /// The id of the language of what it selects.
    pub language: Option<String>,
    /// Place in the file.
    pub place: SourceLocation,
}

/// One game with its rules, options and field of bots; every value filled in.
#[derive(Clone, Debug)]
pub struct Event {
    /// Unique in the tournament, whatever the capitals. Default: the game's id.
    pub id: String,
    /// Place of the event.
    pub place: SourceLocation,
    /// The game.
    pub game: Game,
    /// One of the game's rule sets. Default: the game's first.
    pub rules: String,
    /// The game's options, complete.
    pub options: GameOptions,
    /// Globs for the bots, at least one.
    pub bots: Vec<Pattern>,
    /// Bouts of a match, at least 1. Default 5; in matches of more than two as
    /// many as there are seats, so that every bot has every seat once.
    pub bouts: u32,
    /// Flag: every other bout repeats the one before it with the seats
    /// exchanged and the same seed. Default `true`; with listed seats `false`.
    pub mirror: bool,
    /// Order of seats in the first bout of a match. Default [`Seats::Drawn`].
    pub seats: Seats,
    /// Bots in a match. Default: 2, or the fewest the game can be played with.
    pub players_per_match: u8,
    /// Pace of the clock in a game on a clock; `None` for the others.
    /// Default [`ClockMode::Eager`].
    pub clock: Option<ClockMode>,
    /// Pairings. Default: a round robin of two, a partial schedule with
    /// [`DEFAULT_MATCHES_PER_BOT`] of more.
    pub schedule: ScheduleKind,
    /// Place of `schedule:`.
    pub schedule_place: Option<SourceLocation>,
    /// Limits of a bot.
    pub limits: Limits,
    /// Limits of a build.
    pub build: BuildLimits,
    /// Runs of each language's do-nothing bot.
    pub calibration_runs: u32,
    /// Bouts whose logs are kept. Default [`Logs::All`].
    pub logs: Logs,
    /// Treatment of example bots. Default [`Examples::Keep`].
    pub examples: Examples,
    /// Flag: two bots of one owner are refused. Default `false`.
    pub one_per_owner: bool,
    /// Milliseconds since 1970; later changes are listed, not played.
    pub deadline: Option<i64>,
    /// Quantity that ranks the bots. Default: the game's, in matches of more than two
    /// [`RankBy::Points`] in place of [`RankBy::Matches`].
    pub rank_by: RankBy,
    /// Order of what separates bots that are level. Default [`TieBreak::DEFAULT`].
    pub tie_breaks: Vec<TieBreak>,
    /// Requirements for the language of a bot and the libraries that it uses.
    pub requirements: Requirements,
    /// Keys of the event as they are written.
    pub(super) keys: EventKeys,
}

/// Requirements of an event for the language of a bot and the libraries that it uses.
#[derive(Clone, Debug, Default)]
pub struct Requirements {
    /// Required version by language.
    pub versions: BTreeMap<String, String>,
    /// Permission of bots to bring dependencies.
    pub dependencies: Dependencies,
    /// Libraries that bots find, by language.
    pub provides: BTreeMap<String, Provided>,
    /// Names that a bot's own list of libraries may have, by language; one that ends with `*`
    /// stands for all with that prefix. A language that is not listed allows any.
    pub allowed_libraries: BTreeMap<String, Vec<String>>,
}

impl Event {
    /// Returns the criteria of the ranks, the first one first.
    pub fn ranking(&self) -> Vec<TieBreak> {
        TieBreak::ranking(self.rank_by.into(), &self.tie_breaks)
    }
}
