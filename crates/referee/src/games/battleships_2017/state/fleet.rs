//! Ships, the weapons they carry, and the ways to fire them.

/// A type of ship, in the order in which the original lists them.
///
/// Source: [Board and ships](crate::docs::battleships_2017#board-and-ships).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ShipKind {
    /// Three cells.
    Submarine,
    /// Two cells.
    Destroyer,
    /// Four cells.
    Battleship,
    /// Five cells.
    Carrier,
    /// Three cells.
    Cruiser,
}

impl ShipKind {
    /// Every ship, in order.
    pub const ALL: [Self; 5] =
        [Self::Submarine, Self::Destroyer, Self::Battleship, Self::Carrier, Self::Cruiser];

    /// Returns the ship's place in [`ShipKind::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns how many cells it takes.
    #[must_use]
    pub fn length(self) -> usize {
        match self {
            Self::Submarine | Self::Cruiser => 3,
            Self::Destroyer => 2,
            Self::Battleship => 4,
            Self::Carrier => 5,
        }
    }

    /// Returns the name in `state.json`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Submarine => "Submarine",
            Self::Destroyer => "Destroyer",
            Self::Battleship => "Battleship",
            Self::Carrier => "Carrier",
            Self::Cruiser => "Cruiser",
        }
    }

    /// Returns the name in `map.txt`.
    #[must_use]
    pub fn printed_name(self) -> &'static str {
        if self == Self::Battleship { "Battle Ship" } else { self.name() }
    }

    /// Returns the letter of a healthy cell.
    #[must_use]
    pub fn letter(self) -> u8 {
        match self {
            Self::Submarine => b'S',
            Self::Destroyer => b'D',
            Self::Battleship => b'B',
            Self::Carrier => b'C',
            Self::Cruiser => b'R',
        }
    }

    /// Returns the ship called `word`, in any mixture of cases.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ship| ship.name().eq_ignore_ascii_case(word))
    }
}

/// A weapon.
///
/// Source: [Costs and cells](crate::docs::battleships_2017#costs-and-cells).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weapon {
    /// Every ship has it.
    SingleShot,
    /// The destroyer's.
    DoubleShot,
    /// The carrier's.
    CornerShot,
    /// The battleship's.
    DiagonalCrossShot,
    /// The cruiser's.
    CrossShot,
    /// The submarine's.
    SeekerMissile,
}

impl Weapon {
    /// Returns the name in the files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SingleShot => "SingleShot",
            Self::DoubleShot => "DoubleShot",
            Self::CornerShot => "CornerShot",
            Self::DiagonalCrossShot => "DiagonalCrossShot",
            Self::CrossShot => "CrossShot",
            Self::SeekerMissile => "SeekerMissile",
        }
    }
}

/// A way to fire: codes 1 to 7 of `command.txt`, in that order.
///
/// Source: [Commands](crate::docs::battleships_2017#commands).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shot {
    /// One cell.
    Single,
    /// The cells below and above.
    DoubleVertical,
    /// The cells to the left and to the right.
    DoubleHorizontal,
    /// The four corners.
    Corner,
    /// The four corners and the middle.
    CrossDiagonal,
    /// The four sides and the middle.
    CrossNormal,
    /// The nearest part of a ship.
    Seeker,
}

impl Shot {
    /// Every shot, in the order of the codes from 1.
    pub const ALL: [Self; 7] = [
        Self::Single,
        Self::DoubleVertical,
        Self::DoubleHorizontal,
        Self::Corner,
        Self::CrossDiagonal,
        Self::CrossNormal,
        Self::Seeker,
    ];

    /// Returns the code in `command.txt`.
    #[must_use]
    pub fn code(self) -> i32 {
        self as i32 + 1
    }

    /// Returns the shot whose code is `code`.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|shot| shot.code() == code)
    }

    /// Returns the name in `roundCommand.json`.
    #[must_use]
    pub fn command_name(self) -> &'static str {
        match self {
            Self::Single => "FireSingleShot",
            Self::DoubleVertical => "FireDoubleShotVertical",
            Self::DoubleHorizontal => "FireDoubleShotHorizontal",
            Self::Corner => "FireCornerShot",
            Self::CrossDiagonal => "FireCrossShotDiagonal",
            Self::CrossNormal => "FireCrossShotNormal",
            Self::Seeker => "FireSeekerMissile",
        }
    }

    /// Returns the weapon that is fired.
    #[must_use]
    pub fn weapon(self) -> Weapon {
        match self {
            Self::Single => Weapon::SingleShot,
            Self::DoubleVertical | Self::DoubleHorizontal => Weapon::DoubleShot,
            Self::Corner => Weapon::CornerShot,
            Self::CrossDiagonal => Weapon::DiagonalCrossShot,
            Self::CrossNormal => Weapon::CrossShot,
            Self::Seeker => Weapon::SeekerMissile,
        }
    }

    /// Returns the ship that must not be destroyed; any ship will do for a
    /// single shot.
    #[must_use]
    pub fn owner(self) -> Option<ShipKind> {
        match self {
            Self::Single => None,
            Self::DoubleVertical | Self::DoubleHorizontal => Some(ShipKind::Destroyer),
            Self::Corner => Some(ShipKind::Carrier),
            Self::CrossDiagonal => Some(ShipKind::Battleship),
            Self::CrossNormal => Some(ShipKind::Cruiser),
            Self::Seeker => Some(ShipKind::Submarine),
        }
    }

    /// Returns the cells that are struck, relative to the point aimed at, in
    /// the order in which they are struck: ascending x, then ascending y. A
    /// seeker missile moves its only one.
    #[must_use]
    pub fn pattern(self) -> &'static [(i32, i32)] {
        match self {
            Self::Single | Self::Seeker => &[(0, 0)],
            Self::DoubleVertical => &[(0, -1), (0, 1)],
            Self::DoubleHorizontal => &[(-1, 0), (1, 0)],
            Self::Corner => &[(-1, -1), (-1, 1), (1, -1), (1, 1)],
            Self::CrossDiagonal => &[(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
            Self::CrossNormal => &[(-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)],
        }
    }
}
