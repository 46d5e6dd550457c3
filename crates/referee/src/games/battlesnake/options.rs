//! Options and constants: what an organiser can change, and the numbers of the game.
//!
//! Source of the numbers: [Constants](crate::docs::battlesnake#constants).

use super::Map;
use super::spec::SPEC;
use crate::named::named;
use crate::options::{whole, word};
use crate::{OptionSpec, Options, OptionsError, OriginalName, Setup, StartError, default_options};

/// Health at the start and after a meal, and the most there is.
pub const MAX_HEALTH: i32 = 100;

/// Length at the start; all squares are the same.
pub const START_LENGTH: usize = 3;

/// The most seats.
pub const SEATS_MOST: u8 = 8;

/// The most snakes for which the original has places.
pub(super) const SNAKES_MOST: usize = 16;

/// The most columns, and the most rows.
pub(super) const LONGEST_SIDE: i64 = 25;

const RULESET: &str = "ruleset";
const MAP: &str = "map";
const WIDTH: &str = "width";
const HEIGHT: &str = "height";
pub(super) const TIMEOUT: &str = "timeout_ms";
const FOOD_SPAWN_CHANCE: &str = "food_spawn_chance";
const MINIMUM_FOOD: &str = "minimum_food";
const HAZARD_DAMAGE: &str = "hazard_damage";
const SHRINK_EVERY: &str = "shrink_every";
const MAX_TURNS: &str = "max_turns";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    let rulesets = Ruleset::ALL.map(Ruleset::name);
    let maps = Map::ALL.map(Map::name);
    vec![
        OptionSpec::one_of(RULESET, &rulesets, "the ruleset of the original"),
        OptionSpec::one_of(MAP, &maps, "the map of the original, which places food and hazards"),
        OptionSpec::int(
            WIDTH,
            5..=LONGEST_SIDE,
            11,
            "columns of the board; usual are 7, 11 and 19",
        ),
        OptionSpec::int(HEIGHT, 5..=LONGEST_SIDE, 11, "rows of the board"),
        OptionSpec::int(
            TIMEOUT,
            1..=60_000,
            500,
            "milliseconds for an answer; `limits.turn` bounds it, too",
        ),
        OptionSpec::int(
            FOOD_SPAWN_CHANCE,
            0..=100,
            15,
            "percent of turns in which food appears, plus one: the original never adds food for 1",
        ),
        OptionSpec::int(MINIMUM_FOOD, 0..=100, 1, "the least food on the board"),
        OptionSpec::int(
            HAZARD_DAMAGE,
            -100..=100,
            14,
            "health that a hazard costs in a turn; a negative number heals",
        ),
        OptionSpec::int(
            SHRINK_EVERY,
            1..=10_000,
            25,
            "turns from one change of the hazards to the next, for rulesets and maps that have them",
        ),
        OptionSpec::int(
            MAX_TURNS,
            1..=10_000,
            2_000,
            "turns after which the living share the first rank; the original has no limit",
        ),
    ]
}

/// Returns the names of options in the original.
pub(super) fn original_names() -> Vec<OriginalName> {
    let names = [
        ("timeout", TIMEOUT),
        ("foodSpawnChance", FOOD_SPAWN_CHANCE),
        ("minimumFood", MINIMUM_FOOD),
        ("hazardDamagePerTurn", HAZARD_DAMAGE),
        ("shrinkEveryNTurns", SHRINK_EVERY),
    ];
    names.map(|(name, option)| OriginalName::new(name, option, 0)).into()
}

named! {
    /// A ruleset.
    ///
    /// Source: [Rulesets](crate::docs::battlesnake#rulesets).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Ruleset {
        /// The rules for two and more.
        Standard = "standard",
        /// The standard rules until nobody is left.
        Solo = "solo",
        /// Hazards close in from the sides, whatever the map.
        Royale = "royale",
        /// Snakes grow in every turn and never starve; there is no food.
        Constrictor = "constrictor",
        /// The sides of the board are joined.
        Wrapped = "wrapped",
        /// Both.
        WrappedConstrictor = "wrapped_constrictor",
    }
}

