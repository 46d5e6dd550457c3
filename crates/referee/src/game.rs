//! What a game is to the rest of Joust.

use crate::{
    Heard, Input, OptionSpec, Options, OptionsError, OriginalName, Outcome, Outputs, Parts,
    PlayerInfo, ReplayRound, Scene, Seat, Seed, ServedGame, StateHash, Typed, Verdict,
};

/// Whether the seats of a bout think one after the other or together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thinking {
    /// Requests of one round are answered one after the other, in the order of
    /// the `Ask`s; a bout needs one core.
    OneAfterAnother,
    /// All seats think at the same time; a bout needs one core a seat.
    Together,
}

/// How the clock of a game on a clock runs. The referee has no clock: whoever
/// plays the bout feeds it a [`Input::Tick`] whenever one strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSpec {
    /// From the moment the bots are ready to the first tick, milliseconds.
    pub first_ms: u32,
    /// From each tick to the next, milliseconds.
    pub tick_ms: u32,
    /// The most ticks a bout can have.
    pub ticks: u32,
}

/// What a bout starts from.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// One of the game's rule sets.
    pub rules: &'a str,
    /// The game's options; those left out have their defaults.
    pub options: &'a Options,
    /// The bout's seed.
    pub seed: Seed,
    /// How many seats play.
    pub seats: u8,
    /// The bots' names, in seat order, for games that show them.
    pub names: &'a [String],
}

/// Why a bout cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The game has no such rule set.
    UnknownRules(String),
    /// An option is unknown or has an impossible value.
    Options(OptionsError),
    /// The game is not played with so many seats.
    Seats(u8),
}

impl std::fmt::Display for StartError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnknownRules(rules) => write!(f, "unknown rule set `{rules}`"),
            Self::Options(error) => error.fmt(f),
            Self::Seats(seats) => write!(f, "the game is not played with {seats} seats"),
        }
    }
}

impl std::error::Error for StartError {}

/// A kind of game: one line of the registry.
pub trait GameKind: Sync {
    /// Returns the game id, for instance `battlebots`.
    fn id(&self) -> &'static str;

    /// Returns what the game is called by people.
    fn title(&self) -> &'static str;

    /// Returns the number of this game's rules revision. It is raised only when
    /// the game's bytes or results change.
    fn revision(&self) -> u32;

    /// Returns the rule sets, the default one first.
    fn rule_sets(&self) -> &'static [&'static str];

    /// Returns the smallest and the largest number of seats.
    fn seats(&self) -> (u8, u8);

    /// Returns how the seats think.
    fn thinking(&self) -> Thinking;

    /// Returns the name of the channel that speaks to this game's bots:
    /// `argv`, `files`, `python-class` or `tcp-line`.
    fn channel(&self) -> &'static str;

    /// Returns the options the game knows, with units and defaults.
    fn options(&self) -> &'static [OptionSpec];

    /// Returns how the clock runs with these options; `None` for games that ask
    /// and wait.
    fn clock(&self, options: &Options) -> Option<ClockSpec> {
        let _ = options;
        None
    }

    /// Returns the rules for people, in Markdown.
    fn rules_text(&self) -> &'static str;

    /// Starts a bout and emits the first outputs.
    ///
    /// # Errors
    ///
    /// [`StartError`] when rules, options or the number of seats do not fit.
    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Game>, StartError>;

    /// Returns sample views for people who write parsers: a file name and what
    /// a seat would be shown, for the rule set `rules`.
    fn samples(&self, rules: &str) -> Vec<(String, Parts)>;

    /// Reads what a person at the keyboard has typed at `view`: the lines of the
    /// answer so far, without their ends. Without a line it says what to type.
    fn keyboard(&self, view: &Parts, lines: &[String]) -> Typed {
        let _ = view;
        crate::one_line(lines)
    }

    /// Returns the keys of a person in a game on a clock, each with the answer it
    /// stands for: lower-case characters, and the arrows as U+2190 to U+2193.
    fn keys(&self) -> &'static [(char, &'static str)] {
        &[]
    }

    /// Says in one line what the keys of [`GameKind::keys`] do, for people.
    fn keys_help(&self) -> &'static str {
        ""
    }

    /// Returns the options that have another value where people type what programs
    /// would say, unless somebody sets them.
    fn options_for_people(&self) -> &'static [(&'static str, i64)] {
        &[]
    }

    /// Returns the first seat of people who play with so many bots; they sit in a row.
    fn first_seat_of_people(&self, bots: usize) -> usize {
        let _ = bots;
        0
    }

    /// Says whether the original wrote a recording, see [`Game::recording`].
    fn has_recording(&self) -> bool {
        false
    }

    /// Returns what the original calls some of the options.
    fn original_names(&self) -> &'static [OriginalName] {
        &[]
    }

    /// Games over TCP: what the client of a person called `name` does about a line
    /// of the server. The words of [`GameKind::keys`] are what it says for a key.
    fn person_hears(&self, line: &str, name: &str) -> Heard {
        let _ = (line, name);
        Heard::Nothing
    }

    /// Returns what the game offers a standing server; `None` where bots are no clients.
    fn served(&self) -> Option<&dyn ServedGame> {
        None
    }

    /// Draws what a seat is shown, and nothing it is not shown, for a person in
    /// it; `None` where the view's own text is best.
    fn picture(&self, view: &Parts) -> Option<Scene> {
        let _ = view;
        None
    }
}

