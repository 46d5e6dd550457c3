//! Counts with their nouns.

use std::fmt::Display;

/// Returns the count with its noun, as in `1 match`, `2 matches`, `0 bouts`. `what` is the
/// singular.
pub fn counted<N: Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let end = match what {
        _ if count == N::from(1) => "",
        "match" => "es",
        _ => "s",
    };
    format!("{count} {what}{end}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_singular_and_everything_else_is_plural() {
        assert_eq!(counted(1_u64, "match"), "1 match");
        assert_eq!(counted(0_u32, "bout"), "0 bouts");
        assert_eq!(counted(2_usize, "match"), "2 matches");
        assert_eq!(counted(12_u64, "mirror pair"), "12 mirror pairs");
    }
}