impl Ruleset {
    /// Returns whether the sides of the board are joined.
    #[must_use]
    pub fn wraps(self) -> bool {
        matches!(self, Self::Wrapped | Self::WrappedConstrictor)
    }

    /// Returns whether snakes grow in every turn.
    #[must_use]
    pub fn constricts(self) -> bool {
        matches!(self, Self::Constrictor | Self::WrappedConstrictor)
    }
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// The ruleset.
    pub ruleset: Ruleset,
    /// The map.
    pub map: Map,
    /// Columns of the board.
    pub width: i16,
    /// Rows of the board.
    pub height: i16,
    /// Milliseconds for an answer.
    pub timeout_ms: u32,
    /// Percent, one more than the chance that food appears in a turn.
    pub food_spawn_chance: i32,
    /// The least food on the board.
    pub minimum_food: i32,
    /// Health that each layer of a hazard costs; negative numbers heal.
    pub hazard_damage: i32,
    /// Turns from one change of the hazards to the next.
    pub shrink_every: u32,
    /// Turns after which the bout ends.
    pub max_turns: u32,
    /// True if the bout ends when nobody is left, false if it ends when one is left.
    pub is_solo: bool,
}

impl BoutOptions {
    /// Reads rules, options and seats of `setup`.
    ///
    /// # Errors
    ///
    /// [`StartError`] names the rule set, the option or the number of seats that does not fit.
    pub fn from_setup(setup: &Setup<'_>) -> Result<Self, StartError> {
        let options = SPEC.complete(setup)?;
        let map = Map::from_name(&word(&options, MAP)).unwrap_or(Map::Standard);
        let read = Self { map, ..Self::of(&options, setup.seats) };
        read.check_size()?;
        Ok(read)
    }

    /// Returns the error of a map or a board without room for so many snakes.
    pub(super) fn no_room(&self, seats: u8) -> StartError {
        let Self { width, height, .. } = self;
        let expected = format!("a map that has room for {seats} snakes on {width}x{height}");
        wrong(MAP, self.map.name(), expected)
    }

    fn of(options: &Options, seats: u8) -> Self {
        let ruleset = Ruleset::from_name(&word(options, RULESET)).unwrap_or(Ruleset::Standard);
        Self {
            ruleset,
            map: Map::Standard,
            width: whole(options, WIDTH).unwrap_or_default(),
            height: whole(options, HEIGHT).unwrap_or_default(),
            timeout_ms: whole(options, TIMEOUT).unwrap_or_default(),
            food_spawn_chance: whole(options, FOOD_SPAWN_CHANCE).unwrap_or_default(),
            minimum_food: whole(options, MINIMUM_FOOD).unwrap_or_default(),
            hazard_damage: whole(options, HAZARD_DAMAGE).unwrap_or_default(),
            shrink_every: whole(options, SHRINK_EVERY).unwrap_or_default(),
            max_turns: whole(options, MAX_TURNS).unwrap_or_default(),
            is_solo: seats == 1 || ruleset == Ruleset::Solo,
        }
    }

    fn check_size(&self) -> Result<(), StartError> {
        let sizes = self.map.sizes();
        if sizes.is_empty()
            || sizes.iter().any(|size| (size.x, size.y) == (self.width, self.height))
        {
            return Ok(());
        }
        let sizes: Vec<_> = sizes.iter().map(|size| format!("{}x{}", size.x, size.y)).collect();
        let expected = format!("{WIDTH} x {HEIGHT} of {} for this map", sizes.join(" or "));
        Err(wrong(MAP, self.map.name(), expected))
    }
}

/// Settings of the defaults, for positions without a tournament.
impl Default for BoutOptions {
    fn default() -> Self {
        Self::of(&default_options(&SPEC.options), 2)
    }
}

fn wrong(name: &str, given: &str, expected: String) -> StartError {
    let (name, given) = (name.to_owned(), given.to_owned());
    StartError::Options(OptionsError::Value { name, given, expected })
}
