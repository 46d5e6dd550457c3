//! Lenient JSON, as the original systems read it, with the place of everything.
//!
//! Leniencies: comments (`//`, `/* */`), texts in single quotes, line ends and
//! other control characters in texts, names without quotes, commas after the
//! last element, numbers such as `+5` and `.5`, half a surrogate pair.

use std::borrow::Cow;

use joust_config::{MapEntry, Node, NodeValue, SourceLocation};
use jsonc_parser::ast::Value;
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseOptions, ParseStringErrorKind, parse_to_ast};

/// Most members of the object: the place of each is counted from the start of the text.
const MOST_MEMBERS: usize = 1000;

/// Message for a backslash that begins nothing, such as that of the path `bin\Debug`: the parser
/// would leave it out, and the path would name another place.
const NO_ESCAPE: &str = "a `\\` begins no such escape; a backslash is written `\\\\`";

/// Place of a mistake in a text, and its description.
pub(super) type JsonError = (SourceLocation, String);

/// Reads a text that is one object and returns its members in order; what is
/// nested in them is checked and dropped.
pub(super) fn read_members(text: &str) -> Result<Vec<MapEntry>, JsonError> {
    let text = &*with_whole_characters(text);
    let options = ParseOptions {
        allow_missing_commas: false,
        allow_hexadecimal_numbers: false,
        allow_non_finite_numbers: false,
        ..ParseOptions::default()
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    let value = parsed.map_err(|error| refusal(text, &error))?.value;
    let Some(Value::Object(object)) = value else {
        let start = value.map_or(text.len(), |value| value.start());
        return Err((SourceLocation::behind(&text[..start]), "expected `{`".to_owned()));
    };
    if object.properties.len() > MOST_MEMBERS {
        let message = format!("an object with more than {MOST_MEMBERS} names");
        return Err((place_of(text, object.range), message));
    }
    let mut members = Vec::new();
    for property in object.properties {
        let place = place_of(text, property.name.range());
        let node = node(text, property.value)?;
        members.push(MapEntry { key: property.name.into_string(), place, node });
    }
    Ok(members)
}

fn refusal(text: &str, error: &ParseError) -> JsonError {
    use ParseErrorKind as Kind;
    use ParseStringErrorKind::{ExpectedTwoHexDigits, InvalidEscape};
    let range = error.range();
    let message = match error.kind() {
        Kind::String(InvalidEscape | ExpectedTwoHexDigits) => NO_ESCAPE.to_owned(),
        Kind::UnexpectedToken | Kind::UnexpectedWord | Kind::UnexpectedCloseBrace => {
            format!("`{:.32}` is no value", &text[range.start..range.end])
        }
        kind => {
            let message = kind.to_string();
            format!("{}{}", message[..1].to_lowercase(), &message[1..])
        }
    };
    (place_of(text, range), message)
}

fn node(text: &str, value: Value<'_>) -> Result<Node, JsonError> {
    let range = value.range();
    let place = place_of(text, range);
    let value = match value {
        Value::NullKeyword(_) => NodeValue::Null,
        Value::BooleanLit(truth) => NodeValue::Bool(truth.value),
        Value::NumberLit(number) => match (number.value.parse(), number.value.parse()) {
            (Ok(whole), _) => NodeValue::Int(whole),
            (_, Ok(fraction)) => NodeValue::Float(fraction),
            _ => return Err((place, format!("`{:.32}` is no value", number.value))),
        },
        Value::StringLit(literal) => match wrong_escape(&text[range.start..range.end]) {
            Some(at) => {
                let place = SourceLocation::behind(&text[..range.start + at]);
                return Err((place, NO_ESCAPE.to_owned()));
            }
            None => NodeValue::Text(literal.value.into_owned()),
        },
        Value::Array(_) => NodeValue::List(Vec::new()),
        Value::Object(_) => NodeValue::Map(Vec::new()),
    };
    Ok(Node { value, place })
}

/// Returns the place of the first backslash that begins no escape of JSON. The parser knows more.
fn wrong_escape(written: &str) -> Option<usize> {
    let mut characters = written.char_indices();
    while let Some((at, character)) = characters.next() {
        let escaped = if character == '\\' { characters.next() } else { continue };
        if escaped.is_none_or(|(_, escaped)| !"\"'\\/bfnrtu".contains(escaped)) {
            return Some(at);
        }
    }
    None
}

/// Writes U+FFFD, which is as long, for each half of a surrogate pair: the parser refuses them, and
/// the originals played with such names.
fn with_whole_characters(text: &str) -> Cow<'_, str> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut whole = Cow::Borrowed(text);
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        at += match (unit(at), unit(at + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => 12,
            (Some(0xd800..0xe000), _) => {
                whole.to_mut().replace_range(at..at + 6, "\\ufffd");
                6
            }
            _ => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    whole
}

fn place_of(text: &str, range: Range) -> SourceLocation {
    let width = text[range.start..range.end].chars().count().max(1);
    SourceLocation { width, ..SourceLocation::behind(&text[..range.start]) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<String> {
        let shown = |member: MapEntry| format!("{}: {:?}", member.key, member.node.value);
        read_members(text).unwrap().into_iter().map(shown).collect()
    }

    fn refused(text: &str) -> (usize, usize, String) {
        let (place, message) = read_members(text).unwrap_err();
        (place.line, place.column, message)
    }

    #[test]
    fn leniencies_of_the_originals_are_granted() {
        let lenient = "// first\n{ /* a */ 'a': 'it''s' , }";
        assert!(read_members(lenient).is_err(), "a quote within a text is escaped");
        let lenient = "// first\n{ /* a */ 'a': \"it's\", b: \"two\nlines\", \"c\": [1, {}, ], }";
        let expected = ["a: Text(\"it's\")", "b: Text(\"two\\nlines\")", "c: List([])"];
        assert_eq!(values(lenient), expected);
    }

    #[test]
    fn escapes_are_decoded() {
        let escaped = r#"{"a": "\\ \/ \" \' \u0041 \ud83d\ude00 \ud83d \ude00 \\ud83d \n"}"#;
        let expected = "\\ / \" ' A \u{1f600} \u{fffd} \u{fffd} \\ud83d \n";
        assert_eq!(values(escaped), [format!("a: Text({expected:?})")]);
    }

    #[test]
    fn members_know_their_places() {
        let place = |line, column, width| SourceLocation { line, column, width };
        let member = read_members("{\n  \"a\":\n 7}").unwrap().remove(0);
        assert_eq!((member.place, member.node.place), (place(2, 3, 3), place(3, 2, 1)));
        assert_eq!(values("{a: 7, b: +7, c: .5}"), ["a: Int(7)", "b: Int(7)", "c: Float(0.5)"]);
    }

    #[test]
    fn mistakes_are_reported_with_their_places() {
        let cases = [
            ("", 1, 1, "expected `{`"),
            ("[]", 1, 1, "expected `{`"),
            ("{\"a\" 1}", 1, 6, "expected colon after the string or word in object property"),
            ("{\"a\": }", 1, 7, "`}` is no value"),
            ("{\"a\": 1 \"b\": 2}", 1, 8, "expected comma"),
            ("{\"a\": nix}", 1, 7, "`nix` is no value"),
            ("{\"a\": \"x}", 1, 7, "unterminated string literal"),
            ("{}\n1", 2, 1, "text cannot contain more than one JSON value"),
            ("{ /* }", 1, 3, "unterminated comment block"),
        ];
        for (text, line, column, message) in cases {
            assert_eq!(refused(text), (line, column, message.to_owned()), "{text}");
        }
        for path in [r"bin\Debug", r"bin\v1", r"bin\x64", r"bin\xyz", r"bin\123"] {
            let expected = (1, 11, NO_ESCAPE.to_owned());
            assert_eq!(refused(&format!("{{\"a\": \"{path}\"}}")), expected, "{path}");
        }
    }

    #[test]
    fn many_members_are_refused() {
        let members = |count: usize| format!("{{{}}}", "a: 1,".repeat(count));
        assert_eq!(values(&members(MOST_MEMBERS)).len(), MOST_MEMBERS);
        let refused = refused(&members(MOST_MEMBERS + 1)).2;
        assert_eq!(refused, "an object with more than 1000 names");
    }

    #[test]
    fn deep_nesting_is_refused_before_it_hurts() {
        for open in ["[", "{\"a\":"] {
            let text = format!("{{\"a\": {}", open.repeat(100_000));
            assert_eq!(refused(&text).2, "maximum nesting depth exceeded");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_object_or_refused(text in "[{}\\[\\]\"'\\\\/*:,a1u \n]{0,40}") {
            let _ = read_members(&text);
        }
    }
}
