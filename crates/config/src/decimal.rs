//! Decimal fractions of units, exactly.

/// Why a fraction of a unit has no whole value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScaleError {
    /// The value is not a whole number of the smallest unit.
    TooFine,
    /// The value does not fit.
    TooLarge,
}

/// Returns `number`, digits with at most one point, times `unit`.
pub(super) fn scale(number: &str, unit: u64) -> Result<u64, ScaleError> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Ok(0);
    }
    let value: u128 = digits.parse().map_err(|_| ScaleError::TooLarge)?;
    let power = u32::try_from(fraction.len()).map_err(|_| ScaleError::TooFine)?;
    let divisor = 10_u128.checked_pow(power).ok_or(ScaleError::TooFine)?;
    let product = value.checked_mul(unit.into()).ok_or(ScaleError::TooLarge)?;
    if !product.is_multiple_of(divisor) {
        return Err(ScaleError::TooFine);
    }
    u64::try_from(product / divisor).map_err(|_| ScaleError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_exact() {
        assert_eq!(scale("1.5", 1000), Ok(1500));
        assert_eq!(scale("0.1", 1_000_000), Ok(100_000));
        assert_eq!(scale("1.50", 2), Ok(3));
        assert_eq!(scale("1.5", 1), Err(ScaleError::TooFine));
        assert_eq!(scale("340282366920938463463374607431768211456", 1), Err(ScaleError::TooLarge));
        assert_eq!(scale("18446744073709551616", 1), Err(ScaleError::TooLarge));
    }
}
