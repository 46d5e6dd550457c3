//! Numerals: the numeric value of characters that are numbers.

/// The zeros of all runs of characters that count from 0 to at least 6.
const ZEROS: &[u16] = &[
    0x0030, 0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6,
    0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x0f2a, 0x1040, 0x1090, 0x17e0, 0x17f0, 0x1810, 0x1946,
    0x19d0, 0x1a80, 0x1a90, 0x1b50, 0x1bb0, 0x1c40, 0x1c50, 0x2080, 0xa620, 0xa8d0, 0xa900, 0xa9d0,
    0xa9f0, 0xaa50, 0xabf0, 0xff10,
];

/// First and last character of the other runs, and the whole part of the first
/// one's value; each next character is worth one more.
const OTHERS: &[(u16, u16, u16)] = &[
    (0x00b2, 0x00b3, 2),
    (0x00b9, 0x00b9, 1),
    (0x0c78, 0x0c7b, 0),
    (0x0c7c, 0x0c7e, 1),
    (0x1369, 0x1372, 1),
    (0x19da, 0x19da, 1),
    (0x2074, 0x2079, 4),
    (0x215e, 0x215f, 0),
    (0x2160, 0x216b, 1),
    (0x2170, 0x217b, 1),
    (0x2185, 0x2185, 6),
    (0x2460, 0x2473, 1),
    (0x2474, 0x2487, 1),
    (0x2488, 0x249b, 1),
    (0x24f5, 0x24fe, 1),
    (0x2776, 0x277f, 1),
    (0x2780, 0x2789, 1),
    (0x278a, 0x2793, 1),
    (0x3021, 0x3029, 1),
    (0x3192, 0x3195, 1),
    (0x3220, 0x3229, 1),
    (0x3280, 0x3289, 1),
    (0xa6e6, 0xa6ee, 1),
];

/// Returns the number from 1 to 6 that `symbol` stands for, a fraction being
/// cut off.
///
/// `symbol` must be of the Unicode categories Nd, Nl or No and in the basic
/// plane; everything else, and every other value, is `None`.
///
/// Source: [`move.txt`](crate::docs::bomberman_2016#movetxt); Unicode 14, numeric value.
pub(super) fn one_to_six(symbol: char) -> Option<u8> {
    let symbol = u16::try_from(u32::from(symbol)).ok()?;
    let after_zero = |zero: &u16| symbol.checked_sub(*zero).filter(|value| *value <= 6);
    let in_run = |(first, last, value): &(u16, u16, u16)| {
        (*first..=*last).contains(&symbol).then(|| value + (symbol - first))
    };
    let value = ZEROS.iter().find_map(after_zero).or_else(|| OTHERS.iter().find_map(in_run))?;
    u8::try_from(value).ok().filter(|value| (1..=6).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_kind_have_their_value() {
        let numbers = [
            ('1', Some(1)),
            ('6', Some(6)),
            ('\u{b3}', Some(3)),
            ('\u{662}', Some(2)),
            ('\u{2163}', Some(4)),
            ('\u{ff15}', Some(5)),
            ('\u{f2c}', Some(2)),
            ('\u{2185}', Some(6)),
        ];
        for (symbol, value) in numbers {
            assert_eq!(one_to_six(symbol), value, "{symbol}");
        }
    }

    #[test]
    fn everything_else_has_none() {
        for symbol in ['0', '7', '9', '\u{bd}', '\u{1d7cf}', '\u{4e09}', 'a', ' ', '\0', '-'] {
            assert_eq!(one_to_six(symbol), None, "{symbol}");
        }
    }

    #[test]
    fn whatever_has_a_value_is_a_number() {
        let symbols = (0..=u16::MAX).filter_map(|code| char::from_u32(u32::from(code)));
        assert!(symbols.filter(|symbol| one_to_six(*symbol).is_some()).all(char::is_numeric));
    }
}
