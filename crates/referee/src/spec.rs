//! Description of a game as plain data, for code that does not apply its rules.
//!
//! All of it is owned, so that a game can be read from a file while Joust runs.
//! The extensions of [`crate::Referee`] offer more than the spec.

use std::time::Duration;

use crate::{
    ExternalSpec, OptionSpec, OptionValue, Options, OriginalName, RefereeHash, Setup, StartError,
    complete_options, default_options,
};

/// Order of thinking: the seats of a bout one after the other, or together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thinking {
    /// Requests of one round are answered one after the other, in the order of
    /// the `Ask`s; a bout needs one core.
    #[default]
    OneAfterAnother,
    /// All seats think at the same time; a bout needs one core a seat.
    Together,
}

/// Quantity by which the standings of a game rank its bots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RankBy {
    /// Matches won.
    #[default]
    Matches,
    /// In each bout 1 for each opponent ranked behind and ½ for each ranked level.
    Points,
    /// The game's own score, summed.
    Score,
}

/// Number of seats a game is played with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatRange {
    /// The smallest number of seats.
    pub fewest: u8,
    /// The largest number of seats.
    pub most: u8,
}

/// Clock of a game on a clock. The referee has no clock: the host that
/// plays the bout feeds it an [`crate::Input::Tick`] whenever one strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockSpec {
    /// From the moment the bots are ready to the first tick, milliseconds.
    pub first_ms: u32,
    /// From each tick to the next, milliseconds.
    pub tick_ms: u32,
    /// The most ticks a bout can have.
    pub ticks: u32,
}

/// Rule by which a game's clock follows from its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockRule {
    /// From the moment the bots are ready to the first tick, milliseconds.
    pub first_ms: ClockTerm,
    /// From each tick to the next, milliseconds.
    pub tick_ms: ClockTerm,
    /// The ticks that the options allow; 0 is no limit.
    pub ticks: ClockTerm,
    /// Ticks that a bout may have beyond `ticks`.
    pub ticks_beyond: u32,
}

/// A number of a [`ClockRule`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockTerm {
    /// The same in every bout.
    Fixed(u32),
    /// The value of this option, a whole number.
    Option(String),
}

impl ClockTerm {
    fn value(&self, options: &Options) -> u32 {
        match self {
            Self::Fixed(value) => *value,
            Self::Option(name) => match options.get(name) {
                Some(OptionValue::Int(value)) => u32::try_from((*value).max(0)).unwrap_or(u32::MAX),
                _ => 0,
            },
        }
    }
}

impl ClockRule {
    fn with(&self, options: &Options) -> ClockSpec {
        let ticks = match self.ticks.value(options) {
            0 => u32::MAX,
            ticks => ticks.saturating_add(self.ticks_beyond),
        };
        let (first_ms, tick_ms) = (self.first_ms.value(options), self.tick_ms.value(options));
        ClockSpec { first_ms, tick_ms: tick_ms.max(1), ticks }
    }
}

/// Limits of a bot unless the tournament says otherwise; `None` leaves the
/// common default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefaultLimits {
    /// Wall clock until a bot that stays is ready.
    pub start: Option<Duration>,
    /// Processor time of a turn.
    pub cpu: Option<Duration>,
    /// Wall clock of a turn, after which an answer is late.
    pub turn: Option<Duration>,
    /// Wall clock of a turn, after which the bot is ended.
    pub kill: Option<Duration>,
    /// Memory of all processes, bytes.
    pub memory_bytes: Option<u64>,
    /// True if the game's rule is wall clock: a bot may use all its cores until
    /// it is ended.
    pub counts_wall_clock: bool,
}

/// Participation of people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeopleSpec {
    /// The keys of a person in a game on a clock.
    pub keys: Vec<Key>,
    /// Keys or words of a person, in one line.
    pub keys_help: String,
    /// Options with another default where people type what programs would say.
    pub options: Vec<PersonOption>,
    /// Seats for people.
    pub seats: PeopleSeats,
    /// Description of an answer, with an example, for authors whose bot gave another; empty where
    /// only the rules have it.
    pub expected: &'static str,
}

impl PeopleSpec {
    /// Describes people who type lines, as `help` says.
    pub fn typed(help: &str) -> Self {
        Self { keys_help: help.to_owned(), ..Self::default() }
    }

    /// Adds what an answer is.
    #[must_use]
    pub fn expecting(self, expected: &'static str) -> Self {
        Self { expected, ..self }
    }
}

/// A key of a person, and the answer for which it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// A lower-case character; arrows are U+2190 to U+2193.
    pub key: char,
    /// The answer.
    pub answer: String,
}

impl Key {
    /// Makes a list of keys from a table.
    pub fn list(table: &[(char, &str)]) -> Vec<Self> {
        table.iter().map(|(key, answer)| Self { key: *key, answer: (*answer).to_owned() }).collect()
    }
}

/// An option that has another value where people play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonOption {
    /// The option, a whole number.
    pub name: String,
    /// Its value.
    pub value: i64,
}

/// Seats for people who play with bots; they sit in a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PeopleSeats {
    /// In front of the bots.
    #[default]
    First,
    /// Behind the bots.
    Last,
}

impl PeopleSeats {
    /// Returns the first seat of people who play with `bots` bots.
    #[must_use]
    pub fn first_seat(self, bots: usize) -> usize {
        match self {
            Self::First => 0,
            Self::Last => bots,
        }
    }
}

