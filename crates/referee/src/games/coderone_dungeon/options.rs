//! Options and constants: what an organiser can change, and the numbers of the game.
//!
//! Source of the numbers: [Constants](crate::docs::coderone_dungeon#constants).

use super::spec::SPEC;
use crate::options::whole;
use crate::{
    ClockRule, ClockTerm, OptionSpec, OptionsError, OriginalName, Setup, StartError,
    complete_options,
};

/// Metal blocks on a new board, whatever its size.
pub const METAL_BLOCKS: usize = 18;

/// Wooden blocks on a new board, whatever its size.
pub const WOODEN_BLOCKS: usize = 20;

/// Ore blocks on a new board, whatever its size.
pub const ORE_BLOCKS: usize = 5;

/// Pieces of ammo that lie about on a new board.
pub const FREE_AMMO: usize = 1;

/// Hit points of a wooden block.
pub const WOODEN_HP: i32 = 1;

/// Hit points of an ore block.
pub const ORE_HP: i32 = 3;

/// Points for destroying a wooden block.
pub const WOODEN_REWARD: i64 = 2;

/// Points for destroying an ore block.
pub const ORE_REWARD: i64 = 10;

/// Points for hitting another player, per fire and tick.
pub const HIT_REWARD: i64 = 25;

/// Points for a treasure.
pub const TREASURE_REWARD: i64 = 1;

/// Hit points of a player at the start.
pub const PLAYER_HP: i32 = 3;

/// Ammo of a player at the start.
pub const PLAYER_AMMO: i32 = 3;

/// Squares the arms of a player's bombs reach, for ever.
pub const PLAYER_POWER: i32 = 2;

/// Ticks a bomb's timer starts with.
pub const BOMB_TIMER_TICKS: i32 = 35;

/// Ticks a fire lasts.
pub const FIRE_LIFE_TICKS: i32 = 1;

/// Ticks after which free ammo perishes.
pub const AMMO_LIFE_TICKS: i32 = 175;

/// Ticks until ammo comes back after it was laid as a bomb or perished.
pub const AMMO_RESPAWN_TICKS: i32 = 70;

/// Smallest and largest number of ticks between two treasures.
pub(super) const TREASURE_DELAY_TICKS: (u32, u32) = (50, 250);

/// Smallest and largest number of ticks until a treasure that found no free
/// square is tried again.
pub(super) const TREASURE_RETRY_TICKS: (u32, u32) = (1, 50);

/// The iteration limit of the tournament; the sample configuration of the
/// original has 3000. A bout that goes the distance has two ticks more.
pub const MAX_ITERATIONS: u32 = 1800;

/// Milliseconds from one tick to the next.
pub const TICK_MS: u32 = 100;

/// The largest number of seats.
pub const SEATS_MOST: u8 = 8;

const COLUMNS_KEY: &str = "columns";
const ROWS_KEY: &str = "rows";
const MAX_ITERATIONS_KEY: &str = "max_iterations";
const TICK_MS_KEY: &str = "tick_ms";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::int(
            COLUMNS_KEY,
            4..=64,
            12,
            "columns of the board; the numbers of blocks do not change with it",
        ),
        OptionSpec::int(ROWS_KEY, 4..=64, 10, "rows of the board"),
        OptionSpec::int(
            MAX_ITERATIONS_KEY,
            0..=1_000_000,
            MAX_ITERATIONS.into(),
            "the iteration limit; a bout that goes the distance has this many ticks and two more; \
             0 is none; the original's sample configuration has 3000",
        ),
        OptionSpec::int(
            TICK_MS_KEY,
            1..=60_000,
            TICK_MS.into(),
            "milliseconds from one tick to the next",
        ),
    ]
}

/// The original counts a tick in seconds. Source: its configuration file.
pub(super) fn original_names() -> Vec<OriginalName> {
    vec![OriginalName::new("tick_step", TICK_MS_KEY, 3)]
}

/// The first tick is at once: what agents see first is the state after it.
pub(super) fn clock() -> ClockRule {
    ClockRule {
        first_ms: ClockTerm::Fixed(0),
        tick_ms: ClockTerm::Option(TICK_MS_KEY.to_owned()),
        ticks: ClockTerm::Option(MAX_ITERATIONS_KEY.to_owned()),
        ticks_beyond: 2,
    }
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// Columns of the board.
    pub columns: i32,
    /// Rows of the board.
    pub rows: i32,
    /// The iteration limit, if there is one; 0 is none.
    pub max_iterations: Option<u32>,
    /// Number of players, 1 to [`SEATS_MOST`].
    pub seats: u8,
}

impl BoutOptions {
    /// Reads rules, options and seats of `setup`.
    ///
    /// # Errors
    ///
    /// [`StartError`] names what does not fit. A board that may be too small for the players
    /// and all blocks is refused, so that the seed does not decide whether a bout
    /// can start.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self, StartError> {
        if !SPEC.has_rules(setup.rules) {
            return Err(StartError::UnknownRules(setup.rules.to_owned()));
        }
        if !(1..=SEATS_MOST).contains(&setup.seats) {
            return Err(StartError::Seats(setup.seats));
        }
        let options = complete_options(&SPEC.options, setup.options)?;
        let number = |name: &str| whole(&options, name).unwrap_or(0);
        let read = Self {
            columns: number(COLUMNS_KEY),
            rows: number(ROWS_KEY),
            max_iterations: u32::try_from(number(MAX_ITERATIONS_KEY))
                .ok()
                .filter(|limit| *limit > 0),
            seats: setup.seats,
        };
        read.check_size()?;
        Ok(read)
    }

    fn check_size(&self) -> Result<(), StartError> {
        let needed = squares_needed(self.seats);
        if self.columns * self.rows >= needed {
            return Ok(());
        }
        let (rows, columns, seats) = (self.rows, self.columns, self.seats);
        Err(StartError::Options(OptionsError::Value {
            name: ROWS_KEY.to_owned(),
            given: rows.to_string(),
            expected: format!(
                "at least {}: {seats} players and all blocks need {needed} squares",
                (needed + columns - 1) / columns
            ),
        }))
    }
}

/// Returns how many squares are enough for `seats` players, each with five
/// squares kept free, and for everything else that lies on a new board.
fn squares_needed(seats: u8) -> i32 {
    const THINGS: usize = METAL_BLOCKS + WOODEN_BLOCKS + ORE_BLOCKS + FREE_AMMO;
    THINGS as i32 + 6 * i32::from(seats)
}
