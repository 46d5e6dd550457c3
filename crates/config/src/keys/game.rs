//! Keys of a `game.yaml`.

use std::collections::BTreeMap;

use joust_model::Bytes;
use joust_referee::{AnswerForm, BoardText, ChessClock, Colour, Glyph, Kind, ViewerSpec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::rejection::Rejection;
use super::super::values::{Count, Memory, Size, Time};
use super::event::{Glob, RankKey};
use super::leave_for_later;
use super::libraries::Provides;
use crate::rejection::did_you_mean;

/// Most files of an answer.
const MOST_ANSWER_FILES: usize = 16;

/// Most names of seats.
pub(crate) const MOST_SEATS: usize = 255;

/// Longest name of a seat, characters.
const LONGEST_NAME: usize = 24;

/// Keys of the file.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct GameKeys {
    /// Id of the game, as the referee reports it.
    pub(crate) id: Option<String>,
    /// Name of the game for people.
    pub(crate) title: Option<String>,
    /// Version that the referee reports.
    pub(crate) version: Option<String>,
    /// Number of bots that play a bout.
    pub(crate) seats: SeatsKeys,
    /// Language of the referee. Default: by the extension of `entry`.
    pub(crate) language: Option<String>,
    /// Main file of the referee.
    pub(crate) entry: Option<String>,
    /// Command that builds the referee, instead of the language's.
    pub(crate) build: Option<String>,
    /// Command that starts the referee, instead of the language's.
    pub(crate) run: Option<String>,
    /// Libraries that the referee finds, as those of an event's bots.
    pub(crate) provides: Provides,
    /// Channel to bots: `lines` to programs that live as long as the bout, `http` to web servers,
    /// or one process per turn, with the view as its last argument (`argv`) or in `files`.
    pub(crate) channel: Channel,
    /// Form of an answer: a number of `lines`, all lines `until` a given one, one line with a
    /// `prefix`, or the `files` that a bot may write.
    pub(crate) answer: Option<Answer>,
    /// Time that a seat may think.
    pub(crate) times: TimesKeys,
    /// Replacement of `{left_ms}` and similar words in questions to bots.
    pub(crate) placeholders: bool,
    /// Questions to several seats at once, each bot on processors of its own.
    pub(crate) simultaneous: bool,
    /// Quantity that ranks the bots unless the tournament says otherwise: `points` (the default),
    /// `matches` won, or the `score` that the referee gives.
    pub(crate) rank_by: Option<RankKey>,
    /// Options that an organiser can change, in words of JSON Schema.
    #[serde(deserialize_with = "leave_for_later")]
    #[schemars(with = "BTreeMap<String, OptionKeys>")]
    pub(crate) options: (),
    /// Abilities of the referee beyond playing one bout.
    pub(crate) can: Vec<Ability>,
    /// Page of rules, in Markdown.
    pub(crate) rules: Option<String>,
    /// Patterns of the files that determine the rules; the referee finds no others. Default: all
    /// but pages and `bots/`.
    pub(crate) files: Vec<Glob>,
    /// Limits of the referee.
    pub(crate) limits: RefereeLimitsKeys,
    /// Drawing of positions, in the terminal and on the site. It is no rule: results stay valid
    /// when it changes.
    pub(crate) viewer: ViewerKeys,
}

/// Keys of `seats:`.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SeatsKeys {
    /// Fewest bots.
    pub(crate) min: Count<1, 255>,
    /// Most bots.
    pub(crate) max: Count<1, 255>,
}

impl Default for SeatsKeys {
    fn default() -> Self {
        Self { min: Count(2), max: Count(2) }
    }
}

/// Channel by which bots are spoken to.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, strum::Display)]
#[serde(rename = "channel", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Channel {
    #[default]
    Lines,
    Argv,
    Files,
    Http,
}

/// Form of an answer.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "AnswerKeys")]
#[schemars(with = "AnswerKeys")]
pub(crate) struct Answer(pub(crate) AnswerForm);

/// Keys of `answer:`, of which one is written.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("minProperties" = 1, "maxProperties" = 1))]
struct AnswerKeys {
    lines: Option<Count<1, 10_000>>,
    until: Option<String>,
    prefix: Option<String>,
    #[schemars(length(min = 1, max = MOST_ANSWER_FILES))]
    files: Option<Vec<AnswerFile>>,
}

