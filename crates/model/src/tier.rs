//! Tier of isolation that a bout was played with.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// Tier of the sandbox that a bout was played in, from `A`, where everything is enforced, to
/// `D`, where bots were not isolated.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
)]
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
    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns whether bots were isolated from the machine and from each other.
    #[must_use]
    pub fn is_isolated(self) -> bool {
        self != Self::D
    }
}
