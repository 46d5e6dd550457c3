//! Quantities: a number, with or without a fraction, directly followed by a unit.

use std::fmt;

/// A kind of quantity: its units, its bounds and what is said of a text that is none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Measure {
    /// Name: `duration`.
    pub(super) name: &'static str,
    /// Units with their length in the smallest one.
    pub(super) units: &'static [(&'static str, u64)],
    /// Treatment of `kib` for `KiB`.
    pub(super) capitals: Capitals,
    /// The most of the smallest unit that can be written.
    pub(super) most: u64,
    /// Words for a text that is no whole number of the smallest unit.
    pub(super) too_fine: &'static str,
    /// Words for a text above the most.
    pub(super) too_large: &'static str,
    /// The units to propose for a number that has none.
    pub(super) usual: [&'static str; 2],
    /// Examples to propose.
    pub(super) examples: &'static str,
}

/// Treatment of capitals in units.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Capitals {
    /// They do.
    Matter,
    /// They do not.
    DoNotMatter,
}

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    /// There is a number without a unit.
    NoUnit,
    /// It is not a number and a unit.
    Malformed,
    /// The value is not a whole number of the smallest unit.
    TooFine,
    /// The value is more than can be written.
    TooLarge,
}

/// A text that is not the quantity it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    measure: &'static Measure,
    text: String,
    wrong: Wrong,
}

impl QuantityError {
    /// Returns what to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        let [one, other] = self.measure.usual;
        match self.wrong {
            Wrong::NoUnit => format!("write `{0}{one}` or `{0}{other}`", self.text),
            _ => format!("write a number and a unit: {}", self.measure.examples),
        }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Measure { name, too_fine, too_large, .. } = self.measure;
        let text = &self.text;
        match self.wrong {
            Wrong::NoUnit => write!(f, "{name} `{text}` has no unit"),
            Wrong::Malformed => write!(f, "`{text}` is not a {name}"),
            Wrong::TooFine => write!(f, "{name} `{text}` is {too_fine}"),
            Wrong::TooLarge => write!(f, "{name} `{text}` is {too_large}"),
        }
    }
}

impl std::error::Error for QuantityError {}

impl Measure {
    /// Reads a text as so many of the smallest unit. White space around it, and before the
    /// unit, is ignored.
    pub(super) fn read(&'static self, text: &str) -> Result<u64, QuantityError> {
        let text = text.trim();
        let count = self.count(text);
        count.map_err(|wrong| QuantityError { measure: self, text: text.to_owned(), wrong })
    }

    fn count(&self, text: &str) -> Result<u64, Wrong> {
        let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_end);
        if number.parse::<f64>().is_err() {
            return Err(Wrong::Malformed);
        }
        if unit.is_empty() {
            return Err(Wrong::NoUnit);
        }
        let length = self.length_of(unit.trim_start()).ok_or(Wrong::Malformed)?;
        let count = scale(number, length)?;
        if count > self.most { Err(Wrong::TooLarge) } else { Ok(count) }
    }

    fn length_of(&self, unit: &str) -> Option<u64> {
        let is_it = |name: &str| match self.capitals {
            Capitals::Matter => name == unit,
            Capitals::DoNotMatter => name.eq_ignore_ascii_case(unit),
        };
        self.units.iter().find(|(name, _)| is_it(name)).map(|(_, length)| *length)
    }
}

/// Returns `number`, digits with at most one point, times `unit`.
fn scale(number: &str, unit: u64) -> Result<u64, Wrong> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let value: u128 = digits.parse().map_err(|_| Wrong::TooLarge)?;
    let power = u32::try_from(fraction.len()).map_err(|_| Wrong::TooFine)?;
    let divisor = 10_u128.checked_pow(power).ok_or(Wrong::TooFine)?;
    let product = value.checked_mul(unit.into()).ok_or(Wrong::TooLarge)?;
    if !product.is_multiple_of(divisor) {
        return Err(Wrong::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| Wrong::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        assert_eq!(scale("1.5", 1000), Ok(1500));
        assert_eq!(scale("0.1", 1_000_000), Ok(100_000));
        assert_eq!(scale("1.50", 2), Ok(3));
        assert_eq!(scale("1.5", 1), Err(Wrong::TooFine));
        assert_eq!(scale("340282366920938463463374607431768211456", 1), Err(Wrong::TooLarge));
        assert_eq!(scale("18446744073709551616", 1), Err(Wrong::TooLarge));
    }
}