/// Constants in the source of clients of a game over TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSpec {
    /// The name of the server.
    pub host: String,
    /// The option by which a tournament gives the server another name.
    pub host_option: Option<String>,
    /// The port.
    pub port: u16,
    /// Milliseconds of silence after which bytes without a line end are given to
    /// the game as they are, by an [`crate::Input::Message`] without bytes.
    pub quiet_ms: u32,
}

/// A module that an agent can import, as the original's agents do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentModule {
    /// Its name, for instance `coderone.dungeon.agent`.
    pub name: String,
    /// Its source.
    pub source: String,
}

/// A view for people who write parsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// A name that a file can have.
    pub name: String,
    /// The view of the seat.
    pub parts: crate::Parts,
}

impl Sample {
    /// Makes a sample.
    pub fn new(name: impl Into<String>, parts: crate::Parts) -> Self {
        Self { name: name.into(), parts }
    }
}

/// A game, as plain data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameSpec {
    /// The id, for instance `battlebots`: lower-case words joined by `-`.
    pub id: String,
    /// Title of the game for people.
    pub title: String,
    /// The number of this game's rules revision. It is raised only when the
    /// game's bytes or results change.
    pub revision: u32,
    /// The rule sets, the default one first; never empty.
    pub rule_sets: Vec<String>,
    /// Number of seats it is offered with.
    pub seats: SeatRange,
    /// Order in which the seats think.
    pub thinking: Thinking,
    /// Quantity that ranks its bots unless the tournament says otherwise.
    pub rank_by: RankBy,
    /// Unit of its scores, such as `hit points`; empty for points of the game.
    pub score_unit: String,
    /// Clock of the game; `None` for games that ask and wait.
    pub clock: Option<ClockRule>,
    /// Milliseconds that it gives for an answer, if they may be fewer than those of a turn.
    pub answer_ms: Option<ClockTerm>,
    /// The name of the channel that speaks to this game's bots: `argv`, `files`, `http`,
    /// `lines`, `python-class` or `tcp-line`.
    pub channel: String,
    /// The names of the manifest formats that its bots may have; the first that
    /// fits a bot is taken.
    pub manifests: Vec<String>,
    /// Limits of its bots unless the tournament says otherwise.
    pub limits: DefaultLimits,
    /// The options it knows, with units and defaults.
    pub options: Vec<OptionSpec>,
    /// Names of some of the options in the original.
    pub original_names: Vec<OriginalName>,
    /// Participation of people.
    pub people: PeopleSpec,
    /// Constants in the source of clients of a game over TCP.
    pub tcp: Option<TcpSpec>,
    /// Module that agents of the channel `python-class` can import.
    pub agent_module: Option<AgentModule>,
    /// True if its judges offer the recording of the original, see
    /// [`crate::Recording`].
    pub has_recording: bool,
    /// Further facts about a game whose referee is a program of its own; `None` for
    /// games in this process.
    pub external: Option<ExternalSpec>,
    /// The rules for people, in Markdown.
    pub rules_text: String,
}

impl GameSpec {
    /// Returns what the referee is made from, if it is a program of its own.
    pub fn referee(&self) -> Option<RefereeHash> {
        self.external.as_ref().map(|external| external.hash)
    }

    /// Returns whether judging a bout again shows what was played: only an external game may
    /// not repeat.
    pub fn can_repeat(&self) -> bool {
        self.external.as_ref().is_none_or(|external| external.is_repeatable)
    }

    /// Returns whether its bots stay for a bout in which they are asked and waited for.
    pub fn has_bots_that_wait(&self) -> bool {
        self.clock.is_none() && (self.external.is_some() || self.limits.start.is_some())
    }

    /// Returns the rule set that is taken where nothing is said.
    pub fn default_rules(&self) -> &str {
        self.rule_sets.first().map_or("", String::as_str)
    }

    /// Returns whether the game has a rule set called `rules`.
    pub fn has_rules(&self, rules: &str) -> bool {
        self.rule_sets.iter().any(|known| known == rules)
    }

    /// Returns whether the game is played with `seats` seats.
    pub fn has_seats(&self, seats: u8) -> bool {
        (self.seats.fewest..=self.seats.most).contains(&seats)
    }

    /// Returns the options of a bout, those left out filled in.
    ///
    /// # Errors
    ///
    /// [`StartError`] when the rule set, an option alone or the number of seats does not fit.
    pub fn complete(&self, setup: &Setup<'_>) -> Result<Options, StartError> {
        if !self.has_rules(setup.rules) {
            return Err(StartError::UnknownRules(setup.rules.to_owned()));
        }
        if !self.has_seats(setup.seats) {
            return Err(StartError::Seats(setup.seats));
        }
        Ok(complete_options(&self.options, setup.options)?)
    }

    /// Returns whether its bots may have a manifest of the format called `format`.
    pub fn accepts(&self, format: &str) -> bool {
        self.manifests.iter().any(|known| known == format)
    }

    /// Returns how the clock runs with these options, or with the defaults where
    /// they do not fit; `None` for games that ask and wait.
    pub fn clock(&self, options: &Options) -> Option<ClockSpec> {
        Some(self.clock.as_ref()?.with(&self.options_or_defaults(options)))
    }

    /// Returns the time that the game itself gives for an answer with these options.
    pub fn answer_limit(&self, options: &Options) -> Option<Duration> {
        let ms = self.answer_ms.as_ref()?.value(&self.options_or_defaults(options));
        Some(Duration::from_millis(ms.into()))
    }

    fn options_or_defaults(&self, options: &Options) -> Options {
        let options = complete_options(&self.options, options);
        options.unwrap_or_else(|_| default_options(&self.options))
    }
}
