//! Options and constants: rule sets, what an organiser can change, and the numbers of the
//! game.

use super::Weapon;
use super::spec::SPEC;
use crate::games::entelect::LineEndings;
use crate::named::named;
use crate::options::word;
use crate::{OptionSpec, Options, Setup, StartError};

/// Consecutive do-nothings after which a player is killed.
///
/// Source: [Harness kills](crate::docs::battleships_2017#harness-kills).
pub const DO_NOTHINGS_TO_DEATH: u32 = 20;

/// Failed placements after which a player is killed.
///
/// Source: [Five attempts](crate::docs::battleships_2017#five-attempts).
pub const FAILED_PLACEMENTS_TO_DEATH: u32 = 5;

/// Rounds without an active shield that bring a charge.
///
/// Source: [Shield](crate::docs::battleships_2017#shield).
pub const CHARGE_ROUNDS: u32 = 7;

/// Points for a cell of a ship hit for the first time.
///
/// Source: [Points](crate::docs::battleships_2017#points).
pub const HIT_POINTS: i32 = 10;

/// Points for hitting the last cell of a ship.
///
/// Source: [Points](crate::docs::battleships_2017#points).
pub const SINK_POINTS: i32 = 30;

/// Points for an opponent who has lost all ships.
///
/// Source: [Points](crate::docs::battleships_2017#points).
pub const KILL_POINTS: i32 = 100;

const MAP_SIZE: &str = "map_size";
const RELEASE: &str = "release";
const LINE_ENDINGS: &str = "line_endings";
const TOURNAMENT_MODE: &str = "tournament_mode";
const PHASE_2_PLACEMENT: &str = "phase_2_placement";

/// Returns the options of an event that plays this game.
pub(super) fn options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::one_of(
            MAP_SIZE,
            &["medium", "small", "large", "2", "1", "3"],
            "small (1) is 7 x 7 cells, medium (2) 10 x 10, large (3) 14 x 14",
        ),
        OptionSpec::one_of(
            RELEASE,
            &["1.2", "1.1", "1.0"],
            "1.0 has single shots only, 1.1 adds special weapons and energy, 1.2 adds shields and \
             a dearer seeker missile",
        ),
        OptionSpec::one_of(
            LINE_ENDINGS,
            &["lf", "crlf"],
            "how lines of map.txt end; the original's own tournament had crlf",
        ),
        OptionSpec::bool(
            TOURNAMENT_MODE,
            true,
            "true: the replay folder is written when the bout is over; false: round by round. A \
             bot finds its own folder of the current round only, either way",
        ),
        OptionSpec::one_of(
            PHASE_2_PLACEMENT,
            &["by-rules", "allowed", "refused"],
            "whether a place.txt in phase 2 moves the fleet; by-rules: `original` allows it, \
             `documented` refuses it",
        ),
    ]
}

named! {
    /// A rule set. What differs between them is listed in `quirks.rs`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Rules {
        /// Rules of the program, with the harness kill of release 1.2.0.
        Original = "original",
        /// Rules of the README.
        Documented = "documented",
    }
}

/// Size of the two maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapSize {
    /// 7 x 7 cells.
    Small,
    /// 10 x 10 cells.
    Medium,
    /// 14 x 14 cells.
    Large,
}

impl MapSize {
    /// Returns columns and rows.
    ///
    /// Source: [Board and ships](crate::docs::battleships_2017#board-and-ships).
    #[must_use]
    pub fn side(self) -> u8 {
        match self {
            Self::Small => 7,
            Self::Medium => 10,
            Self::Large => 14,
        }
    }

    /// Returns the energy a player gets in a round.
    ///
    /// Source: [Board and ships](crate::docs::battleships_2017#board-and-ships).
    #[must_use]
    pub fn energy_per_round(self) -> i32 {
        match self {
            Self::Small => 2,
            Self::Medium => 3,
            Self::Large => 4,
        }
    }

    /// Returns the largest radius of a shield, in cells.
    ///
    /// Source: [Board and ships](crate::docs::battleships_2017#board-and-ships).
    #[must_use]
    pub fn max_shield_radius(self) -> u32 {
        match self {
            Self::Small => 1,
            Self::Medium => 2,
            Self::Large => 3,
        }
    }

    /// Returns the number of the last round that is played.
    ///
    /// Source: [Length](crate::docs::battleships_2017#length).
    #[must_use]
    pub fn last_round(self) -> u32 {
        let side = u32::from(self.side());
        side * side + 5
    }
}

/// A release of the original, by what can be done in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// Single shots only, no energy.
    Shots,
    /// Special weapons and energy.
    Weapons,
    /// Shields, and a dearer seeker missile.
    Shields,
}

/// Settings of a bout of this game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoutOptions {
    /// The rule set.
    pub rules: Rules,
    /// Size of the maps.
    pub size: MapSize,
    /// Commands that exist.
    pub release: Release,
    /// Line ends of `map.txt`.
    pub line_endings: LineEndings,
    /// True if a placement in phase 2 is carried out.
    pub moves_fleet_in_phase_2: bool,
}

impl BoutOptions {
    /// Makes the default options of a rule set.
    pub fn new(rules: Rules) -> Self {
        Self {
            rules,
            size: MapSize::Medium,
            release: Release::Shields,
            line_endings: LineEndings::Lf,
            moves_fleet_in_phase_2: rules.moves_fleet_in_phase_2(),
        }
    }

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
        Ok(Self::from_complete(rules, &options))
    }

    fn from_complete(rules: Rules, options: &Options) -> Self {
        let word = |name: &str| word(options, name);
        Self {
            rules,
            size: match word(MAP_SIZE).as_str() {
                "small" | "1" => MapSize::Small,
                "large" | "3" => MapSize::Large,
                _ => MapSize::Medium,
            },
            release: match word(RELEASE).as_str() {
                "1.0" => Release::Shots,
                "1.1" => Release::Weapons,
                _ => Release::Shields,
            },
            line_endings: LineEndings::of(&word(LINE_ENDINGS)),
            moves_fleet_in_phase_2: match word(PHASE_2_PLACEMENT).as_str() {
                "allowed" => true,
                "refused" => false,
                _ => rules.moves_fleet_in_phase_2(),
            },
        }
    }

    /// Returns the energy a player gets in a round, and starts with. There is
    /// none in release 1.0.
    pub fn energy_per_round(&self) -> i32 {
        if self.release == Release::Shots { 0 } else { self.size.energy_per_round() }
    }

    /// Returns the energy that `weapon` costs.
    ///
    /// Release 1.1 has the seeker missile for the 10 rounds that the README's rules still
    /// name; in release 1.0 nothing costs anything.
    ///
    /// Source: [Costs and cells](crate::docs::battleships_2017#costs-and-cells),
    /// [README against program](crate::docs::battleships_2017#readme-against-program), row 1.
    pub fn energy_cost(&self, weapon: Weapon) -> i32 {
        let rounds = match weapon {
            Weapon::SingleShot if self.release == Release::Shots => return 0,
            Weapon::SingleShot => return 1,
            Weapon::DoubleShot => 8,
            Weapon::SeekerMissile if self.release < Release::Shields => 10,
            Weapon::CornerShot => 10,
            Weapon::DiagonalCrossShot | Weapon::SeekerMissile => 12,
            Weapon::CrossShot => 14,
        };
        rounds * self.energy_per_round()
    }
}
