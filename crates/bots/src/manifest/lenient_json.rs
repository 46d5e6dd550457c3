//! Lenient JSON, as the original systems read it, with the place of everything.
//!
//! Leniencies: comments (`//`, `/* */`), texts in single quotes, line ends and
//! other control characters in texts, names without quotes, commas after the
//! last element.
//!
//! No available reader accepts the same texts. `jsonc-parser` turns the path `bin\Debug` into
//! `binDebug`, which has to be refused, because it names another place; it also refuses half a
//! surrogate pair, with which the originals played. Readers of JSON5 and of plain JSON refuse line
//! ends in texts.

use std::iter::Peekable;
use std::str::Chars;

/// Deepest nesting of lists and objects.
const DEEPEST: usize = 64;

/// Line and column, from 1.
pub(super) type TextPosition = (usize, usize);

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum JsonValue {
    Null,
    Truth(bool),
    /// As written.
    Number(String),
    Text(String),
    List,
    Object,
}

impl JsonValue {
    /// Returns the kind of the value, for people.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Truth(_) => "a truth value",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::List => "a list",
            Self::Object => "an object",
        }
    }
}

/// One member of the outermost object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JsonMember {
    pub(super) name: String,
    pub(super) name_place: TextPosition,
    pub(super) value: JsonValue,
    pub(super) place: TextPosition,
}

/// Place of a mistake in a text, and its description.
pub(super) type JsonError = (TextPosition, String);

/// Reads a text that is one object and returns its members in order; what is
/// nested in them is checked and dropped.
pub(super) fn read_members(text: &str) -> Result<Vec<JsonMember>, JsonError> {
    let mut reader = JsonReader { rest: text.chars().peekable(), place: (1, 1) };
    reader.skip()?;
    if reader.peek() != Some('{') {
        return Err(reader.wrong("expected `{`"));
    }
    let mut members = Vec::new();
    reader.object(0, &mut |member| members.push(member))?;
    reader.skip()?;
    match reader.peek() {
        None => Ok(members),
        Some(_) => Err(reader.wrong("expected the end of the file")),
    }
}

struct JsonReader<'a> {
    rest: Peekable<Chars<'a>>,
    place: TextPosition,
}

