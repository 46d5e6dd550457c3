//! Numbers of bytes as people write them: `100B`, `64KiB`, `512MiB`, `2GiB`.

use joust_model::Bytes;

use super::quantity::QuantityFormat;
use super::rejection::Rejection;

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

/// Sizes that fit a signed 64-bit number.
pub(super) static SIZE: QuantityFormat = QuantityFormat {
    name: "size",
    units: &UNITS,
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
    fn a_shown_quantity_is_read_again() {
        for bytes in [0, 1, 1000, 1024, 1025, 64 << 10, 3 << 29, 2 << 30, i64::MAX as u64] {
            assert_eq!(parse_size(&Bytes(bytes).to_string()), Ok(Bytes(bytes)), "{bytes}");
        }
    }

    #[test]
    fn a_plain_number_is_refused_with_a_hint() {
        let error = parse_size("512").unwrap_err();
        assert_eq!(error.message, "size `512` has no unit");
        assert_eq!(error.hint.unwrap(), "write `512MiB` or `512B`");
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "MiB", "-1MiB", "1 lump", "0.3B", "1e3B", "99999999999TiB", "8388608TiB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
