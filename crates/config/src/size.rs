//! Numbers of bytes as people write them: `100B`, `64KiB`, `512MiB`, `2GiB`.

use joust_model::Bytes;

/// Units with their number of bytes.
pub(super) const UNITS: [(&str, u64); 9] = [
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

/// The largest size that can be written: what fits a signed 64-bit number.
const LARGEST: u64 = i64::MAX as u64;

/// Why a text is not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SizeError {
    /// There is a number without a unit.
    #[error("size `{0}` has no unit")]
    NoUnit(String),
    /// It is not a number and a unit.
    #[error("`{0}` is not a size")]
    Malformed(String),
    /// It is not a whole number of bytes.
    #[error("size `{0}` is not a whole number of bytes")]
    TooFine(String),
    /// It is 8 EiB or more.
    #[error("size `{0}` is too large")]
    TooLarge(String),
}

impl SizeError {
    /// Returns what to write instead.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoUnit(number) => format!("write `{number}MiB` or `{number}B`"),
            _ => "write a number and a unit: `100B`, `64KiB`, `512MiB` or `2GiB`".to_owned(),
        }
    }
}

/// Reads a number, with or without a fraction, followed by a unit: `B`, `KiB`,
/// `MiB`, `GiB`, `TiB` (powers of 1024) or `KB`, `MB`, `GB`, `TB` (powers of
/// 1000). Capitals do not matter; white space around it is ignored.
///
/// # Errors
///
/// [`SizeError`] when the text is something else, not a whole number of bytes
/// or 8 EiB and more.
pub fn parse_size(text: &str) -> Result<Bytes, SizeError> {
    let text = text.trim();
    let owned = || text.to_owned();
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let is_number = number.parse::<f64>().is_ok();
    if is_number && unit.is_empty() {
        return Err(SizeError::NoUnit(owned()));
    }
    let unit = UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit.trim_start()));
    let (true, Some((_, unit_bytes))) = (is_number, unit) else {
        return Err(SizeError::Malformed(owned()));
    };
    let bytes = super::decimal::scale(number, *unit_bytes).map_err(|error| match error {
        super::decimal::ScaleError::TooFine => SizeError::TooFine(owned()),
        super::decimal::ScaleError::TooLarge => SizeError::TooLarge(owned()),
    })?;
    if bytes > LARGEST {
        return Err(SizeError::TooLarge(owned()));
    }
    Ok(Bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
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
    fn what_is_shown_is_read_again() {
        for bytes in [0, 1, 1000, 1024, 1025, 64 << 10, 3 << 29, 2 << 30, LARGEST] {
            assert_eq!(parse_size(&Bytes(bytes).to_string()), Ok(Bytes(bytes)), "{bytes}");
        }
    }

    #[test]
    fn a_plain_number_is_refused_with_a_hint() {
        let error = parse_size("512").unwrap_err();
        assert_eq!(error.to_string(), "size `512` has no unit");
        assert_eq!(error.hint(), "write `512MiB` or `512B`");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "MiB", "-1MiB", "1 lump", "0.3B", "1e3B", "99999999999TiB", "8388608TiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
