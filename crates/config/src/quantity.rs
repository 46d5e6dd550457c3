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

/// Reason for which a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuantityError {
    /// There is a number without a unit.
    NoUnit,
    /// It is not a number and a unit.
    Malformed,
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
        self.count(text).map_err(|error| self.rejection(text, error))
    }

    fn rejection(&self, text: &str, error: QuantityError) -> Rejection {
        let Self { name, too_fine, too_large, usual: [one, other], examples, .. } = self;
        let hint = format!("write a number and a unit: {examples}");
        match error {
            QuantityError::NoUnit => Rejection::new(
                format!("{name} `{text}` has no unit"),
                format!("write `{text}{one}` or `{text}{other}`"),
            ),
            QuantityError::Malformed => Rejection::new(format!("`{text}` is not a {name}"), hint),
            QuantityError::TooFine => {
                Rejection::new(format!("{name} `{text}` is {too_fine}"), hint)
            }
            QuantityError::TooLarge => {
                Rejection::new(format!("{name} `{text}` is {too_large}"), hint)
            }
        }
    }

    fn count(&self, text: &str) -> Result<u64, QuantityError> {
        let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(number_end);
        if number.parse::<f64>().is_err() {
            return Err(QuantityError::Malformed);
        }
        if unit.is_empty() {
            return Err(QuantityError::NoUnit);
        }
        let is_it = |(name, _): &&(&str, u64)| (self.is_unit)(name, unit.trim_start());
        let (_, length) = self.units.iter().find(is_it).ok_or(QuantityError::Malformed)?;
        let count = scale(number, *length)?;
        if count > self.most { Err(QuantityError::TooLarge) } else { Ok(count) }
    }
}

/// Returns `number`, digits with at most one point, times `unit`.
fn scale(number: &str, unit: u64) -> Result<u64, QuantityError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let value: u128 = digits.parse().map_err(|_| QuantityError::TooLarge)?;
    let power = u32::try_from(fraction.len()).map_err(|_| QuantityError::TooFine)?;
    let divisor = 10_u128.checked_pow(power).ok_or(QuantityError::TooFine)?;
    let product = value.checked_mul(unit.into()).ok_or(QuantityError::TooLarge)?;
    if !product.is_multiple_of(divisor) {
        return Err(QuantityError::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| QuantityError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        assert_eq!(scale("1.5", 1000), Ok(1500));
        assert_eq!(scale("0.1", 1_000_000), Ok(100_000));
        assert_eq!(scale("1.50", 2), Ok(3));
        assert_eq!(scale("1.5", 1), Err(QuantityError::TooFine));
        assert_eq!(
            scale("340282366920938463463374607431768211456", 1),
            Err(QuantityError::TooLarge)
        );
        assert_eq!(scale("18446744073709551616", 1), Err(QuantityError::TooLarge));
    }
}
