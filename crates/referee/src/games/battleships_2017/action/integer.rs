//! Integer parser: whole numbers as the original's language reads them.

/// Reads a whole number of 32 bits.
///
/// Leniencies: ASCII white space (tab to carriage return, blank) around it, one sign
/// directly before the digits, leading zeros, NULs at the very end. No other digits,
/// blanks or separators.
///
/// Source: [Integers](crate::docs::battleships_2017#integers).
pub(super) fn read(text: &str) -> Option<i32> {
    let text = text.trim_end_matches('\0').trim_matches(is_blank);
    let (is_negative, digits) = match text.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() {
        return None;
    }
    let mut number: i64 = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
        if number > 1 << 31 {
            return None;
        }
    }
    i32::try_from(if is_negative { -number } else { number }).ok()
}

fn is_blank(symbol: char) -> bool {
    matches!(symbol, '\t'..='\r' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_signs_zeros_and_nuls_are_accepted() {
        let numbers = [
            ("7", 7),
            (" \t\n\u{b}\u{c}\r7 \r\n", 7),
            ("+7", 7),
            ("-7", -7),
            ("-0", 0),
            ("0000000000000000000007", 7),
            ("7\0\0", 7),
            ("7 \0", 7),
            ("2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
        ];
        for (text, number) in numbers {
            assert_eq!(read(text), Some(number), "{text:?}");
        }
    }

    #[test]
    fn anything_else_is_no_number() {
        let texts = [
            "",
            " ",
            "+",
            "-",
            "+-7",
            "--7",
            "- 7",
            "7-",
            "7 7",
            "7.0",
            "1e1",
            "0x7",
            "1_0",
            "1,0",
            "\u{a0}7",
            "\u{2003}7",
            "\u{85}7",
            "\u{667}",
            "\u{ff17}",
            "\u{feff}7",
            "\u{0}7",
            "7\0 ",
            "7\0\n",
            "7\u{1}",
            "2147483648",
            "-2147483649",
            "99999999999999999999999999",
        ];
        for text in texts {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
