//! Options and constants: rule sets, what an organiser can change, and the numbers of the
//! game.

use crate::{OptionKind, OptionSpec, OptionValue, Point, Setup, StartError, complete_options};

/// Columns and rows of the arena.
///
/// Source: [Arena and start](crate::docs::battlebots#arena-and-start).
pub const ARENA_SQUARES: i32 = 10;

/// Hit points at the start of a bout.
///
/// Source: [Arena and start](crate::docs::battlebots#arena-and-start).
pub const START_HP: i32 = 10;

/// Where the seats start, in seat order.
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

/// Names of the rule sets, the default first.
pub(super) const RULE_SETS: &[&str] = &["documented", "original"];

/// Options of an event that plays this game.
pub(super) const OPTIONS: &[OptionSpec] = &[OptionSpec {
    name: MAX_ROUNDS_KEY,
    kind: OptionKind::Int { min: 1, max: MAX_ROUNDS as i64, default: MAX_ROUNDS as i64 },
    help: "rounds after which a bout ends; the original plays 1000",
}];

const MAX_ROUNDS_KEY: &str = "max_rounds";

/// A rule set. What differs between them is listed in `quirks.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// What the README promises.
    Documented,
    /// What the program did that ran the tournaments.
    Original,
}

impl Rules {
    /// Returns the rule set called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "documented" => Some(Self::Documented),
            "original" => Some(Self::Original),
            _ => None,
        }
    }
}

/// All that a bout of this game can be told.
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
        if setup.seats != 2 {
            return Err(StartError::Seats(setup.seats));
        }
        let options = complete_options(OPTIONS, setup.options).map_err(StartError::Options)?;
        let max_rounds = match options.get(MAX_ROUNDS_KEY) {
            Some(OptionValue::Int(rounds)) => u32::try_from(*rounds).unwrap_or(MAX_ROUNDS),
            _ => MAX_ROUNDS,
        };
        Ok(Self { rules, max_rounds })
    }
}