/// One bout of a game in progress.
///
/// Any sequence of inputs is survived: an input that does not fit (an answer to
/// a request that is not open) is ignored.
pub trait Game: Send {
    /// Takes one input and appends what follows from it to `out`.
    fn next(&mut self, input: &Input, out: &mut Outputs);

    /// Returns how many rounds or ticks were completed.
    fn rounds(&self) -> u32;

    /// Returns the outcome once the bout is over.
    fn outcome(&self) -> Option<&Outcome>;

    /// Says, for a game on a clock that is played over connections, whether
    /// `seat` has done all that can be waited for in the tick under way. A clock
    /// that does not wait for its full length strikes when all seats have. Seats
    /// that have an open [`crate::Output::Ask`] are known by their answers.
    fn has_acted(&self, seat: Seat) -> bool {
        let _ = seat;
        true
    }

    /// Says what an answer of `seat` reads as now, without taking it: `ok` for an action,
    /// [`Verdict::NoOutput`] or [`Verdict::IllegalOutput`] for none. Whoever plays the
    /// bout may know a better reason why there is none, and decides the verdict before
    /// the game hears of it. `ok` where the game cannot say.
    fn reads(&self, seat: Seat, parts: &Parts) -> Verdict {
        let _ = (seat, parts);
        Verdict::Ok
    }

    /// Returns what the player in `seat` is called by the game itself, where that is
    /// not for the plan of the bout to say.
    fn own_name(&self, seat: Seat) -> Option<&str> {
        let _ = seat;
        None
    }

    /// Says why the rules would not carry out this answer of `seat`, as far as it
    /// can know, so that a person may answer otherwise. What depends on what others
    /// do in the round, or on what the seat is not shown, is no reason.
    fn refusal(&self, seat: Seat, answer: &Parts) -> Option<String> {
        let _ = (seat, answer);
        None
    }

    /// Draws the position.
    fn scene(&self) -> Scene;

    /// Appends the canonical bytes of the position, the same on every machine.
    fn write_state(&self, out: &mut Vec<u8>);

    /// Returns the folder of the round that is asked for now, as the original's
    /// replay has it, or the closing folder once the bout is over; `None` for a
    /// game whose original keeps no such folders.
    ///
    /// `players` are in seat order; a seat without one is named like the seat.
    fn replay_round(&self, players: &[PlayerInfo]) -> Option<ReplayRound> {
        let _ = players;
        None
    }

    /// Says whether the files shown to a seat stay in the replay when its turn is
    /// over.
    fn replay_keeps_views(&self) -> bool {
        true
    }

    /// Says whether the original wrote no log of the turn that `seat` ended last:
    /// its lines then stand in the seat's next one.
    fn replay_holds_log_back(&self, seat: Seat) -> bool {
        let _ = seat;
        false
    }

    /// Returns the files that the original writes anew when the bout is over,
    /// each list with the folder it belongs into, relative to the replay's root.
    fn replay_rewrites(&self) -> Vec<ReplayRound> {
        Vec::new()
    }

    /// Returns the facts of the round processed last, in order, one line each
    /// without its end: what the original's `engine.log` tells of it. They
    /// belong into the folder that was asked for before that round was over.
    fn engine_log(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the lines, without their ends, with which the original's recording
    /// begins, however many bouts follow in it.
    fn recording_head(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the lines of the original's recording about the round or tick played
    /// last, or, before the first, about the start.
    fn recording(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns the SHA-256 of [`Game::write_state`].
    fn state_hash(&self) -> StateHash {
        let mut bytes = Vec::new();
        self.write_state(&mut bytes);
        StateHash(crate::sha256(&bytes))
    }
}
