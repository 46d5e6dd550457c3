//! Keys of an entry of `events:`, and of its `bots:`, the patterns that select its bots.

use std::collections::BTreeMap;

use joust_model::{
    ClockMode, GameOptions, Limits, Pondering, ProgramLifetime, Seats, StartMode, TieBreak,
};
use joust_referee::RankBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::leave_for_later;
use super::libraries::Provides;
use super::limits::{BuildLimits, CalibrationKeys, LimitsKeys};
use super::schedule::Schedule;
use crate::rejection::Rejection;
use crate::values::{Count, Paragraphs, VISIBLE};

/// Pattern of a date, a time and its zone.
const TIME_PATTERN: &str =
    r"^[0-9]{4}-?[0-9]{2}-?[0-9]{2}[Tt ][0-9]{2}.*([Zz]|[+-][0-9]{2}(:?[0-9]{2})*)(\[.*\])?$";

/// Keys of an event.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["game", "bots"]))]
pub(crate) struct EventKeys {
    /// Identity of the event, unique in this file. Default: the game's id.
    #[schemars(example = &"battlebots")]
    pub(crate) id: Option<EventId>,
    /// Game that is played.
    pub(crate) game: String,
    /// Rule set of the game. Default: its first.
    #[schemars(example = &"documented")]
    pub(crate) rules: Option<String>,
    /// Options of the game.
    #[serde(deserialize_with = "leave_for_later")]
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    pub(crate) options: GameOptions,
    /// Games on a clock: pace of the clock. Default `eager`.
    #[schemars(example = &"eager")]
    pub(crate) clock: Option<ClockMode>,
    /// For bots that live as long as their bout: `allow` lets them think while others are asked,
    /// `stop` freezes them then. Default `allow` if every bot has a core, else `stop`.
    #[schemars(example = &"allow")]
    pub(crate) pondering: Option<Pondering>,
    /// For bots that live as long as their bout: a program is started for each `bout` (the
    /// default), or once for all bouts of a `match`, which is then played whole.
    #[schemars(example = &"bout")]
    pub(crate) programs: Option<ProgramLifetime>,
    /// Start of a turn's process in Python and Ruby: `cold` starts the interpreter each time,
    /// `exact` and `quick` copy one that has started.
    pub(crate) start: StartMode,
    /// Folders, single source files, archives; globs, relative to this file.
    #[schemars(length(min = 1), example = ["bots/*"])]
    pub(crate) bots: Vec<BotEntry>,
    /// Bouts per match. Default 5; in matches of more than two, the number of seats.
    #[schemars(example = 5)]
    pub(crate) bouts: Option<Count<1, 1_000_000>>,
    /// Mirror pairs: every second bout repeats the one before it with the seats exchanged. Default
    /// true; false with `seats: listed`.
    #[schemars(example = true)]
    pub(crate) mirror: Option<bool>,
    /// Order of seats in the first bout: `drawn` (by lot from the seed) or `listed` (that of
    /// `bots`).
    pub(crate) seats: Seats,
    /// Bots in a match. Default 2.
    #[schemars(example = 2)]
    pub(crate) players_per_match: Option<Count<1, 255>>,
    /// Pairings: `round-robin` (all bots meet), `partial` (each bot has `matches_per_bot` matches),
    /// `gauntlet` (the named `bots` meet all others), `swiss` (bots of similar strength meet in
    /// each of the `rounds`) or `divisions` (all bots of a pool of `size` meet in each of the
    /// `rounds`). `joust docs schedules` explains them. Default `round-robin`; in matches of more
    /// than two, `partial` with 100 matches per bot.
    #[schemars(example = serde_json::json!({ "kind": "partial", "matches_per_bot": 30 }))]
    pub(crate) schedule: Option<Schedule>,
    /// Limits of one bot.
    pub(crate) limits: LimitsKeys,
    /// Limits of the build of one bot.
    pub(crate) build: BuildLimits,
    /// Measurement of languages.
    pub(crate) calibration: CalibrationKeys,
    /// Bouts whose turns are kept, for replays and `joust verify`: `all`, `faults` (those in which
    /// a bot was at fault) or `none`. A bout without its turns takes half the space; `joust rerun`
    /// plays it again.
    pub(crate) logs: Logs,
    /// Treatment of bots with `example: true`: with `retire` they play only until two others have
    /// entered.
    pub(crate) examples: Examples,
    /// Refusal of two bots with the same owner.
    pub(crate) one_per_owner: bool,
    /// Time of the last change: bots changed later are listed, not played.
    #[schemars(example = &"2026-12-01T18:00:00Z")]
    pub(crate) deadline: Option<Deadline>,
    /// Quantity that ranks the bots: `matches` won, `points`, or the game's own `score`. Default:
    /// the game's; in matches of more than two, `points` instead of `matches`.
    #[schemars(example = &"points")]
    pub(crate) rank_by: Option<RankKey>,
    /// Tie-breaks for bots that are level in that, in order. Also possible: `match-wins`, `points`,
    /// `koya` and `score`.
    #[schemars(example = TieBreak::DEFAULT, extend("uniqueItems" = true))]
    pub(crate) tie_breaks: Option<Vec<TieBreak>>,
    /// Versions a bot must be built with, by language.
    #[schemars(example = serde_json::json!({ "python": "3.11" }))]
    pub(crate) languages: BTreeMap<String, String>,
    /// Dependencies of bots: with `forbidden`, a bot that brings any is not built.
    pub(crate) dependencies: Dependencies,
    /// Libraries that bots find, of Python or by language: `[numpy, scipy==1.16.0]`, or a file
    /// `libraries.txt` that lists them with their hashes.
    #[schemars(example = ["numpy", "scipy==1.16.0"])]
    pub(crate) provides: Provides,
    /// Libraries that bots may list, by language; `*` at the end matches anything. A language that
    /// is not named here allows every library.
    #[schemars(example = serde_json::json!({ "javascript": ["@types/*"], "python": ["numpy"] }))]
    pub(crate) allow_libraries: BTreeMap<String, Vec<String>>,
}

