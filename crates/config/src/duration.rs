//! Spans of time as people write them: `500ms`, `1.5s`, `2m`, `1h`.

use std::time::Duration;

/// Units with their length in microseconds, the longest first.
pub(super) const UNITS: [(&str, u64); 5] =
    [("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1_000), ("us", 1)];

/// The longest duration that can be written: 366 days.
const LONGEST_US: u64 = 366 * 24 * 3_600_000_000;

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// There is a number without a unit.
    #[error("duration `{0}` has no unit")]
    NoUnit(String),
    /// It is not a number and a unit.
    #[error("`{0}` is not a duration")]
    Malformed(String),
    /// It is finer than a microsecond.
    #[error("duration `{0}` is finer than a microsecond")]
    TooFine(String),
    /// It is longer than 366 days.
    #[error("duration `{0}` is longer than 366 days")]
    TooLong(String),
}

impl DurationError {
    /// Returns what to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoUnit(number) => format!("write `{number}s` or `{number}ms`"),
            _ => "write a number and a unit: `500ms`, `1.5s`, `2m` or `1h`".to_owned(),
        }
    }
}

/// Reads a number, with or without a fraction, directly followed by `us`, `ms`,
/// `s`, `m` or `h`. White space around it is ignored.
///
/// # Errors
///
/// [`DurationError`] when the text is something else, finer than a microsecond
/// or longer than 366 days.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let text = text.trim();
    let owned = || text.to_owned();
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let is_number = number.parse::<f64>().is_ok();
    if is_number && unit.is_empty() {
        return Err(DurationError::NoUnit(owned()));
    }
    let unit = UNITS.iter().find(|(name, _)| *name == unit.trim_start());
    let (true, Some((_, length_us))) = (is_number, unit) else {
        return Err(DurationError::Malformed(owned()));
    };
    let whole_and_fraction = super::decimal::scale(number, *length_us);
    let microseconds = whole_and_fraction.map_err(|error| match error {
        super::decimal::ScaleError::TooFine => DurationError::TooFine(owned()),
        super::decimal::ScaleError::TooLarge => DurationError::TooLong(owned()),
    })?;
    if microseconds > LONGEST_US {
        return Err(DurationError::TooLong(owned()));
    }
    Ok(Duration::from_micros(microseconds))
}

/// Writes a duration so that [`parse_duration`] reads the same again: a whole
/// number of the longest unit that fits. What is finer than a microsecond is
/// cut off.
#[must_use]
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
    fn what_is_shown_is_read_again() {
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
        assert_eq!(error.to_string(), "duration `2` has no unit");
        assert_eq!(error.hint(), "write `2s` or `2ms`");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "s", "1 fortnight", "-1s", "1.2.3s", "1e3s", ".", "٣s", "1S", "NaNs"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn huge_and_tiny_numbers_are_refused() {
        let long = DurationError::TooLong("99999999999999999999h".to_owned());
        assert_eq!(parse_duration("99999999999999999999h"), Err(long));
        assert!(matches!(parse_duration("8785h"), Err(DurationError::TooLong(_))));
        assert!(matches!(parse_duration("0.1us"), Err(DurationError::TooFine(_))));
    }
}
