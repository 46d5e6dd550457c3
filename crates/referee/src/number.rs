//! Numbers of a bout: what is counted for a seat while it is played.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use crate::Seat;

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