/// Keys of `defaults:`, which every event has, too.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DefaultsKeys {
    /// Pairings, as in an event.
    #[schemars(example = serde_json::json!({ "kind": "partial", "matches_per_bot": 30 }))]
    schedule: Option<Schedule>,
    /// Limits of one bot.
    limits: LimitsKeys,
    /// Limits of the build of one bot.
    build: BuildLimits,
    /// Measurement of languages.
    calibration: CalibrationKeys,
}

impl EventKeys {
    /// Returns the limits of a bot, with those of the keys beside `limits:`.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            pondering: self.pondering.unwrap_or_default(),
            programs: self.programs.unwrap_or_default(),
            starts: self.start,
            ..self.limits.clone().into()
        }
    }
}

/// Quantity that ranks the bots.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct RankKey(#[serde(with = "RankWords")] pub(crate) RankBy);

/// Words of such a quantity.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(remote = "RankBy", rename = "choice", rename_all = "kebab-case")]
enum RankWords {
    /// Matches won.
    Matches,
    /// In each bout 1 for each opponent ranked behind and ½ for each ranked level.
    Points,
    /// The game's own score, summed.
    Score,
}

/// Treatment of example bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Examples {
    /// They play like everybody.
    #[default]
    Keep,
    /// They play only until two others have entered.
    Retire,
}

/// Bouts whose turns the database keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Logs {
    /// Every bout.
    #[default]
    All,
    /// Bouts in which a bot was at fault, or that the referee could not finish.
    Faults,
    /// No bout.
    None,
}

/// Permission of bots to bring dependencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Dependencies {
    /// They may.
    #[default]
    Allowed,
    /// A bot with dependencies is not built.
    Forbidden,
}

/// Id of an event, which becomes part of folder and file names.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))]
pub(crate) struct EventId(pub(crate) String);

impl TryFrom<String> for EventId {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_fitting = (1..=64).contains(&text.len())
            && text.chars().all(is_plain)
            && text.starts_with(|c: char| c.is_ascii_alphanumeric());
        let hint = "up to 64 letters, digits, `.`, `_` and `-`, a letter or digit first";
        Rejection::unless(is_fitting, format!("`{text}` cannot be an event's id"), hint)?;
        Ok(Self(text))
    }
}

/// Point in time, as milliseconds since 1970.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(extend("pattern" = TIME_PATTERN))]
pub(crate) struct Deadline(pub(crate) i64);

impl TryFrom<String> for Deadline {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "write a date, a time and its zone: `2026-12-01T18:00:00Z` or `...+01:00`";
        let refuse = |_| Rejection::new(format!("`{text}` is not a point in time"), hint);
        let time = text.parse::<jiff::Timestamp>().map_err(refuse)?;
        Ok(Self(time.as_millisecond()))
    }
}

impl From<Deadline> for String {
    fn from(Deadline(time): Deadline) -> Self {
        jiff::Timestamp::from_millisecond(time).map(|time| time.to_string()).unwrap_or_default()
    }
}

/// Bytes of a pattern; groups within one another are read by recursion.
const LONGEST_PATTERN: usize = 1000;

/// Glob of folders, files and archives.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub(crate) struct Glob(pub(crate) String);

impl TryFrom<String> for Glob {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let example = "for instance `bots/*`";
        Rejection::unless(!text.trim().is_empty(), "an empty pattern selects no bot", example)?;
        let message = format!("a pattern has at most {LONGEST_PATTERN} bytes");
        Rejection::unless(text.len() <= LONGEST_PATTERN, message, example)?;
        if let Err(error) = globset::Glob::new(&text) {
            let hint = "a pattern has `*`, `?`, `[ab]` and `{a,b}`; `[*]` stands for a star itself";
            let message = format!("`{text}` is not a pattern: {}", error.kind());
            return Err(Rejection::new(message, hint));
        }
        Ok(Self(text))
    }
}

/// Entry of `bots:`, a pattern alone or with more.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(untagged)]
pub(crate) enum BotEntry {
    Text(Glob),
    Mapping(BotKeys),
}

/// Keys of an entry of `bots:`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BotKeys {
    /// Folder, single source file or archive.
    #[schemars(example = &"bots/old")]
    pub(crate) path: Glob,
    /// Name of the bot in this event.
    pub(crate) name: Option<Paragraphs>,
    /// Id of its language.
    pub(crate) language: Option<Paragraphs>,
}

impl From<BotEntry> for BotKeys {
    fn from(entry: BotEntry) -> Self {
        match entry {
            BotEntry::Text(path) => Self { path, name: None, language: None },
            BotEntry::Mapping(keys) => keys,
        }
    }
}

serialize_as_value!(BotEntry: Text, Mapping);
