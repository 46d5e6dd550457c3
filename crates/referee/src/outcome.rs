//! Outcome of a bout: ranks and points, and what is counted for a seat while it is played.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::AddAssign;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::{PerSeat, Seat};

/// Result of a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it ended, in the game's words: `knock-out`, `round-limit` and so on.
    pub ended: Cow<'static, str>,
    /// Rounds or ticks played.
    pub rounds: u32,
    /// Each seat's result.
    pub seats: PerSeat<SeatOutcome>,
}

/// One seat's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatOutcome {
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
    /// The game's own points (hp, points, kills ...).
    pub score: Score,
}

/// The SHA-256 of a game's canonical state bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StateHash(pub [u8; 32]);

impl StateHash {
    /// Returns the SHA-256 of the bytes that `write` appends.
    pub fn of(write: impl FnOnce(&mut Vec<u8>)) -> Self {
        let mut bytes = Vec::new();
        write(&mut bytes);
        Self(sha256(&bytes))
    }
}

/// Returns the SHA-256 of `bytes`.
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

impl fmt::Display for StateHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

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

/// A finite number. Numbers are equal when their bits are; there is no negative zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Finite(f64);

impl Finite {
    /// Returns `value`, unless it is infinite or no number.
    pub fn new(value: f64) -> Option<Self> {
        // Adding zero makes zero of the negative one.
        value.is_finite().then_some(Self(value + 0.0))
    }

    /// Returns the value.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }
}

// No value is one that differs from itself.
impl Eq for Finite {}

impl Hash for Finite {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// The shortest text that is read as the same number: `3`, `-0.5`, `1e300`.
impl fmt::Display for Finite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_handy = self.0 == 0.0 || (1e-5..1e16).contains(&self.0.abs());
        if is_handy { write!(f, "{}", self.0) } else { write!(f, "{:e}", self.0) }
    }
}

/// Error of a number that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

impl FromStr for Finite {
    type Err = NotFinite;

    fn from_str(text: &str) -> Result<Self, NotFinite> {
        text.parse().ok().and_then(Self::new).ok_or(NotFinite)
    }
}

/// A number of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SeatNumber {
    /// The seat.
    pub seat: Seat,
    /// Name of the counted thing.
    pub name: Cow<'static, str>,
    /// Its amount.
    pub value: Finite,
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

    #[test]
    fn what_is_infinite_or_no_number_is_not_finite() {
        assert_eq!(Finite::new(f64::NAN), None);
        assert_eq!(Finite::new(f64::NEG_INFINITY), None);
        assert_eq!(Finite::new(-1.5).map(Finite::get), Some(-1.5));
    }

    #[test]
    fn a_number_is_read_as_it_is_written() {
        let texts = ["0", "3", "-0.5", "11.846153846153848", "0.30000000000000004", "1e300"];
        let shown = |text: &str| text.parse::<Finite>().map(|value| value.to_string());
        assert_eq!(texts.map(shown), texts.map(|text| Ok(text.to_owned())));
        assert_eq!("inf".parse::<Finite>(), Err(NotFinite));
    }

    #[test]
    fn negative_zero_is_zero() {
        assert_eq!(Finite::new(-0.0).map(|zero| zero.get().to_bits()), Some(0));
    }
}
