//! Messages of the protocol, both ways.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use strum::{EnumString, IntoStaticStr};

use crate::{Numbers, PROTOCOL, Scene};

/// Files of a view or an answer: text by name.
pub type FileTexts = BTreeMap<String, String>;

/// A message of the runner to a referee.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "t", rename_all = "kebab-case")]
pub enum ToReferee {
    /// The first message.
    Hello(Hello),
    /// A bout begins.
    Start(StartMessage),
    /// All answers to one ask.
    Answers(Answers),
    /// Nobody wants a bout any more.
    Drop(DropBout),
}

/// The runner introduces itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The runner and its version.
    pub runner: String,
    /// The id of the game that is wanted, for programs that know several.
    pub game: String,
}

/// A bout begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartMessage {
    /// The number of the bout, larger than all before.
    pub b: u32,
    /// The seed, a decimal number below 2^64: numbers of JSON lose digits.
    pub seed: String,
    /// Number of seats.
    pub seats: u8,
    /// The options, complete.
    pub options: Map<String, Value>,
    /// True if pictures are wanted; if false, the referee may leave `scene` out.
    #[serde(default, skip_serializing_if = "is_false")]
    pub scene: bool,
}

/// The answers to one ask: one for each seat that was asked, in the order of the ask.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The bout.
    pub b: u32,
    /// The number of the ask.
    pub n: u32,
    /// The answers.
    pub of: Vec<Answer>,
}

/// The answer of one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The seat.
    pub seat: u8,
    /// Verdict of the answer.
    pub verdict: AnswerVerdict,
    /// Text of the bot; bytes that are no UTF-8 are replaced by U+FFFD.
    pub text: String,
    /// Files of the bot, where it answers in files.
    #[serde(default, skip_serializing_if = "FileTexts::is_empty")]
    pub files: FileTexts,
    /// The time that it took, microseconds.
    pub us: u64,
}

/// Nobody wants a bout any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DropBout {
    /// The bout.
    pub b: u32,
}

fn is_false(value: &bool) -> bool {
    !*value
}

impl ToReferee {
    /// Makes the first message.
    pub fn hello(runner: &str, game: &str) -> Self {
        Self::Hello(Hello { protocol: PROTOCOL, runner: runner.to_owned(), game: game.to_owned() })
    }

    /// Returns the message as a line, with its end.
    pub fn to_line(&self) -> String {
        line_of(self)
    }
}

/// A message of a referee.
#[derive(Clone, Debug, PartialEq, Serialize, IntoStaticStr)]
#[serde(tag = "t", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum FromReferee {
    /// Its first message: which game it is.
    Game(GameMessage),
    /// Text for seats, without an answer.
    Tell(TellMessage),
    /// Seats are asked.
    Ask(AskMessage),
    /// Judgement of a bad answer.
    Fault(FaultMessage),
    /// A seat plays no longer.
    Out(OutMessage),
    /// A line for the author.
    Log(LogMessage),
    /// The referee gives up.
    Error(ErrorMessage),
    /// The bout is over.
    End(EndMessage),
}

/// Game that a referee plays; it must be the game of `game.yaml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameMessage {
    /// The version of the protocol.
    pub protocol: u32,
    /// The game's id.
    pub id: String,
    /// The game's own version.
    pub version: String,
    /// Capabilities of the referee.
    pub can: Vec<Capability>,
}

/// Text for seats, without an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TellMessage {
    /// The bout.
    pub b: u32,
    /// The seats.
    pub to: Vec<u8>,
    /// The text; a line end is added where it has none.
    pub text: String,
}

/// Seats are asked; all of their answers come in one message.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AskMessage {
    /// The bout.
    pub b: u32,
    /// The number of the ask: 1, 2, 3 and so on in each bout.
    pub n: u32,
    /// The seats.
    pub to: Vec<AskSeat>,
    /// The position.
    #[serde(flatten)]
    pub position: Position,
    /// The position as a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// Counters.
    #[serde(skip_serializing_if = "Numbers::is_empty")]
    pub numbers: Numbers,
}

/// Question to one seat.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskSeat {
    /// The seat.
    pub seat: u8,
    /// The view; a line end is added where it has none.
    #[serde(default)]
    pub text: String,
    /// The view in files, for bots that read files.
    #[serde(
        default,
        deserialize_with = "crate::unique::map",
        skip_serializing_if = "FileTexts::is_empty"
    )]
    pub files: FileTexts,
    /// A time for this ask, milliseconds, where it is shorter than the game's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub move_ms: Option<u32>,
}