impl TryFrom<AnswerKeys> for Answer {
    type Error = Rejection;

    fn try_from(keys: AnswerKeys) -> Result<Self, Rejection> {
        let AnswerKeys { lines, until, prefix, files } = keys;
        let hint = "`{ lines: 1 }`, `{ until: go }`, `{ files: [move.txt] }` or `{ prefix: \
                    \"bestmove \" }`";
        Ok(Self(match (lines, until, prefix, files) {
            (Some(Count(lines)), None, None, None) => {
                AnswerForm::Lines(u16::try_from(lines).unwrap_or(u16::MAX))
            }
            (None, Some(until), None, None) => AnswerForm::Until(until),
            (None, None, Some(prefix), None) => AnswerForm::Prefix(prefix),
            (None, None, None, Some(files)) => {
                if !(1..=MOST_ANSWER_FILES).contains(&files.len()) {
                    return Err(Rejection::bare(format!("1 to {MOST_ANSWER_FILES} files")));
                }
                AnswerForm::Files(files.into_iter().map(|file| file.0).collect())
            }
            _ => return Err(Rejection::new("an answer has one form", hint)),
        }))
    }
}

/// Name of a file that a bot may leave.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct AnswerFile(String);

impl TryFrom<String> for AnswerFile {
    type Error = Rejection;

    fn try_from(name: String) -> Result<Self, Rejection> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let is_good =
            (1..=100).contains(&name.len()) && !name.starts_with('.') && name.chars().all(is_plain);
        let hint = "letters, digits, `.`, `-` and `_`, not beginning with `.`";
        Rejection::unless(is_good, format!("`{name}` is no name of a file"), hint)?;
        Ok(Self(name))
    }
}

/// Keys of `times:`.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TimesKeys {
    /// Time for each answer.
    #[serde(rename = "move")]
    pub(crate) per_move: Option<Time>,
    /// Time for a seat's first answer, in which its program starts; of a web server, the time until
    /// it listens.
    pub(crate) first: Option<Time>,
    /// Time beyond `move`, over the whole bout.
    pub(crate) bank: Option<Time>,
    /// Chess clock for each seat.
    pub(crate) clock: Option<ClockKeys>,
}

/// Keys of `clock:`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockKeys {
    /// Time on the clock at the start.
    #[schemars(example = &"60s")]
    base: Time,
    /// Time that each answer adds.
    increment: Option<Time>,
}

impl From<ClockKeys> for ChessClock {
    fn from(keys: ClockKeys) -> Self {
        Self { base: keys.base.0, increment: keys.increment.map(|time| time.0).unwrap_or_default() }
    }
}

/// Ability of a referee, in the protocol's words.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema, strum::Display)]
#[serde(rename = "ability", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Ability {
    Bouts,
    Rejudge,
    Scene,
    Numbers,
}

/// Keys of one of the `options:`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OptionKeys {
    #[serde(rename = "type")]
    pub(crate) kind: Option<OptionType>,
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) minimum: Option<i64>,
    pub(crate) maximum: Option<i64>,
    #[serde(rename = "enum")]
    pub(crate) words: Option<Vec<serde_json::Value>>,
    pub(crate) default: Option<serde_json::Value>,
}

/// Type of an option.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename = "type", rename_all = "kebab-case")]
pub(crate) enum OptionType {
    Boolean,
    Integer,
    String,
}

/// Keys of `limits:` of a referee.
#[derive(Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RefereeLimitsKeys {
    /// Time until it reports its game.
    pub(crate) start: Time,
    /// Time from the answers to its next question.
    pub(crate) step: Time,
    /// Memory of its processes.
    pub(crate) memory: Memory,
    /// Processes and threads.
    pub(crate) processes: Count<1, 100_000>,
    /// Bytes that it may write.
    pub(crate) disk: Size,
}

impl Default for RefereeLimitsKeys {
    fn default() -> Self {
        Self {
            start: Time(std::time::Duration::from_secs(60)),
            step: Time(std::time::Duration::from_secs(10)),
            memory: Memory(Size(Bytes::from_mib(1024))),
            processes: Count(64),
            disk: Size(Bytes::from_mib(64)),
        }
    }
}

