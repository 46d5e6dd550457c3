//! Texts as bytes: numbers and JSON strings as games write them, and what bots wrote.

/// Appends a whole number in decimal digits.
pub(crate) fn push_number(out: &mut Vec<u8>, number: impl Into<i64>) {
    let number = number.into();
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends a length to the canonical bytes of a position.
pub(crate) fn write_length(out: &mut Vec<u8>, length: usize) {
    out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
}

/// Appends `text` as a JSON string with its quotes, as the Entelect engines write it.
///
/// `"` and `\` are escaped with a backslash, `\b \f \n \r \t` stand for those;
/// other characters below U+0020 and U+0085, U+2028, U+2029 are `\u` and four
/// lower-case hexadecimal digits; everything else is raw UTF-8.
///
/// Source: [`state.json`](crate::docs::bomberman_2016#statejson), "Strings".
pub(crate) fn push_json_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for symbol in text.chars() {
        match symbol {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\0'..='\u{1f}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(symbol)).as_bytes());
            }
            _ => out.extend_from_slice(symbol.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// UTF-32 byte order marks that are honoured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Utf32Marks {
    /// `FF FE 00 00` only.
    LittleEndian,
    /// `FF FE 00 00` and `00 00 FE FF`.
    BothOrders,
}

/// Returns the text of `bytes`.
///
/// A byte order mark of UTF-8, UTF-16 (both orders) or UTF-32 (as `marks` says)
/// decides the encoding and is dropped; without one the bytes are UTF-8. What
/// is not valid, half a number at the end included, becomes U+FFFD. Never fails.
///
/// Source: [`move.txt`](crate::docs::bomberman_2016#movetxt) of Bomberman,
/// [Encoding](crate::docs::battleships_2017#encoding) of Battleships.
pub fn decode_text(bytes: &[u8], marks: Utf32Marks) -> String {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        [0xff, 0xfe, 0, 0, rest @ ..] => utf32(rest, u32::from_le_bytes),
        [0, 0, 0xfe, 0xff, rest @ ..] if marks == Utf32Marks::BothOrders => {
            utf32(rest, u32::from_be_bytes)
        }
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (units, rest) = bytes.as_chunks();
    let mut text: String = char::decode_utf16(units.iter().copied().map(unit))
        .map(|symbol| symbol.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    push_half(&mut text, rest);
    text
}

fn utf32(bytes: &[u8], number: fn([u8; 4]) -> u32) -> String {
    let (numbers, rest) = bytes.as_chunks();
    let mut text: String = numbers
        .iter()
        .map(|bytes| char::from_u32(number(*bytes)).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    push_half(&mut text, rest);
    text
}

fn push_half(text: &mut String, rest: &[u8]) {
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_full() {
        for number in [0, 7, 10, -1, 123_456_789, i64::MIN, i64::MAX] {
            let mut out = Vec::new();
            push_number(&mut out, number);
            assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }

    fn written(text: &str) -> String {
        let mut out = Vec::new();
        push_json_string(&mut out, text);
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    #[test]
    fn quotes_and_backslashes_are_escaped() {
        assert_eq!(written(r#"a"b\c"#), r#""a\"b\\c""#);
    }

    #[test]
    fn control_characters_have_short_or_long_escapes() {
        assert_eq!(written("\u{8}\u{c}\n\r\t"), r#""\b\f\n\r\t""#);
        assert_eq!(
            written("\0\u{1f}\u{85}\u{2028}\u{2029}"),
            r#""\u0000\u001f\u0085\u2028\u2029""#
        );
    }

    #[test]
    fn everything_else_is_raw() {
        assert_eq!(written("/'<>&\u{7f}\u{86}é\u{1f600}"), "\"/'<>&\u{7f}\u{86}é\u{1f600}\"");
    }

    fn decoded(bytes: &[u8]) -> String {
        decode_text(bytes, Utf32Marks::LittleEndian)
    }

    #[test]
    fn every_mark_is_dropped() {
        let files: [&[u8]; 5] = [
            b"3\n",
            b"\xef\xbb\xbf3\n",
            b"\xff\xfe3\0\n\0",
            b"\xfe\xff\x003\0\n",
            b"\xff\xfe\0\x003\0\0\0\n\0\0\0",
        ];
        for bytes in files {
            assert_eq!(decoded(bytes), "3\n", "{bytes:02x?}");
        }
    }

    #[test]
    fn only_one_mark_is_dropped() {
        assert_eq!(decoded(b"\xef\xbb\xbf\xef\xbb\xbf3"), "\u{feff}3");
    }

    #[test]
    fn a_big_endian_utf32_mark_is_honoured_where_asked_for() {
        let bytes = b"\0\0\xfe\xff\0\0\x003";
        assert_eq!(decode_text(bytes, Utf32Marks::BothOrders), "3");
        assert_eq!(decoded(bytes), "\0\0\u{fffd}\u{fffd}\0\0\x003");
    }

    #[test]
    fn what_is_not_valid_becomes_a_replacement_character() {
        let files: [(&[u8], &str); 6] = [
            (b"\xff3", "\u{fffd}3"),
            (b"\xff\xfe\x00\xd8\x33\x00", "\u{fffd}3"),
            (b"\xff\xfe3\0\x34", "3\u{fffd}"),
            (b"\xff\xfe\0\0\0\xd8\0\0", "\u{fffd}"),
            (b"\xff\xfe\0\x003\0\0\0\x34\0", "3\u{fffd}"),
            (b"", ""),
        ];
        for (bytes, expected) in files {
            assert_eq!(decoded(bytes), expected, "{bytes:02x?}");
        }
    }

    #[test]
    fn pairs_of_units_are_one_character() {
        assert_eq!(decoded(b"\xff\xfe\x3d\xd8\x00\xde"), "\u{1f600}");
    }
}
