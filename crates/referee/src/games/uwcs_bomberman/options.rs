//! Options and constants: what an organiser can change, and the numbers of the game.
//!
//! Source of the numbers: [Constants](crate::docs::uwcs_bomberman#constants).

use super::Quirks;
use crate::{
    ClockSpec, OptionKind, OptionSpec, OptionValue, Options, OptionsError, complete_options,
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

/// Names of the rule sets, the default first.
pub const RULE_SETS: &[&str] = &["documented", "original"];

const ROWS_KEY: &str = "rows";
const COLUMNS_KEY: &str = "columns";
const TURNS_KEY: &str = "turns";
const TICK_KEY: &str = "tick_ms";
const WINDOW_KEY: &str = "window_ms";

/// Time for people who type the protocol. Ours.
pub(super) const FOR_PEOPLE: &[(&str, i64)] = &[(WINDOW_KEY, 60_000), (TICK_KEY, 2_000)];

/// The option that names the server.
pub const HOST_KEY: &str = "host";

/// Options of an event that plays this game.
pub(super) const OPTIONS: &[OptionSpec] = &[
    OptionSpec {
        name: TICK_KEY,
        kind: OptionKind::Int { min: 10, max: 60_000, default: TICK_MS as i64 },
        help: "milliseconds between two turns; the original's is 500",
    },
    OptionSpec {
        name: TURNS_KEY,
        kind: OptionKind::Int { min: 1, max: 100_000, default: TURNS as i64 },
        help: "turns after which a game ends; the original plays 1000",
    },
    OptionSpec {
        name: ROWS_KEY,
        kind: OptionKind::Int { min: 3, max: 99, default: ROWS as i64 },
        help: "rows of the map; the original has 13",
    },
    OptionSpec {
        name: COLUMNS_KEY,
        kind: OptionKind::Int { min: 3, max: 99, default: COLUMNS as i64 },
        help: "columns of the map; the original has 13",
    },
    OptionSpec {
        name: WINDOW_KEY,
        kind: OptionKind::Int { min: 10, max: 60_000, default: INIT_WINDOW_MS as i64 },
        help: "milliseconds between INIT and the map, in which clients register; the original's are 500",
    },
    OptionSpec {
        name: HOST_KEY,
        kind: OptionKind::HostName(HOST),
        help: "the name by which clients know the server; it leads to the game in every seat",
    },
];

/// Returns the switches of the rule set called `name`.
#[must_use]
pub fn quirks_of(name: &str) -> Option<Quirks> {
    match name {
        "documented" => Some(Quirks::DOCUMENTED),
        "original" => Some(Quirks::ORIGINAL),
        _ => None,
    }
}

/// All that a game can be told.
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
    /// What the clock outside should do.
    pub clock: ClockSpec,
}

impl GameOptions {
    /// Makes the original's numbers with these rules.
    #[must_use]
    pub fn new(quirks: Quirks) -> Self {
        Self {
            quirks,
            rows: ROWS,
            columns: COLUMNS,
            turns: TURNS,
            clock: clock(INIT_WINDOW_MS, TICK_MS, TURNS),
        }
    }

    /// Reads options; those left out have their defaults.
    ///
    /// # Errors
    ///
    /// [`OptionsError`] names the option that is unknown or impossible.
    pub fn read(quirks: Quirks, options: &Options) -> Result<Self, OptionsError> {
        let all = complete_options(OPTIONS, options)?;
        let number = |key: &str| match all.get(key) {
            Some(OptionValue::Int(number)) => u32::try_from(*number).unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        let side = |key: &str| u16::try_from(number(key)).unwrap_or(u16::MAX);
        Ok(Self {
            quirks,
            rows: side(ROWS_KEY),
            columns: side(COLUMNS_KEY),
            turns: number(TURNS_KEY),
            clock: clock(number(WINDOW_KEY), number(TICK_KEY), number(TURNS_KEY)),
        })
    }
}

/// One tick closes the window, one more than there are turns may be needed to
/// end the game.
fn clock(first_ms: u32, tick_ms: u32, turns: u32) -> ClockSpec {
    ClockSpec { first_ms, tick_ms, ticks: turns.saturating_add(2) }
}
