//! Spans of time as people write them: `500ms`, `1.5s`, `2m`, `1h`.

use std::time::Duration;

use super::quantity::QuantityFormat;
use super::rejection::Rejection;

/// Units with their length in microseconds, the longest first.
pub(super) const UNITS: [(&str, u64); 5] =
    [("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1)];

/// Durations, to 366 days.
pub(super) static DURATION: QuantityFormat = QuantityFormat {
    name: "duration",
    units: &UNITS,
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
    let fitting = UNITS.iter().find(|(_, length)| microseconds.is_multiple_of(*length));
    let (unit, length) = fitting.expect("every number is a multiple of one");
    format!("{}{unit}", microseconds / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
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
    fn a_shown_quantity_is_read_again() {
        for text in ["500ms", "1s", "90m", "1h", "1500ms", "1us", "0s"] {
            let duration = parse_duration(text).unwrap();
            assert_eq!(parse_duration(&show_duration(duration)), Ok(duration), "{text}");
        }
        assert_eq!(show_duration(Duration::from_millis(1500)), "1500ms");
        assert_eq!(show_duration(Duration::from_secs(120)), "2m");
    }

    #[test]
    fn a_plain_number_is_refused_with_a_hint() {
        let error = parse_duration("2").unwrap_err();
        assert_eq!(error.message, "duration `2` has no unit");
        assert_eq!(error.hint.unwrap(), "write `2s` or `2ms`");
    }

    #[test]
    fn nonsense_is_refused() {
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
}
