//! Points of a game, to a millionth.

use std::fmt;
use std::ops::AddAssign;

/// Millionths of a point.
const PARTS: i64 = 1_000_000;

/// The game's own points of a seat: whole in most games, to a millionth in those whose
/// referee gives fractions. Sums are exact, in whatever order they are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score {
    millionths: i64,
}

impl Score {
    /// The most points of a bout, either way: sums of a thousand of them are exact.
    pub const MOST: f64 = 9e9;

    /// Makes whole points.
    pub const fn whole(points: i64) -> Self {
        Self { millionths: points.saturating_mul(PARTS) }
    }

    /// Makes a score of millionths of points.
    pub const fn millionths(millionths: i64) -> Self {
        Self { millionths }
    }

    /// Returns the millionths of points.
    #[must_use]
    pub const fn as_millionths(self) -> i64 {
        self.millionths
    }

    /// Returns the nearest score; above [`Score::MOST`] it stops somewhere.
    #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
    pub fn nearest(points: f64) -> Self {
        Self { millionths: (points * 1e6).round() as i64 }
    }

    /// Returns the points; exact where a number of 64 bits can be.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "the nearest number is what is wanted")]
    pub fn as_f64(self) -> f64 {
        self.millionths as f64 / 1e6
    }

    /// Returns the points if they are whole.
    #[must_use]
    pub const fn as_whole(self) -> Option<i64> {
        match self.millionths % PARTS {
            0 => Some(self.millionths / PARTS),
            _ => None,
        }
    }

    /// Returns how many millionths of points two scores are apart.
    #[must_use]
    pub const fn distance(self, other: Self) -> u64 {
        self.millionths.abs_diff(other.millionths)
    }
}

impl From<i64> for Score {
    fn from(points: i64) -> Self {
        Self::whole(points)
    }
}

impl From<i32> for Score {
    fn from(points: i32) -> Self {
        Self::whole(points.into())
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, more: Self) {
        self.millionths = self.millionths.saturating_add(more.millionths);
    }
}

/// As few decimals as it takes: `3`, `-0.5`, `1.333333`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.millionths.unsigned_abs();
        let (whole, part) = (all / PARTS.unsigned_abs(), all % PARTS.unsigned_abs());
        let sign = if self.millionths < 0 { "-" } else { "" };
        let shown = format!("{sign}{whole}.{part:06}");
        f.pad(shown.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_shown_with_the_decimals_it_has() {
        let shown = [0.0, 3.0, 10.0, -0.5, 1.0 / 3.0, 0.000_001, -100.0]
            .map(|points| Score::nearest(points).to_string());
        assert_eq!(shown, ["0", "3", "10", "-0.5", "0.333333", "0.000001", "-100"]);
    }

    #[test]
    fn tenths_add_up_to_what_people_expect() {
        let mut sum = Score::nearest(0.1);
        sum += Score::nearest(0.2);
        assert_eq!((sum, sum.as_f64()), (Score::nearest(0.3), 0.3));
    }

    #[test]
    fn whole_points_are_whole_numbers() {
        assert_eq!(Score::from(-7).as_whole(), Some(-7));
        assert_eq!(Score::nearest(0.5).as_whole(), None);
        assert_eq!(Score::nearest(Score::MOST).as_whole(), Some(9_000_000_000));
    }
}
