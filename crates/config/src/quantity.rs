//! Quantities: a number, with or without a fraction, directly followed by a unit.

use super::rejection::Rejection;

/// Kind of quantity: its units, its bounds and the messages for invalid texts.
pub(super) struct QuantityFormat {
    /// Name: `duration`.
    pub(super) name: &'static str,
    /// Units with their length in the smallest one.
    pub(super) units: &'static [(&'static str, u64)],
    /// Comparison of a unit with its name: whether `kib` is `KiB`.
    pub(super) is_unit: fn(&str, &str) -> bool,
    /// Largest value, in the smallest unit.
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

/// Reason for which a number is not one of the smallest units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RangeError {
    /// The value is not a whole number of the smallest unit.
    TooFine,
    /// The value is more than can be written.
    TooLarge,
}

impl QuantityFormat {
    /// Reads a text as a number of the smallest unit. White space around it, and before the
    /// unit, is ignored.
    pub(super) fn read(&self, text: &str) -> Result<u64, Rejection> {
        let text = text.trim();
        let Self { name, too_fine, too_large, usual: [one, other], examples, .. } = self;
        let refuse =
            |message| Rejection::new(message, format!("write a number and a unit: {examples}"));
        let malformed = || refuse(format!("`{text}` is not a {name}"));
        let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_end);
        if number.parse::<f64>().is_err() {
            return Err(malformed());
        }
        let hint = format!("write `{text}{one}` or `{text}{other}`");
        Rejection::unless(!unit.is_empty(), format!("{name} `{text}` has no unit"), hint)?;
        let is_it = |(name, _): &&(&str, u64)| (self.is_unit)(name, unit.trim_start());
        let (_, length) = self.units.iter().find(is_it).ok_or_else(malformed)?;
        let message = |words: &str| format!("{name} `{text}` is {words}");
        match scale(number, *length) {
            Ok(count) if count <= self.most => Ok(count),
            Ok(_) | Err(RangeError::TooLarge) => Err(refuse(message(too_large))),
            Err(RangeError::TooFine) => Err(refuse(message(too_fine))),
        }
    }
}

/// Returns `number`, digits with at most one point, times `unit`.
fn scale(number: &str, unit: u64) -> Result<u64, RangeError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let value: u128 = digits.parse().map_err(|_| RangeError::TooLarge)?;
    let power = u32::try_from(fraction.len()).map_err(|_| RangeError::TooFine)?;
    let divisor = 10_u128.checked_pow(power).ok_or(RangeError::TooFine)?;
    let product = value.checked_mul(unit.into()).ok_or(RangeError::TooLarge)?;
    if !product.is_multiple_of(divisor) {
        return Err(RangeError::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| RangeError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        assert_eq!(scale("1.5", 1000), Ok(1500));
        assert_eq!(scale("0.1", 1_000_000), Ok(100_000));
        assert_eq!(scale("1.50", 2), Ok(3));
        assert_eq!(scale("1.5", 1), Err(RangeError::TooFine));
        assert_eq!(scale("340282366920938463463374607431768211456", 1), Err(RangeError::TooLarge));
        assert_eq!(scale("18446744073709551616", 1), Err(RangeError::TooLarge));
    }
}
