//! Values of tie-breaks, each in the unit in which people know it.

use std::fmt;

use joust_model::{Score, plain_score};
use serde::{Serialize, Serializer};

use super::quarters::Quarters;

/// Value of a bot in one tie-break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreakValue {
    /// Counts, points and their products.
    Quarters(Quarters),
    /// The game's own points.
    Score(Score),
}

impl TieBreakValue {
    /// Returns the number.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Quarters(quarters) => quarters.as_f64(),
            Self::Score(score) => score.as_f64(),
        }
    }
}

impl From<Quarters> for TieBreakValue {
    fn from(quarters: Quarters) -> Self {
        Self::Quarters(quarters)
    }
}

impl fmt::Display for TieBreakValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Quarters(quarters) => quarters.fmt(f),
            Self::Score(score) => score.fmt(f),
        }
    }
}

impl Serialize for TieBreakValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Quarters(quarters) => quarters.serialize(serializer),
            Self::Score(score) => plain_score(score, serializer),
        }
    }
}
