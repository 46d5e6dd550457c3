//! Options and constants: what an organiser can change, and the numbers of the game.
//!
//! Source of the numbers: [Constants](crate::docs::uwcs_bomberman#constants).

use super::Quirks;
use super::spec::SPEC;
use crate::options::whole;
use crate::{
    ClockRule, ClockSpec, ClockTerm, OptionSpec, Options, OptionsError, PersonOption,
    complete_options,
};

/// Rows of the map.
pub const ROWS: u16 = 13;

/// Columns of the map.
pub const COLUMNS: u16 = 13;

/// Milliseconds between two turns.
pub const TICK_MS: u32 = 500;

/// Milliseconds in which clients may register.
///
/// Source: [Life of a game](crate::docs::uwcs_bomberman#life-of-a-game).
pub const INIT_WINDOW_MS: u32 = 500;

/// Turns after which a game ends.
pub const TURNS: u32 = 1000;

/// Players of one game at most.
pub const MAX_PLAYERS: usize = 6;

/// Squares a blast reaches in each direction.
///
/// Source: [Bombs and blasts](crate::docs::uwcs_bomberman#bombs-and-blasts).
pub const BLAST_SQUARES: i32 = 3;

/// The TCP port that the sample clients have in their source.
pub const PORT: u16 = 8037;

/// The name of the server that the sample clients have in their source.
pub const HOST: &str = "uwcs.co.uk";

/// Milliseconds of silence after which bytes without a line end are a command,
/// under rules that read lines. Ours: two of the sample clients never send a line end.
pub const QUIET_MS: u32 = 10;

/// Bytes of one line that has no end yet, at most; more close the connection. Ours.
pub const LINE_BYTES: usize = 4096;

const ROWS_KEY: &str = "rows";
const COLUMNS_KEY: &str = "columns";
const TURNS_KEY: &str = "turns";
const TICK_KEY: &str = "tick_ms";
const WINDOW_KEY: &str = "window_ms";

/// The option that names the server.
pub const HOST_KEY: &str = "host";

/// Time for people who type the protocol. Ours.
pub(super) fn for_people() -> Vec<PersonOption> {
    let option = |(name, value): (&str, i64)| PersonOption { name: name.to_owned(), value };
    [(WINDOW_KEY, 60_000), (TICK_KEY, 2_000)].map(option).into()
}

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::int(
            TICK_KEY,
            10..=60_000,
            TICK_MS.into(),
            "milliseconds between two turns; the original's is 500",
        ),
        OptionSpec::int(
            TURNS_KEY,
            1..=100_000,
            TURNS.into(),
            "turns after which a game ends; the original plays 1000",
        ),
        OptionSpec::int(ROWS_KEY, 3..=99, ROWS.into(), "rows of the map; the original has 13"),
        OptionSpec::int(
            COLUMNS_KEY,
            3..=99,
            COLUMNS.into(),
            "columns of the map; the original has 13",
        ),
        OptionSpec::int(
            WINDOW_KEY,
            10..=60_000,
            INIT_WINDOW_MS.into(),
            "milliseconds between INIT and the map, in which clients register; the original's are \
             500",
        ),
        OptionSpec::host_name(
            HOST_KEY,
            HOST,
            "the name by which clients know the server; it leads to the game in every seat",
        ),
    ]
}

/// One tick closes the window, one more than there are turns may be needed to end
/// the game.
pub(super) fn clock_rule() -> ClockRule {
    ClockRule {
        first_ms: ClockTerm::Option(WINDOW_KEY.to_owned()),
        tick_ms: ClockTerm::Option(TICK_KEY.to_owned()),
        ticks: ClockTerm::Option(TURNS_KEY.to_owned()),
        ticks_beyond: 2,
    }
}

/// Returns the switches of the rule set called `name`.
pub fn quirks_of(name: &str) -> Option<Quirks> {
    match name {
        "documented" => Some(Quirks::DOCUMENTED),
        "original" => Some(Quirks::ORIGINAL),
        _ => None,
    }
}

/// Settings of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameOptions {
    /// The rules.
    pub quirks: Quirks,
    /// Rows of the map.
    pub rows: u16,
    /// Columns of the map.
    pub columns: u16,
    /// Turns after which a game ends.
    pub turns: u32,
    /// Clock that the host runs.
    pub clock: ClockSpec,
}

impl GameOptions {
    /// Makes the original's numbers with these rules.
    pub fn new(quirks: Quirks) -> Self {
        Self { quirks, rows: ROWS, columns: COLUMNS, turns: TURNS, clock: clock(&Options::new()) }
    }

    /// Reads options; those left out have their defaults.
    ///
    /// # Errors
    ///
    /// [`OptionsError`] names the option that is unknown or impossible.
    pub fn read(quirks: Quirks, options: &Options) -> Result<Self, OptionsError> {
        let all = complete_options(&SPEC.options, options)?;
        let number = |key: &str| whole(&all, key).unwrap_or(u32::MAX);
        let side = |key: &str| u16::try_from(number(key)).unwrap_or(u16::MAX);
        Ok(Self {
            quirks,
            rows: side(ROWS_KEY),
            columns: side(COLUMNS_KEY),
            turns: number(TURNS_KEY),
            clock: clock(&all),
        })
    }
}

fn clock(options: &Options) -> ClockSpec {
    SPEC.clock(options).expect("the game is on a clock")
}
