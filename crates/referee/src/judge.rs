//! One bout in progress, seen from outside: the judge that applies its rules.
//!
//! A [`Judge`] is a game in this process or a referee program in another one.
//! Both loops that play a bout, and all code that judges a recorded bout again,
//! use only this trait. So a judge may fail: that voids the bout and is never the
//! fault of a bot.

use std::fmt;

use crate::{Input, Outcome, Outputs, Part, Parts, Scene, Seat, StateHash, Verdict};

/// One bout of a game in progress.
///
/// It must accept any sequence of inputs: an input that does not fit (an answer to
/// a request that is not open) is ignored.
pub trait Judge: Send {
    /// Takes one input and appends what follows from it to `out`.
    ///
    /// # Errors
    ///
    /// [`JudgeError`] when the referee failed. It is not called after that.
    fn next(&mut self, input: &Input, out: &mut Outputs) -> Result<(), JudgeError>;

    /// Returns how many rounds or ticks were completed.
    fn rounds(&self) -> u32;

    /// Returns the outcome once the bout is over.
    fn outcome(&self) -> Option<&Outcome>;

    /// Returns the hash of the position's canonical bytes, the same on every
    /// machine.
    ///
    /// # Errors
    ///
    /// [`JudgeError`] when the referee failed.
    fn state_hash(&self) -> Result<StateHash, JudgeError>;

    /// Draws the position.
    fn scene(&self) -> Scene;

    /// Returns the verdict of an answer of `seat` without taking it: `ok` for an action,
    /// [`Verdict::NoOutput`] or [`Verdict::IllegalOutput`] otherwise. The host that plays the
    /// bout may know a better reason for a missing action, and decides the verdict before
    /// the game gets it.
    fn reads(&self, _seat: Seat, _parts: &Parts) -> Verdict {
        Verdict::Ok
    }

    /// Returns why the rules would not carry out this answer of `seat`, so that a person
    /// may give another one. Uses only what the seat is shown, and not what others
    /// do in the same round.
    fn refusal(&self, _seat: Seat, _answer: &Parts) -> Option<String> {
        None
    }

    /// Returns whether `seat` has done everything expected of it in the current
    /// tick. A clock that does not wait for its full length ticks when all seats
    /// have. Seats with an open [`crate::Output::Ask`] count as done when they have
    /// answered.
    fn has_acted(&self, _seat: Seat) -> bool {
        true
    }

    /// Returns the name of the player in `seat` in the game itself, if the plan of the
    /// bout does not set it.
    fn own_name(&self, _seat: Seat) -> Option<&str> {
        None
    }

    /// Returns the comment on the last judged answer of `seat`: why it is bad, what
    /// happens now, why the seat is out. `None` if there is no comment. It is a program's own text,
    /// and no part of the result.
    fn comment(&self, _seat: Seat) -> Option<&str> {
        None
    }

    /// The recording of the original.
    fn recording(&self) -> Option<&dyn Recording> {
        None
    }

    /// The replay folder of the original.
    fn replay_folder(&self) -> Option<&dyn ReplayFolder> {
        None
    }
}

/// Extension of a [`Judge`] whose original keeps a replay folder.
pub trait ReplayFolder {
    /// Returns the folder of the round that is asked for now, as the original's
    /// replay has it, or the closing folder once the bout is over.
    ///
    /// `players` are in seat order; a seat without one is named like the seat.
    fn round(&self, players: &[PlayerInfo]) -> ReplayRound;

    /// Returns whether the files shown to a seat stay in the replay when its turn is
    /// over.
    fn keeps_views(&self) -> bool;

    /// Returns whether the original wrote no log of the turn that `seat` ended last:
    /// its lines then stand in the seat's next one.
    fn holds_log_back(&self, seat: Seat) -> bool;

    /// Returns the files that the original writes again when the bout is over,
    /// each list with the folder it belongs into, relative to the replay's root.
    fn rewrites(&self) -> Vec<ReplayRound>;

    /// Returns the folders of the round that is asked for now which the original makes
    /// and leaves empty, relative to the replay's root.
    fn empty_folders(&self) -> Vec<String>;

    /// Returns the facts of the round processed last, in order: what the original's
    /// `engine.log` has about it. They belong into the folder that was asked for before
    /// that round was over.
    fn engine_log(&self) -> Vec<LogLine>;

    /// Returns why the round processed last did not carry out the command of `seat`, which
    /// the original's log of the seat's next turn begins with.
    fn refused(&self, seat: Seat) -> Option<String>;
}

/// Line of an original's log, without its time and end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// Mark of the line in the original.
    pub kind: LogKind,
    /// Text of the line.
    pub text: String,
}

