//! Values of points and tie-breaks, each in the unit in which people know it.

use std::fmt;

use joust_model::{Score, plain_score};
use serde::{Serialize, Serializer};

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

/// A number of quarters: points come in halves, their products in quarters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarters(pub i64);

impl Quarters {
    /// Makes a whole number.
    pub fn whole(number: i64) -> Self {
        Self(number.saturating_mul(4))
    }

    /// Makes a number of halves.
    pub fn halves(number: i64) -> Self {
        Self(number.saturating_mul(2))
    }

    /// Returns the number; exact up to 2^51.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "no tournament has 2^51 points")]
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 4.0
    }
}

/// As few decimals as it takes: `3`, `2.5`, `6.75`.
impl fmt::Display for Quarters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.unsigned_abs() / 4, self.0.unsigned_abs() % 4);
        let sign = if self.0 < 0 { "-" } else { "" };
        let decimals = ["", ".25", ".5", ".75"][usize::try_from(part).unwrap_or(0)];
        f.pad(&format!("{sign}{whole}{decimals}"))
    }
}

impl Serialize for Quarters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 % 4 == 0 {
            serializer.serialize_i64(self.0 / 4)
        } else {
            serializer.serialize_f64(self.as_f64())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_shown_with_the_decimals_it_has() {
        let shown = [0, 12, 10, 27, -1].map(|quarters| Quarters(quarters).to_string());
        assert_eq!(shown, ["0", "3", "2.5", "6.75", "-0.25"]);
    }
}
