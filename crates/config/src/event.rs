//! One game of a tournament with its rules, options and field of bots.

use std::collections::BTreeMap;

use joust_referee::{Game, RankBy};

use super::SourceLocation;
use super::keys::event::{Dependencies, EventKeys, Examples, Logs};
use super::keys::libraries::Provided;
use super::keys::limits::BuildLimits;
use joust_model::{ClockMode, GameOptions, Limits, ScheduleKind, Seats, TieBreak};

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