/// Kind of a line of an original's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogKind {
    /// `D`.
    Debug,
    /// `I`.
    Info,
}

impl LogLine {
    pub(crate) fn debug(text: impl Into<String>) -> Self {
        Self { kind: LogKind::Debug, text: text.into() }
    }

    pub(crate) fn info(text: impl Into<String>) -> Self {
        Self { kind: LogKind::Info, text: text.into() }
    }
}

/// Extension of a [`Judge`] whose original writes a recording.
pub trait Recording {
    /// Returns the lines, without their ends, with which the recording begins,
    /// however many bouts follow in it.
    fn head(&self) -> Vec<String>;

    /// Returns its lines about the round or tick played last, or, before the first,
    /// about the start.
    fn round(&self) -> Vec<String>;
}

/// Failure of a referee. An infrastructure error, never a bot's fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JudgeError {
    /// It ended, or cannot be reached.
    Gone(String),
    /// Its program ended.
    Ended {
        /// Description in Joust's words.
        how: String,
        /// The last line that it wrote to standard error; empty for none. It is a program's
        /// own text and must not be published.
        said: String,
    },
    /// It sent nothing within its own time limit.
    Silent(String),
    /// It broke the protocol.
    Broke(String),
    /// It failed after it had written something to standard error.
    Wrote {
        /// The failure.
        failure: Box<Self>,
        /// The last line that it wrote: a program's own text that must not be published.
        said: String,
    },
    /// It panicked, with this message.
    Panicked(String),
    /// It cannot be run here: the machine is at fault.
    Machine(String),
}

impl fmt::Display for JudgeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(how) => write!(f, "the referee is gone: {how}"),
            Self::Ended { how, said } if said.is_empty() => {
                write!(f, "the referee is gone: {how}")
            }
            Self::Ended { how, said } => write!(f, "the referee is gone: {how}: `{said}`"),
            Self::Wrote { failure, said } => write!(f, "{failure}: `{said}`"),
            Self::Silent(what) => write!(f, "the referee does not answer: {what}"),
            Self::Broke(what) => write!(f, "the referee broke the protocol: {what}"),
            Self::Panicked(message) => write!(f, "the referee panicked: {message}"),
            Self::Machine(what) => write!(f, "the referee cannot be run: {what}"),
        }
    }
}

impl std::error::Error for JudgeError {}

impl JudgeError {
    /// Returns the error without what a program wrote to standard error: for tables and
    /// pages.
    pub fn for_everybody(&self) -> String {
        match self {
            Self::Ended { how, .. } => {
                Self::Ended { how: how.clone(), said: String::new() }.to_string()
            }
            Self::Wrote { failure, .. } => failure.for_everybody(),
            other => other.to_string(),
        }
    }

    /// Returns the last line that a program wrote to standard error before it failed; empty for
    /// none. It must not be published.
    pub fn said(&self) -> &str {
        match self {
            Self::Ended { said, .. } | Self::Wrote { said, .. } => said,
            _ => "",
        }
    }

    /// Adds the last line that the program of this referee wrote to standard error, unless there
    /// is none or one is known.
    #[must_use]
    pub fn after_writing(self, said: String) -> Self {
        match self {
            Self::Gone(_) | Self::Silent(_) | Self::Broke(_) if !said.is_empty() => {
                Self::Wrote { failure: Box::new(self), said }
            }
            other => other,
        }
    }
}

/// Player of a seat, as the replay files name players.
///
/// Source: [`bot.json`](crate::docs::bomberman_2016#botjson).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PlayerInfo {
    /// Author of the bot.
    pub author: String,
    /// The player's name.
    pub nick_name: String,
    /// The author's address.
    pub email: String,
    /// The bot's language by its name in the original, for instance `Python3`;
    /// [`PlayerInfo::NO_BOT`] for a person.
    pub bot_type: String,
}

impl PlayerInfo {
    /// The type of a player that is no bot, spelled as the originals spell it.
    pub const NO_BOT: &str = "Unkown";

    /// Makes the information of a player with a known name only: it
    /// stands for author and address too.
    pub fn named(name: &str) -> Self {
        let name = name.to_owned();
        Self {
            author: name.clone(),
            nick_name: name.clone(),
            email: name,
            bot_type: Self::NO_BOT.to_owned(),
        }
    }
}

/// One round's folder of a replay in the original's layout.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReplayRound {
    /// The folder, relative to the replay's root, for instance `12`.
    pub folder: String,
    /// The files directly in it that are written when the round starts.
    pub files: Vec<Part>,
}
