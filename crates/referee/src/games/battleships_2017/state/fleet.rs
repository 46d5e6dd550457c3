//! Ships, the weapons they carry, and the ways to fire them.

use crate::named::named;

named! {
    /// A type of ship, in the order in which the original lists them.
    ///
    /// Source: [Board and ships](crate::docs::battleships_2017#board-and-ships).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ShipKind {
        /// Three cells.
        Submarine = "Submarine",
        /// Two cells.
        Destroyer = "Destroyer",
        /// Four cells.
        Battleship = "Battleship",
        /// Five cells.
        Carrier = "Carrier",
        /// Three cells.
        Cruiser = "Cruiser",
    }
}

impl ShipKind {
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

named! {
    /// A weapon.
    ///
    /// Source: [Costs and cells](crate::docs::battleships_2017#costs-and-cells).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Weapon {
        /// Every ship has it.
        SingleShot = "SingleShot",
        /// The destroyer's.
        DoubleShot = "DoubleShot",
        /// The carrier's.
        CornerShot = "CornerShot",
        /// The battleship's.
        DiagonalCrossShot = "DiagonalCrossShot",
        /// The cruiser's.
        CrossShot = "CrossShot",
        /// The submarine's.
        SeekerMissile = "SeekerMissile",
    }
}

named! {
    /// A way to fire: codes 1 to 7 of `command.txt`, in that order, by its name in
    /// `roundCommand.json`.
    ///
    /// Source: [Commands](crate::docs::battleships_2017#commands).
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Shot {
        /// One cell.
        Single = "FireSingleShot",
        /// The cells below and above.
        DoubleVertical = "FireDoubleShotVertical",
        /// The cells to the left and to the right.
        DoubleHorizontal = "FireDoubleShotHorizontal",
        /// The four corners.
        Corner = "FireCornerShot",
        /// The four corners and the middle.
        CrossDiagonal = "FireCrossShotDiagonal",
        /// The four sides and the middle.
        CrossNormal = "FireCrossShotNormal",
        /// The nearest part of a ship.
        Seeker = "FireSeekerMissile",
    }
}

impl Shot {
    /// Returns the code in `command.txt`.
    #[must_use]
    pub fn code(self) -> i32 {
        self as i32 + 1
    }

    /// Returns the shot whose code is `code`.
    pub fn from_code(code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|shot| shot.code() == code)
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