/// A position, for proof that a bout repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Position {
    /// Nothing is said of it.
    #[default]
    Unsaid,
    /// The whole of it as text.
    State(String),
    /// The SHA-256 of it, 64 digits of base 16 in lower case.
    Hash(String),
}

impl Serialize for Position {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let entry = match self {
            Self::Unsaid => None,
            Self::State(text) => Some(("state", text)),
            Self::Hash(digits) => Some(("hash", digits)),
        };
        serializer.collect_map(entry)
    }
}

impl Position {
    /// Returns the SHA-256: of the text, or as it was said.
    pub fn hash(&self) -> Option<[u8; 32]> {
        match self {
            Self::Unsaid => None,
            Self::State(text) => Some(Sha256::digest(text.as_bytes()).into()),
            Self::Hash(digits) => {
                let (digits, mut hash) = (digits.as_bytes(), [0; 32]);
                let is_hash = digits.len() == 64 && HEXLOWER.decode_mut(digits, &mut hash).is_ok();
                is_hash.then_some(hash)
            }
        }
    }
}

/// Judgement of a bad answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultMessage {
    /// The bout.
    pub b: u32,
    /// The seat.
    pub seat: u8,
    /// `illegal`, or the verdict that came with the answer.
    pub kind: String,
    /// The mistake and its consequence, for people.
    pub text: String,
}

/// A seat plays no longer: it is not asked again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutMessage {
    /// The bout.
    pub b: u32,
    /// The seat.
    pub seat: u8,
    /// Why, for people.
    pub text: String,
}

/// A line for the author.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LogMessage {
    /// The bout it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<u32>,
    /// The line.
    pub text: String,
}

/// The referee gives up: on one bout, or on all.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorMessage {
    /// The bout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<u32>,
    /// Why.
    pub text: String,
}

/// A bout is over.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EndMessage {
    /// The bout.
    pub b: u32,
    /// A score for every seat, more is better; `None` for a seat that has none.
    pub scores: Vec<Option<f64>>,
    /// A rank for every seat, 1 is best; those with the same rank draw.
    pub ranks: Vec<u8>,
    /// Reason why the bout is over: a few words.
    pub reason: String,
    /// The last position.
    #[serde(flatten)]
    pub position: Position,
    /// The last position as a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scene: Option<Scene>,
    /// Counters.
    #[serde(skip_serializing_if = "Numbers::is_empty")]
    pub numbers: Numbers,
}

impl FromReferee {
    /// Returns the word for it, which is its `t`.
    pub(crate) fn word(&self) -> &'static str {
        self.into()
    }

    /// Returns the bout that the message is about.
    pub fn bout(&self) -> Option<u32> {
        match self {
            Self::Game(_) => None,
            Self::Tell(it) => Some(it.b),
            Self::Ask(it) => Some(it.b),
            Self::Fault(it) => Some(it.b),
            Self::Out(it) => Some(it.b),
            Self::Log(it) => it.b,
            Self::Error(it) => it.b,
            Self::End(it) => Some(it.b),
        }
    }

    /// Returns the message as a line, with its end.
    pub fn to_line(&self) -> String {
        line_of(self)
    }
}

fn line_of(message: &impl Serialize) -> String {
    let line = serde_json::to_string(message);
    line.expect("keys are texts and numbers are finite") + "\n"
}

/// Something that a referee can do beyond playing one bout.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Capability {
    /// One process plays any number of bouts, also at the same time.
    Bouts,
    /// The same seed, options and answers give the same bout; every `ask` and `end`
    /// says the position, so that it can be proved.
    Rejudge,
    /// It draws positions.
    Scene,
    /// It counts something in every turn.
    Numbers,
}

impl Capability {
    /// Every capability, in the order of the protocol's page.
    pub const ALL: [Self; 4] = [Self::Bouts, Self::Rejudge, Self::Scene, Self::Numbers];

    /// Returns the word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Verdict of one answer, as the machine saw it. The words are the same as in every
/// table of Joust; `illegal-output` is missing, because only the referee decides it.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AnswerVerdict {
    /// An answer in time.
    Ok,
    /// The bot's memory reached its limit.
    MemoryLimit,
    /// It wrote more than it may.
    OutputLimit,
    /// It used more processor time than it may.
    CpuLimit,
    /// Its time was up.
    Timeout,
    /// Its disk was full.
    DiskLimit,
    /// It broke the rules of its channel.
    ProtocolViolation,
    /// It was ended by a signal.
    Crash,
    /// It ended by itself with a status other than 0.
    ExitNonzero,
    /// It ended properly without an answer.
    NoOutput,
}

impl AnswerVerdict {
    /// Returns the word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}
