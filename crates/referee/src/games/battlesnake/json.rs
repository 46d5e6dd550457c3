//! Reader of JSON: what Go's decoder accepts, and nothing more.

/// Lists and objects within one another. Go reads 10,000.
const DEEPEST: usize = 500;

/// A JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    /// `null`.
    Null,
    /// A number; `None` unless it is a whole number of 64 bits, in digits alone.
    Number(Option<i64>),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object, with its keys in their order.
    Object(Vec<(String, Json)>),
    /// `true` or `false`.
    Bool,
}

impl Json {
    /// Reads a value with nothing but white space around it.
    ///
    /// Leniencies: invalid UTF-8 and lone surrogates in texts become U+FFFD.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader { rest: bytes };
        let value = reader.value(0)?;
        reader.peek().is_none().then_some(value)
    }

    /// Returns the value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let Self::Object(entries) = self else { return None };
        entries.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Returns the values of a list; none of another value.
    pub(super) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// Returns the text of this value.
    pub(super) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the whole number of this value.
    pub(super) fn number<N: TryFrom<i64>>(&self) -> Option<N> {
        if let Self::Number(number) = self { N::try_from((*number)?).ok() } else { None }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// Returns the next byte that is no white space, and leaves it there.
    fn peek(&mut self) -> Option<u8> {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
        self.rest.first().copied()
    }

    fn next(&mut self) -> Option<u8> {
        let next = self.peek()?;
        self.rest = &self.rest[1..];
        Some(next)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        match self.peek()? {
            b'{' | b'[' if depth == DEEPEST => None,
            b'{' => self.list(b'}', |reader| reader.entry(depth + 1)).map(Json::Object),
            b'[' => self.list(b']', |reader| reader.value(depth + 1)).map(Json::List),
            b'"' => self.text().map(Json::Text),
            b'n' => self.word("null").map(|()| Json::Null),
            b't' => self.word("true").map(|()| Json::Bool),
            b'f' => self.word("false").map(|()| Json::Bool),
            _ => self.number(),
        }
    }

    /// Reads what is between two brackets.
    fn list<T>(
        &mut self,
        closing: u8,
        mut item: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        self.next()?;
        let mut items = Vec::new();
        if self.peek()? == closing {
            self.next()?;
            return Some(items);
        }
        loop {
            items.push(item(self)?);
            match self.next()? {
                b',' => {}
                byte => return (byte == closing).then_some(items),
            }
        }
    }

    fn entry(&mut self, depth: usize) -> Option<(String, Json)> {
        self.peek().filter(|byte| *byte == b'"')?;
        let key = self.text()?;
        self.next().filter(|byte| *byte == b':')?;
        Some((key, self.value(depth)?))
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(word.as_bytes())?;
        Some(())
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.rest;
        self.skip_one(b"-");
        if !self.skip_one(b"0") {
            self.skip_digits()?;
        }
        let whole = &start[..start.len() - self.rest.len()];
        if self.skip_one(b".") {
            self.skip_digits()?;
        }
        if self.skip_one(b"eE") {
            self.skip_one(b"+-");
            self.skip_digits()?;
        }
        let is_whole = start.len() - self.rest.len() == whole.len();
        let whole = std::str::from_utf8(whole).ok().filter(|_| is_whole);
        Some(Json::Number(whole.and_then(|digits| digits.parse().ok())))
    }

    /// Skips a byte if it is one of these.
    fn skip_one(&mut self, bytes: &[u8]) -> bool {
        match self.rest {
            [first, rest @ ..] if bytes.contains(first) => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    fn skip_digits(&mut self) -> Option<()> {
        let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.rest = &self.rest[digits..];
        (digits > 0).then_some(())
    }

    fn text(&mut self) -> Option<String> {
        self.next()?;
        let mut text = Vec::new();
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'"' => return Some(String::from_utf8_lossy(&text).into_owned()),
                b'\\' => self.push_escape(&mut text)?,
                ..b' ' => return None,
                byte => text.push(*byte),
            }
        }
    }

    fn push_escape(&mut self, text: &mut Vec<u8>) -> Option<()> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        text.push(match byte {
            b'"' | b'\\' | b'/' => *byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                text.extend(self.escaped_units()?.bytes());
                return Some(());
            }
            _ => return None,
        });
        Some(())
    }

    /// Reads numbers of UTF-16 that follow each other, behind the first `\u`.
    fn escaped_units(&mut self) -> Option<String> {
        let mut units = vec![self.unit()?];
        while let Some(rest) = self.rest.strip_prefix(b"\\u") {
            self.rest = rest;
            units.push(self.unit()?);
        }
        Some(String::from_utf16_lossy(&units))
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        let is_number = digits.iter().all(u8::is_ascii_hexdigit);
        let digits = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
        u16::from_str_radix(digits, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Json> {
        Json::read(text.as_bytes())
    }

    #[test]
    fn values_are_read_with_white_space_around() {
        let read =
            read(" {\"a\" : [1, -2 , 1.0, 1e999, true, null], \"b\":{}, \"a\":\"x\"}\r\n").unwrap();
        let numbers: Vec<Option<i64>> =
            read.get("a").unwrap().items().iter().map(Json::number).collect();
        assert_eq!(numbers, [Some(1), Some(-2), None, None, None, None]);
        assert_eq!(read.get("b"), Some(&Json::Object(Vec::new())));
        assert_eq!(read.get("c"), None);
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "{\"a\"",
            "{\"a\":1}}",
            "{\"a\":1,}",
            "{} x",
            "{'a':1}",
            "{a:1}",
            "[1,]",
            "[1}",
            "NaN",
            "01",
            "-",
            ".5",
            "1.",
            "1e",
            "+1",
            "nul",
            "tru",
            "\"a\nb\"",
            r#""\x""#,
            r#""\u12g4""#,
            r#""\u+123""#,
            "\"a",
            "\u{feff}{}",
            "[1 2]",
            "{\"a\" 1}",
            "// x\n1",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn surrogates_are_joined_or_replaced() {
        let texts = [
            (r"\ud83d\ude00", "\u{1f600}"),
            (r"\ud83d", "\u{fffd}"),
            (r"\ud83dx", "\u{fffd}x"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\ude00\ud83d\ude00", "\u{fffd}\u{1f600}"),
            (r"\u0041\u0042", "AB"),
        ];
        for (written, expected) in texts {
            assert_eq!(read(&format!("\"{written}\"")), Some(Json::Text(expected.to_owned())));
        }
        assert_eq!(Json::read(b"\"\xff\""), Some(Json::Text("\u{fffd}".to_owned())));
    }

    #[test]
    fn values_are_as_deep_as_allowed() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(read(&deep(DEEPEST)).is_some());
        assert_eq!(read(&deep(DEEPEST + 1)), None);
        assert_eq!(read(&"[".repeat(200_000)), None);
    }
}
