//! Quantities: a number, with or without a fraction, directly followed by a unit. Spans of time
//! (`500ms`, `1.5s`, `2m`, `1h`) and numbers of bytes (`100B`, `64KiB`, `512MiB`, `2GiB`).

use std::time::Duration;

use joust_model::Bytes;

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

/// Units with their length in microseconds, the longest first.
pub(super) const UNITS_OF_TIME: [(&str, u64); 5] =
    [("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1)];

/// Durations, to 366 days.
pub(super) static DURATION: QuantityFormat = QuantityFormat {
    name: "duration",
    units: &UNITS_OF_TIME,
    is_unit: |name, unit| name == unit,
    most: 366 * 24 * 3_600_000_000,
    too_fine: "finer than a microsecond",
    too_large: "longer than 366 days",
    usual: ["s", "ms"],
    examples: "`500ms`, `1.5s`, `2m` or `1h`",
};

/// Reads a number, with or without a fraction, directly followed by `us`, `ms`,
/// `s`, `m` or `h`. White space around it is ignored.
///
/// # Errors
///
/// [`Rejection`] when the text is something else, finer than a microsecond
/// or longer than 366 days.
pub fn parse_duration(text: &str) -> Result<Duration, Rejection> {
    DURATION.read(text).map(Duration::from_micros)
}

/// Writes a duration so that [`parse_duration`] reads the same again: a whole
/// number of the longest unit that fits. What is finer than a microsecond is
/// cut off.
pub fn show_duration(duration: Duration) -> String {
    let microseconds = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    if microseconds == 0 {
        return "0s".to_owned();
    }
    let fitting = UNITS_OF_TIME.iter().find(|(_, length)| microseconds.is_multiple_of(*length));
    let (unit, length) = fitting.expect("every number is a multiple of one");
    format!("{}{unit}", microseconds / length)
}

/// Units with their number of bytes.
pub(super) const UNITS_OF_SIZE: [(&str, u64); 9] = [
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// Sizes that fit a signed 64-bit number.
pub(super) static SIZE: QuantityFormat = QuantityFormat {
    name: "size",
    units: &UNITS_OF_SIZE,
    is_unit: str::eq_ignore_ascii_case,
    most: i64::MAX as u64,
    too_fine: "not a whole number of bytes",
    too_large: "too large",
    usual: ["MiB", "B"],
    examples: "`100B`, `64KiB`, `512MiB` or `2GiB`",
};

/// Reads a number, with or without a fraction, followed by a unit: `B`, `KiB`,
/// `MiB`, `GiB`, `TiB` (powers of 1024) or `KB`, `MB`, `GB`, `TB` (powers of
/// 1000). Capitals do not matter; white space around it is ignored.
///
/// # Errors
///
/// [`Rejection`] when the text is something else, not a whole number of bytes
/// or 8 EiB and more.
pub fn parse_size(text: &str) -> Result<Bytes, Rejection> {
    SIZE.read(text).map(Bytes)
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

    #[test]
    fn every_unit_of_time_is_read() {
        let cases = [
            ("500ms", Duration::from_millis(500)),
            ("1s", Duration::from_secs(1)),
            ("2m", Duration::from_secs(120)),
            ("1h", Duration::from_secs(3600)),
            ("1.5s", Duration::from_millis(1500)),
            ("0.25m", Duration::from_secs(15)),
            ("7us", Duration::from_micros(7)),
            ("0s", Duration::ZERO),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_duration(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_shown_duration_is_read_again() {
        for text in ["500ms", "1s", "90m", "1h", "1500ms", "1us", "0s"] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(parse_duration(&show_duration(duration)), Ok(duration), "{text}");
        }
        assert_eq!(show_duration(Duration::from_millis(1500)), "1500ms");
        assert_eq!(show_duration(Duration::from_secs(120)), "2m");
    }

    #[test]
    fn a_duration_without_a_unit_is_refused_with_a_hint() {
        let error = parse_duration("2").unwrap_err();
        assert_eq!(error.message, "duration `2` has no unit");
        assert_eq!(error.hint.unwrap(), "write `2s` or `2ms`");
    }

    #[test]
    fn a_text_that_is_no_duration_is_refused() {
        for text in ["", "s", "1 fortnight", "-1s", "1.2.3s", "1e3s", ".", "٣s", "1S", "NaNs"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn huge_and_tiny_numbers_are_refused() {
        let message = |text| parse_duration(text).unwrap_err().message;
        assert_eq!(
            message("99999999999999999999h"),
            "duration `99999999999999999999h` is longer than 366 days"
        );
        assert_eq!(message("8785h"), "duration `8785h` is longer than 366 days");
        assert_eq!(message("0.1us"), "duration `0.1us` is finer than a microsecond");
    }

    #[test]
    fn every_unit_of_sizes_is_read() {
        let cases = [
            ("100B", 100),
            ("64KiB", 64 << 10),
            ("512MiB", 512 << 20),
            ("2GiB", 2 << 30),
            ("1.5GiB", 3 << 29),
            ("5MB", 5_000_000),
            ("1 gb", 1_000_000_000),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_size(text), Ok(Bytes(expected)), "{text}");
        }
    }

    #[test]
    fn a_shown_size_is_read_again() {
        for bytes in [0, 1, 1000, 1024, 1025, 64 << 10, 3 << 29, 2 << 30, i64::MAX as u64] {
            assert_eq!(parse_size(&Bytes(bytes).to_string()), Ok(Bytes(bytes)), "{bytes}");
        }
    }

    #[test]
    fn a_size_without_a_unit_is_refused_with_a_hint() {
        let error = parse_size("512").unwrap_err();
        assert_eq!(error.message, "size `512` has no unit");
        assert_eq!(error.hint.unwrap(), "write `512MiB` or `512B`");
    }

    #[test]
    fn a_text_that_is_no_size_is_refused() {
        for text in ["", "MiB", "-1MiB", "1 lump", "0.3B", "1e3B", "99999999999TiB", "8388608TiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