impl JsonReader<'_> {
    fn wrong(&self, message: &str) -> JsonError {
        (self.place, message.to_owned())
    }

    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        let character = self.rest.next()?;
        self.place = match character {
            '\n' => (self.place.0 + 1, 1),
            _ => (self.place.0, self.place.1 + 1),
        };
        Some(character)
    }

    /// Skips white space and comments.
    fn skip(&mut self) -> Result<(), JsonError> {
        while let Some(character) = self.peek() {
            match character {
                _ if character.is_whitespace() => {
                    self.next();
                }
                '/' => self.comment()?,
                _ => break,
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), JsonError> {
        let begin = self.place;
        self.next();
        match self.next() {
            Some('/') => while self.next().is_some_and(|character| character != '\n') {},
            Some('*') => loop {
                match self.next() {
                    Some('*') if self.peek() == Some('/') => {
                        self.next();
                        break;
                    }
                    Some(_) => {}
                    None => return Err((begin, "the comment never ends".to_owned())),
                }
            },
            _ => return Err((begin, "`/` is no value".to_owned())),
        }
        Ok(())
    }

    fn object(&mut self, depth: usize, found: &mut dyn FnMut(JsonMember)) -> Result<(), JsonError> {
        self.next();
        loop {
            self.skip()?;
            if self.peek() == Some('}') {
                self.next();
                return Ok(());
            }
            let name_place = self.place;
            let name = self.name()?;
            self.skip()?;
            if self.peek() != Some(':') {
                return Err(self.wrong("expected `:`"));
            }
            self.next();
            self.skip()?;
            let place = self.place;
            let value = self.value(depth + 1)?;
            found(JsonMember { name, name_place, value, place });
            self.separator('}')?;
        }
    }

    fn list(&mut self, depth: usize) -> Result<(), JsonError> {
        self.next();
        loop {
            self.skip()?;
            if self.peek() == Some(']') {
                self.next();
                return Ok(());
            }
            self.value(depth + 1)?;
            self.separator(']')?;
        }
    }

    /// Takes a comma, unless the end follows.
    fn separator(&mut self, end: char) -> Result<(), JsonError> {
        self.skip()?;
        match self.peek() {
            Some(',') => {
                self.next();
            }
            Some(character) if character == end => {}
            _ => return Err(self.wrong(&format!("expected `,` or `{end}`"))),
        }
        Ok(())
    }

    fn name(&mut self) -> Result<String, JsonError> {
        match self.peek() {
            Some('"' | '\'') => self.text(),
            _ => match self.word() {
                word if word.is_empty() => Err(self.wrong("expected a name")),
                word => Ok(word),
            },
        }
    }

    fn value(&mut self, depth: usize) -> Result<JsonValue, JsonError> {
        if depth > DEEPEST {
            return Err(self.wrong("nested too deeply"));
        }
        match self.peek() {
            Some('{') => self.object(depth, &mut drop).map(|()| JsonValue::Object),
            Some('[') => self.list(depth).map(|()| JsonValue::List),
            Some('"' | '\'') => self.text().map(JsonValue::Text),
            _ => self.plain(),
        }
    }

    fn plain(&mut self) -> Result<JsonValue, JsonError> {
        let place = self.place;
        let word = self.word();
        match word.as_str() {
            "null" => Ok(JsonValue::Null),
            "true" => Ok(JsonValue::Truth(true)),
            "false" => Ok(JsonValue::Truth(false)),
            "" => Err((place, "expected a value".to_owned())),
            _ if word.parse::<f64>().is_ok_and(f64::is_finite) => Ok(JsonValue::Number(word)),
            _ => Err((place, format!("`{word:.32}` is no value"))),
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(character) = self.peek() {
            if !character.is_alphanumeric() && !matches!(character, '_' | '$' | '-' | '+' | '.') {
                break;
            }
            word.push(character);
            self.next();
        }
        word
    }

    fn text(&mut self) -> Result<String, JsonError> {
        let begin = self.place;
        let quote = self.next();
        let mut text = String::new();
        loop {
            let place = self.place;
            match self.next() {
                None => return Err((begin, "the text never ends".to_owned())),
                end if end == quote => return Ok(text),
                Some('\\') => text.push(self.escape(place)?),
                Some(character) => text.push(character),
            }
        }
    }

    fn escape(&mut self, place: TextPosition) -> Result<char, JsonError> {
        Ok(match self.next() {
            Some(character @ ('"' | '\'' | '\\' | '/')) => character,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => self.code_point(place)?,
            _ => {
                let message = "a `\\` begins no such escape; a backslash is written `\\\\`";
                return Err((place, message.to_owned()));
            }
        })
    }

    /// Reads one `\uXXXX`, or two that belong together; half a pair is U+FFFD.
    fn code_point(&mut self, place: TextPosition) -> Result<char, JsonError> {
        let first = self.hexadecimal(place)?;
        if !(0xd800..0xdc00).contains(&first) {
            return Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let mut ahead = self.rest.clone();
        if (ahead.next(), ahead.next()) != (Some('\\'), Some('u')) {
            return Ok(char::REPLACEMENT_CHARACTER);
        }
        self.next();
        self.next();
        let second = self.hexadecimal(place)?;
        let whole = 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff);
        let is_pair = (0xdc00..0xe000).contains(&second);
        let character = if is_pair { char::from_u32(whole) } else { None };
        Ok(character.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self, place: TextPosition) -> Result<u32, JsonError> {
        (0..4).try_fold(0, |number, _| {
            let digit = self.next().and_then(|character| character.to_digit(16));
            digit
                .map(|digit| number * 16 + digit)
                .ok_or_else(|| (place, "`\\u` is followed by four hexadecimal digits".to_owned()))
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values(text: &str) -> Vec<(String, JsonValue)> {
        read_members(text).unwrap().into_iter().map(|member| (member.name, member.value)).collect()
    }

    fn text(name: &str, value: &str) -> (String, JsonValue) {
        (name.to_owned(), JsonValue::Text(value.to_owned()))
    }

    #[test]
    fn leniencies_of_the_originals_are_granted() {
        let lenient = "// first\n{ /* a */ 'a': 'it''s' , }";
        assert!(read_members(lenient).is_err(), "a quote within a text is escaped");
        let lenient = "// first\n{ /* a */ 'a': \"it's\", b: \"two\nlines\", \"c\": [1, {}, ], }";
        let expected =
            [text("a", "it's"), text("b", "two\nlines"), ("c".to_owned(), JsonValue::List)];
        assert_eq!(values(lenient), expected);
    }

    #[test]
    fn escapes_are_decoded() {
        let escaped = r#"{"a": "\\ \/ \" \u0041 \ud83d\ude00 \ud83d \n"}"#;
        assert_eq!(values(escaped), [text("a", "\\ / \" A \u{1f600} \u{fffd} \n")]);
    }

    #[test]
    fn members_know_their_places() {
        let member = read_members("{\n  \"a\":\n 7}").unwrap().remove(0);
        assert_eq!((member.name_place, member.place), ((2, 3), (3, 2)));
        assert_eq!(member.value, JsonValue::Number("7".to_owned()));
    }

    #[test]
    fn mistakes_are_reported_with_their_places() {
        let cases = [
            ("", (1, 1), "expected `{`"),
            ("{\"a\" 1}", (1, 6), "expected `:`"),
            ("{\"a\": }", (1, 7), "expected a value"),
            ("{\"a\": 1 \"b\": 2}", (1, 9), "expected `,` or `}`"),
            ("{\"a\": nix}", (1, 7), "`nix` is no value"),
            ("{\"a\": \"x}", (1, 7), "the text never ends"),
            ("{}\n1", (2, 1), "expected the end of the file"),
            ("{ /* }", (1, 3), "the comment never ends"),
        ];
        for (text, place, message) in cases {
            assert_eq!(read_members(text), Err((place, message.to_owned())), "{text}");
        }
        let (place, message) = read_members(r#"{"a": "bin\Debug"}"#).unwrap_err();
        assert_eq!(place, (1, 11));
        assert!(message.contains("a backslash is written"), "{message}");
    }

    #[test]
    fn deep_nesting_is_refused_before_it_hurts() {
        for open in ["[", "{\"a\":"] {
            let text = format!("{{\"a\": {}", open.repeat(100_000));
            assert_eq!(read_members(&text).unwrap_err().1, "nested too deeply");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_an_object_or_refused(text in "[{}\\[\\]\"'\\\\/*:,a1u \n]{0,40}") {
            let _ = read_members(&text);
        }
    }
}
