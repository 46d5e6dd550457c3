//! A small reader of JSON: enough for the files of the game, no errors told.

use std::collections::BTreeMap;

pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub fn read(text: &str) -> Self {
        Reader { bytes: text.as_bytes(), at: 0 }.value()
    }

    /// The field called `name`; `Null` where there is none.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(name).unwrap_or(&Json::Null),
            _ => &Json::Null,
        }
    }

    pub fn items(&self) -> &[Json] {
        if let Json::List(items) = self { items } else { &[] }
    }

    pub fn text(&self) -> &str {
        if let Json::Text(text) = self { text } else { "" }
    }

    pub fn integer(&self) -> i32 {
        if let Json::Number(number) = self { *number as i32 } else { 0 }
    }

    pub fn is_true(&self) -> bool {
        matches!(self, Json::Bool(true))
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Json::Null)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next byte that is not white space; 0 at the end.
    fn peek(&mut self) -> u8 {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == byte {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Json {
        match self.peek() {
            b'{' => self.object(),
            b'[' => self.list(),
            b'"' => Json::Text(self.string()),
            _ => self.word(),
        }
    }

    fn object(&mut self) -> Json {
        let mut fields = BTreeMap::new();
        self.skip(b'{');
        while self.peek() == b'"' {
            let name = self.string();
            self.skip(b':');
            fields.insert(name, self.value());
            self.skip(b',');
        }
        self.skip(b'}');
        Json::Object(fields)
    }

    fn list(&mut self) -> Json {
        let mut items = Vec::new();
        self.skip(b'[');
        while !matches!(self.peek(), b']' | 0) {
            items.push(self.value());
            self.skip(b',');
        }
        self.skip(b']');
        Json::List(items)
    }

    /// A string. No name that is looked for has an escape in it.
    fn string(&mut self) -> String {
        self.skip(b'"');
        let mut text = Vec::new();
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    text.extend(self.bytes.get(self.at));
                    self.at += 1;
                }
                _ => text.push(byte),
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    fn word(&mut self) -> Json {
        let start = self.at;
        let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
        while self.bytes.get(self.at).is_some_and(is_part) {
            self.at += 1;
        }
        match std::str::from_utf8(&self.bytes[start..self.at]).unwrap_or("") {
            "true" => Json::Bool(true),
            "false" => Json::Bool(false),
            "" => {
                self.at += 1;
                Json::Null
            }
            word => word.parse().map_or(Json::Null, Json::Number),
        }
    }
}
