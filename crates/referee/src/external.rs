//! Description of a game whose referee is a program of its own, in addition to the description
//! that every game has.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use crate::{Colour, GameSpec, Judge, JudgeError, Kind, Outputs, Referee, Setup, StartError};

/// SHA-256 of the files from which a referee's program is made: the revision of its rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefereeHash(pub [u8; 32]);

impl fmt::Display for RefereeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Facts about a game whose referee is a program of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalSpec {
    /// Hash of the files from which its referee is made.
    pub hash: RefereeHash,
    /// Form of one answer of a bot that stays for the bout.
    pub answer: AnswerForm,
    /// Time that a seat has beyond the limits of its bout.
    pub times: TimeRule,
    /// True if the same seed and the same answers give the same bout, so that it
    /// can be judged again.
    pub is_repeatable: bool,
    /// True if its bots stay after an answer; others are started for each.
    pub stays: bool,
    /// Rules for drawing its positions.
    pub viewer: ViewerSpec,
}

/// Form of one answer of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerForm {
    /// This number of lines.
    Lines(u16),
    /// The lines before one that is this text.
    Until(String),
    /// The rest of the first line that begins with this text.
    Prefix(String),
    /// The files of these names, for programs that are started for each answer.
    Files(Vec<String>),
    /// The response of a web server to a request.
    Response,
}

/// Time that a seat has over all its answers. The time of one answer is a limit of
/// the bout: `start` for a seat's first answer, `turn` for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeRule {
    /// Time that all answers together may take beyond `turn`.
    pub bank: Option<Duration>,
    /// A chess clock for each seat.
    pub clock: Option<ChessClock>,
    /// True if placeholders in the views of bots are replaced by the time that is left.
    pub is_shown: bool,
}

/// A chess clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChessClock {
    /// Time shown at the start.
    pub base: Duration,
    /// Time added after each answer.
    pub increment: Duration,
}

/// A game that is described but cannot be played, because its referee does not exist yet.
#[derive(Clone, Debug)]
pub struct Described(pub GameSpec);

impl Referee for Described {
    fn spec(&self) -> &GameSpec {
        &self.0
    }

    fn start(&self, _: &Setup<'_>, _: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        let what = format!("the referee of `{}` was not built", self.0.id);
        Err(StartError::Judge(JudgeError::Gone(what)))
    }
}

/// Rules for drawing positions of a game. They decide nothing, and are no part of its rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewerSpec {
    /// Part of a position's text that is a board.
    pub board: BoardText,
    /// Meaning of characters of a board, where a picture does not say it itself.
    pub legend: BTreeMap<char, Glyph>,
    /// True if seats are shown the board of a position's text, too: it hides nothing.
    pub is_open: bool,
    /// Names of seats, in their order; those beyond have no name.
    pub seats: Vec<String>,
    /// Time for which a replay shows a position by default.
    pub pace: Option<Duration>,
}

/// Part of a position's text that is a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardText {
    /// Nothing.
    #[default]
    None,
    /// The first line and those after it of the same length; each character is a square.
    State,
}

impl BoardText {
    /// All, by the words of a game's file.
    pub const WORDS: [(&'static str, Self); 2] = [("none", Self::None), ("state", Self::State)];
}

/// Meaning of a character of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// Its kind.
    pub kind: Kind,
    /// Its colour.
    pub colour: Colour,
}
