//! JSON as the Entelect engines write it: one line, no blanks.
//!
//! Source: [`state.json`](crate::docs::bomberman_2016#statejson), "Strings".

/// Appends `text` as a JSON string with its quotes.
///
/// `"` and `\` are escaped with a backslash, `\b \f \n \r \t` stand for those;
/// other characters below U+0020 and U+0085, U+2028, U+2029 are `\u` and four
/// lower-case hexadecimal digits; everything else is raw UTF-8.
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