/// Keys of `viewer:`. They are no rules, and count for no hash.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ViewerKeys {
    /// Board if the referee draws none: nothing, or the first lines of `state` that are as long as
    /// its first.
    board: Board,
    /// Meaning of the characters of a board: a `kind` and a `colour`, as in the protocol's `scene`.
    /// A picture without a legend uses this one.
    #[schemars(extend("propertyNames" = { "minLength": 1, "maxLength": 1 }))]
    legend: BTreeMap<Symbol, GlyphKeys>,
    /// Display of the board to seats, too: it hides nothing.
    open: bool,
    /// Names of seats, in their order.
    #[schemars(length(max = MOST_SEATS))]
    seats: Vec<Label>,
    /// Unit of scores, such as `coins`.
    pub(crate) score: Option<Label>,
    /// Time that a position is shown in a replay. Default: less in long bouts.
    pace: Option<Time>,
}

impl From<ViewerKeys> for ViewerSpec {
    fn from(keys: ViewerKeys) -> Self {
        let glyph = |keys: GlyphKeys| Glyph {
            kind: keys.kind.map_or(Kind::Sign, |kind| kind.0),
            colour: keys.colour.map_or(Colour::Plain, |colour| colour.0),
        };
        Self {
            board: match keys.board {
                Board::None => BoardText::None,
                Board::State => BoardText::State,
            },
            legend: keys.legend.into_iter().map(|(symbol, keys)| (symbol.0, glyph(keys))).collect(),
            is_open: keys.open,
            seats: keys.seats.into_iter().map(|name| name.0).collect(),
            pace: keys.pace.map(|time| time.0),
        }
    }
}

/// Part of a position's text that is a board.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename = "board", rename_all = "kebab-case")]
enum Board {
    #[default]
    None,
    State,
}

/// Character of a board.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
struct Symbol(char);

impl TryFrom<String> for Symbol {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let mut characters = text.chars();
        if let (Some(symbol), None) = (characters.next(), characters.next()) {
            return Ok(Self(symbol));
        }
        let hint = "a legend has characters of the board, in quotes: `'#': { kind: wall }`";
        Err(Rejection::new(format!("`{text}` is no single character"), hint))
    }
}

/// Keys of an entry of `legend:`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GlyphKeys {
    kind: Option<GlyphKind>,
    colour: Option<GlyphColour>,
}

/// Kind of thing on a board.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("enum" = Kind::plain().map(Kind::name).collect::<Vec<_>>()))]
struct GlyphKind(Kind);

impl TryFrom<String> for GlyphKind {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let found = Kind::plain().find(|kind| kind.name() == text);
        let names: Vec<&str> = Kind::plain().map(Kind::name).collect();
        let hint = || did_you_mean(&text, &names, "it is one of");
        let kind = found.ok_or_else(|| Rejection::new(format!("unknown kind `{text}`"), hint()))?;
        Ok(Self(kind))
    }
}

/// Colour of a thing on a board.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String")]
#[schemars(extend("pattern" = "^(plain|dim|danger|bonus|seat-[0-9]{1,3})$"))]
struct GlyphColour(Colour);

impl TryFrom<String> for GlyphColour {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "it is `plain`, `dim`, `danger`, `bonus`, or `seat-0`, `seat-1` and so on";
        let unknown = || Rejection::new(format!("unknown colour `{text}`"), hint);
        Colour::from_name(&text).map(Self).ok_or_else(unknown)
    }
}

/// Name of a seat or of a unit.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("minLength" = 1, "maxLength" = LONGEST_NAME))]
pub(crate) struct Label(pub(crate) String);

impl TryFrom<String> for Label {
    type Error = Rejection;

    fn try_from(name: String) -> Result<Self, Rejection> {
        let is_name = (1..=LONGEST_NAME).contains(&name.chars().count())
            && name.trim() == name
            && !name.contains(|c: char| c.is_control() || c == '=');
        let hint = format!("1 to {LONGEST_NAME} characters, without `=`, such as `white`");
        let message = format!("`{}` is no name of a seat or of a unit", name.escape_debug());
        Rejection::unless(is_name, message, hint)?;
        Ok(Self(name))
    }
}
