//! Options and constants: what an organiser can change, and the numbers of the game.

use super::spec::SPEC;
use crate::games::entelect::LineEndings;
use crate::options::{whole, word};
use crate::{OptionSpec, Seed, Setup, StartError};

/// Smallest and largest number of players.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const PLAYERS: (u8, u8) = (2, 12);

/// Seats there can be.
pub(super) const MAX_PLAYERS: usize = PLAYERS.1 as usize;

/// Bombs a player may have on the map at the start.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const START_BAG: u32 = 1;

/// Blocks a blast reaches at the start.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const START_RADIUS: u32 = 1;

/// A draw below this number, out of 0 to 99, places a wall.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const WALL_PERCENT: i32 = 35;

/// Points per wall and bomb.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const WALL_POINTS: i64 = 10;

/// Points that come with the super power-up.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub const SUPER_POINTS: i64 = 50;

/// Points in the bounty's pot in addition to the points of the walls.
///
/// Source: [Bounty](crate::docs::bomberman_2016#bounty).
pub const BOUNTY_BASE: i64 = 100;

/// Do-nothing commands in a row after which a bot plants a bomb.
///
/// Source: [Order of a match](crate::docs::bomberman_2016#order-of-a-match).
pub const IDLE_ROUNDS: u32 = 20;

const LINE_ENDINGS: &str = "line_endings";
const MAP_SEED: &str = "map_seed";
const MAX_ROUNDS: &str = "max_rounds";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::one_of(
            LINE_ENDINGS,
            &["lf", "crlf"],
            "how lines of map.txt end: `lf`, or `crlf` as on the Windows of the tournament",
        ),
        OptionSpec::optional_int(
            MAP_SEED,
            i32::MIN.into()..=i32::MAX.into(),
            "the game seed of the original, which decides the map and is shown to the bots; left \
             out, it follows from the seed of the bout",
        ),
        OptionSpec::optional_int(
            MAX_ROUNDS,
            1..=41 * 41 + 1,
            "rounds after which a bout ends; left out, as in the original: blocks of the map plus \
             1, so 442, 962 or 1682",
        ),
    ]
}

/// Returns the side of the map for a number of players, in blocks.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub fn map_side(players: u8) -> u8 {
    match players {
        0..=4 => 21,
        5..=8 => 31,
        _ => 41,
    }
}

/// Returns the timer of a bomb when it is planted, in rounds.
///
/// Source: [Constants](crate::docs::bomberman_2016#constants).
pub fn bomb_timer(bag: u32) -> u32 {
    bag.saturating_mul(3).min(9) + 1
}

/// Returns the game seed that a bout's seed stands for.
///
/// Both halves of the bout's seed are combined by exclusive or and the highest
/// bit is cut off, since a seed and its negative give the same map. So a seed
/// below 2147483648 is itself the game seed.
pub fn game_seed(seed: Seed) -> i32 {
    let [low, high] = [seed.0 as u32, (seed.0 >> 32) as u32];
    ((low ^ high) & 0x7fff_ffff).cast_signed()
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// Line ends of `map.txt`.
    pub line_endings: LineEndings,
    /// The game seed.
    pub game_seed: i32,
    /// Rounds after which the bout ends, if before the original's last one.
    pub max_rounds: Option<u32>,
}

impl BoutOptions {
    /// Reads rules and options of `setup`.
    ///
    /// # Errors
    ///
    /// [`StartError`] names the rule set, the option or the number of seats
    /// that does not fit.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self, StartError> {
        let options = SPEC.complete(setup)?;
        let map_seed = whole::<i64>(&options, MAP_SEED).map(|seed| seed as i32);
        Ok(Self {
            line_endings: LineEndings::of(&word(&options, LINE_ENDINGS)),
            game_seed: map_seed.unwrap_or_else(|| game_seed(setup.seed)),
            max_rounds: whole(&options, MAX_ROUNDS),
        })
    }
}
