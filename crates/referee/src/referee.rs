//! A game: its description, and the way to start a bout of it.

use std::fmt;

use crate::{
    GameSpec, Judge, JudgeError, Options, OptionsError, Outputs, Parts, Sample, Scene, Seat,
    ServedGame,
};

/// A number that all chance of a bout derives from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(pub u64);

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Starting conditions of a bout.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// One of the game's rule sets.
    pub rules: &'a str,
    /// The game's options; those left out have their defaults.
    pub options: &'a Options,
    /// The bout's seed.
    pub seed: Seed,
    /// Number of seats.
    pub seats: u8,
    /// The bots' names, in seat order, for games that show them.
    pub names: &'a [String],
}

impl Setup<'_> {
    /// Returns the name of the bot in `seat`; one without a name has its number.
    pub fn name_of(&self, seat: Seat) -> String {
        self.names.get(seat.index()).cloned().unwrap_or_else(|| format!("bot {seat}"))
    }
}

/// Why a bout cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The game has no such rule set.
    UnknownRules(String),
    /// An option is unknown or has an impossible value.
    Options(OptionsError),
    /// The game is not played with this number of seats.
    Seats(u8),
    /// The referee failed.
    Judge(JudgeError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownRules(rules) => write!(f, "unknown rule set `{rules}`"),
            Self::Options(error) => error.fmt(f),
            Self::Seats(seats) => write!(f, "the game is not played with {seats} seats"),
            Self::Judge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StartError {}

impl From<OptionsError> for StartError {
    fn from(error: OptionsError) -> Self {
        Self::Options(error)
    }
}

/// A game: its description and its rules.
///
/// A game that ships with Joust is one in this process; a referee that is a program
/// of its own is another. What only some games have they offer as an extension.
pub trait Referee: Send + Sync {
    /// Returns the game's description, the same each time.
    fn spec(&self) -> &GameSpec;

    /// Checks that a bout could start so, and starts nothing. A game overrides it whose
    /// options have values that are possible alone and not together.
    ///
    /// # Errors
    ///
    /// [`StartError`] as [`Referee::start`] would say.
    fn check(&self, setup: &Setup<'_>) -> Result<(), StartError> {
        self.spec().complete(setup).map(drop)
    }

    /// Starts a bout and emits the first outputs.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit, or
    /// the referee failed.
    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError>;

    /// Ends what the game keeps from one bout for the next, if it keeps anything, when no
    /// bout is under way.
    ///
    /// # Errors
    ///
    /// [`JudgeError`] when that had something to say beyond the end of its bouts.
    fn dismiss(&self) -> Result<(), JudgeError> {
        Ok(())
    }

    /// Returns sample views of the rule set `rules` for people who write parsers.
    fn samples(&self, rules: &str) -> Vec<Sample> {
        let _ = rules;
        Vec::new()
    }

    /// Reads what a person at the keyboard has typed at `view`: the lines of the
    /// answer so far, without their ends. Without a line it says what to type. One line is an
    /// answer where the game does not say otherwise.
    fn typed(&self, _view: &Parts, lines: &[String]) -> KeyboardAnswer {
        one_line(lines)
    }

    /// Draws what a seat is shown, and nothing it is not shown, for a person in
    /// it; `None` where the view's own text is best.
    fn picture(&self, _view: &Parts) -> Option<Scene> {
        None
    }

    /// Returns the reaction of the client of a person called `name` to a line of the
    /// server, for games over TCP. The answers of [`crate::PeopleSpec::keys`] are what it says
    /// for a key.
    fn receive_line(&self, _line: &str, _name: &str) -> ClientReply {
        ClientReply::Nothing
    }

    /// Returns the game's offer to a standing server.
    fn served(&self) -> Option<&dyn ServedGame> {
        None
    }

    /// The results table of the original contest.
    fn results_table(&self) -> Option<&dyn ResultsTable> {
        None
    }
}

/// Extension of a [`Referee`] whose original printed a table of results.
pub trait ResultsTable: Sync {
    /// Prints a tournament as the original does.
    ///
    /// `names` are in the order of registration. A pair that names a bot that
    /// `names` does not have is left out.
    fn print(&self, names: &[&str], pairs: &[PairResult]) -> String;
}

/// The bouts of two bots, for a [`ResultsTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairResult {
    /// The bots, as indices into the names; the one registered earlier first.
    pub bots: [usize; 2],
    /// Bouts played.
    pub bouts: u32,
    /// Bouts won by each, in the order of `bots`.
    pub bout_wins: [u32; 2],
}

/// Result of the lines that a person has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyboardAnswer {
    /// They are a whole answer.
    Answer(Parts),
    /// More lines belong to it; the text asks for the next one.
    More(String),
    /// The last line is no part of an answer, and the text says what is. It is
    /// forgotten and asked for again.
    Again(String),
}

/// Reaction of a person's client to a line of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientReply {
    /// Nothing.
    Nothing,
    /// It says something, with its line's end.
    Says(String),
    /// The person may act, once.
    MayAct,
}

/// Reads an answer of one line, as it was typed.
pub fn one_line(lines: &[String]) -> KeyboardAnswer {
    match lines {
        [] => KeyboardAnswer::More("your action: ".to_owned()),
        [line, ..] => KeyboardAnswer::Answer(Parts::single(line.as_bytes())),
    }
}
