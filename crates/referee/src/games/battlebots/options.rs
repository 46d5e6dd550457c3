//! Options and constants: rule sets, what an organiser can change, and the numbers of the
//! game.

use super::spec::SPEC;
use crate::named::named;
use crate::options::whole;
use crate::{OptionSpec, Point, Setup, StartError};

/// Columns and rows of the arena.
///
/// Source: [Arena and start](crate::docs::battlebots#arena-and-start).
pub const ARENA_SQUARES: i32 = 10;

/// Hit points at the start of a bout.
///
/// Source: [Arena and start](crate::docs::battlebots#arena-and-start).
pub const START_HP: i32 = 10;

/// Starting squares, in seat order.
///
/// Source: [Arena and start](crate::docs::battlebots#arena-and-start).
pub const START_SQUARES: [Point; 2] = [Point { x: 1, y: 1 }, Point { x: 8, y: 8 }];

/// Rounds after which a bout ends.
///
/// Source: [End of the bout](crate::docs::battlebots#end-of-the-bout).
pub const MAX_ROUNDS: u32 = 1000;

/// Rounds without movement after an EMP.
///
/// Source: [EMP](crate::docs::battlebots#emp).
pub const PARALYSIS_ROUNDS: u32 = 2;

/// Hit points an EMP costs its user.
///
/// Source: [EMP](crate::docs::battlebots#emp).
pub const EMP_COST: i32 = 1;

/// Squares a bullet flies in one round.
///
/// Source: [Bullets](crate::docs::battlebots#bullets).
pub const BULLET_SQUARES_PER_ROUND: u32 = 3;

/// Hit points a bullet takes.
///
/// Source: [Bullets](crate::docs::battlebots#bullets).
pub const BULLET_DAMAGE: i32 = 1;

/// Squares a missile flies in one round.
///
/// Source: [Missiles](crate::docs::battlebots#missiles).
pub const MISSILE_SQUARES_PER_ROUND: u32 = 2;

/// Hit points a mine takes from the bot that stands on it.
///
/// Source: [Movement and mines](crate::docs::battlebots#movement-and-mines).
pub const MINE_DAMAGE: i32 = 2;

/// Hit points an explosion takes from a bot beside it.
///
/// Source: [Deploying weapons](crate::docs::battlebots#deploying-weapons),
/// [Missiles](crate::docs::battlebots#missiles).
pub const SPLASH_DAMAGE: i32 = 1;

const MAX_ROUNDS_KEY: &str = "max_rounds";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    let most = i64::from(MAX_ROUNDS);
    let help = "rounds after which a bout ends; the original plays 1000";
    vec![OptionSpec::int(MAX_ROUNDS_KEY, 1..=most, most, help)]
}

named! {
    /// A rule set. What differs between them is listed in `quirks.rs`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Rules {
        /// Rules of the README.
        Documented = "documented",
        /// Rules of the program that ran the tournaments.
        Original = "original",
    }
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// The rule set.
    pub rules: Rules,
    /// Rounds after which the bout ends.
    pub max_rounds: u32,
}

impl BoutOptions {
    /// Reads rules and options of `setup`.
    ///
    /// # Errors
    ///
    /// [`StartError`] names the rule set, the option or the number of seats
    /// that does not fit.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self, StartError> {
        let rules = Rules::from_name(setup.rules)
            .ok_or_else(|| StartError::UnknownRules(setup.rules.to_owned()))?;
        let options = SPEC.complete(setup)?;
        Ok(Self { rules, max_rounds: whole(&options, MAX_ROUNDS_KEY).unwrap_or(MAX_ROUNDS) })
    }
}
