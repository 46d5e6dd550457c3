//! Tier of isolation that a bout was played with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Tier of the sandbox that a bout was played in, from `A`, where everything is enforced, to
/// `D`, where bots were not isolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Name spaces and control groups.
    A,
    /// Name spaces.
    B,
    /// A user per seat.
    C,
    /// No isolation.
    D,
}

impl Tier {
    const ALL: [Self; 4] = [Self::A, Self::B, Self::C, Self::D];

    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B => "B",
            Self::C => "C",
            Self::D => "D",
        }
    }

    /// Returns the tier called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tier| tier.name() == name)
    }

    /// Returns whether bots were isolated from the machine and from each other.
    #[must_use]
    pub fn is_isolated(self) -> bool {
        self != Self::D
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
