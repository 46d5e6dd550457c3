//! Types of single values, each with its bounds, its mistakes and its shape in the schema.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use joust_model::{Bytes, escaped};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::quantity::{DURATION, SIZE, UNITS_OF_SIZE, UNITS_OF_TIME, show_duration};
use super::rejection::Rejection;

/// Least memory of a program: the launcher in the sandbox has to fit, too.
const LEAST_MEMORY: Bytes = Bytes(1 << 20);

/// Longest address, bytes.
const LONGEST_ADDRESS: usize = 2000;

/// Number above zero, as a quantity has it.
const ABOVE_ZERO: &str = r"(?=[0-9.]*[1-9])([0-9]+\.?[0-9]*|\.[0-9]+)";

/// Pattern of a text with something to see in it.
pub(super) const VISIBLE: &str = r"\S";

/// Visitor of whole numbers within a range.
#[derive(Clone, Copy)]
pub(super) struct WholeNumber {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl WholeNumber {
    fn range(&self) -> String {
        match self.most {
            u64::MAX => format!("the least is {}, the most {}", self.least, u64::MAX),
            most => format!("it can be {} to {most}", self.least),
        }
    }

    /// Refuses a value that is nearly a whole number: `meant` is how it is written.
    fn refuse_number<E: de::Error>(&self, found: Unexpected<'_>, meant: &str) -> E {
        let is_possible = |number: &u64| (self.least..=self.most).contains(number);
        let hint = match meant.parse::<u64>().ok().filter(is_possible) {
            Some(number) => format!("write `{number}`"),
            None => self.range(),
        };
        E::invalid_type(found, &format!("a whole number\n{hint}").as_str())
    }
}

impl Visitor<'_> for WholeNumber {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number\n{}", self.range())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        match (self.least..=self.most).contains(&number) {
            true => Ok(number),
            false => Err(E::invalid_value(Unexpected::Unsigned(number), &self.range().as_str())),
        }
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        self.visit_i128(number.into())
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<u64, E> {
        let other = || E::invalid_value(Unexpected::Other("a number"), &self.range().as_str());
        self.visit_u64(u64::try_from(number).map_err(|_| other())?)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<u64, E> {
        let meant = if number.fract() == 0.0 { format!("{number:.0}") } else { String::new() };
        Err(self.refuse_number(Unexpected::Float(number), &meant))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
        Err(self.refuse_number(Unexpected::Str(text), &text.trim().replace(['_', ','], "")))
    }
}

/// Whole number from `LEAST` to `MOST`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Count<const LEAST: u32, const MOST: u32>(pub u32);

impl<'de, const LEAST: u32, const MOST: u32> Deserialize<'de> for Count<LEAST, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let range = WholeNumber { least: LEAST.into(), most: MOST.into() };
        let number = deserializer.deserialize_any(range)?;
        Ok(Self(u32::try_from(number).expect("the most is a u32")))
    }
}

impl<const LEAST: u32, const MOST: u32> JsonSchema for Count<LEAST, MOST> {
    fn schema_name() -> Cow<'static, str> {
        format!("Count{LEAST}To{MOST}").into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": LEAST, "maximum": MOST })
    }
}

/// Visitor of texts and numbers; its text is what a message calls the value, with advice.
struct TextOrNumber(&'static str);

impl Visitor<'_> for TextOrNumber {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<String, E> {
        Ok(number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<String, E> {
        Ok(format!("{number:?}"))
    }
}

/// Text, or a number as a text.
#[derive(Clone, Debug)]
pub struct Word(pub String);

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a text\nwrite it in quotes: `\"...\"`";
        deserializer.deserialize_any(TextOrNumber(expected)).map(Self)
    }
}

impl JsonSchema for Word {
    fn schema_name() -> Cow<'static, str> {
        "Word".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}

/// Reads a quantity above zero, such as `example`, as a number of the smallest unit.
fn quantity<'de, D: Deserializer<'de>>(
    deserializer: D,
    expected: &'static str,
    example: &str,
    parse: impl Fn(&str) -> Result<u64, Rejection>,
) -> Result<u64, D::Error> {
    let text = deserializer.deserialize_any(TextOrNumber(expected))?;
    let is_bare_zero = text.parse() == Ok(0.0);
    match parse(&text) {
        Ok(0) => {}
        Err(_) if is_bare_zero => {}
        read => return read.map_err(de::Error::custom),
    }
    let hint = format!("give it a value such as `{example}`, or leave the key out for the default");
    Err(de::Error::custom(Rejection::new("a limit of zero leaves nothing", hint)))
}

/// Span of time above zero: `500ms`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Time(pub Duration);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a duration such as `500ms` or `2s`\nwrite a number and a unit: `500ms`, \
                        `1.5s`, `2m` or `1h`";
        let read = quantity(deserializer, expected, "2s", |text| DURATION.read(text));
        read.map(|time| Self(Duration::from_micros(time)))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&show_duration(self.0))
    }
}

impl JsonSchema for Time {
    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        quantity_schema(UNITS_OF_TIME.map(|(unit, _)| unit.to_owned()).as_slice())
    }
}

/// Number of bytes above zero: `64KiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size(pub Bytes);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let expected = "a size such as `64KiB` or `512MiB`\nwrite a number and a unit: `64KiB`, \
                        `512MiB` or `2GiB`";
        let read = quantity(deserializer, expected, "512MiB", |text| SIZE.read(text));
        read.map(|size| Self(Bytes(size)))
    }
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        "Size".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let any_case = |c: char| format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase());
        let unit = |(unit, _): (&str, u64)| unit.chars().map(any_case).collect::<String>();
        quantity_schema(UNITS_OF_SIZE.map(unit).as_slice())
    }
}

fn quantity_schema(units: &[String]) -> Schema {
    let pattern = format!(r"^\s*{ABOVE_ZERO}\s*({})\s*$", units.join("|"));
    json_schema!({ "type": "string", "pattern": pattern })
}

/// Number of bytes in which a program can be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Size")]
pub struct Memory(pub Size);

impl TryFrom<Size> for Memory {
    type Error = Rejection;

    fn try_from(size: Size) -> Result<Self, Rejection> {
        let hint = format!(
            "the least is {LEAST_MEMORY}, and languages with a run time want more: `64MiB`"
        );
        let message = format!("no program starts in {}", size.0);
        Rejection::unless(size.0 >= LEAST_MEMORY, message, hint)?;
        Ok(Self(size))
    }
}

/// Name without invisible characters.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub(super) struct Name(pub(super) String);

impl TryFrom<String> for Name {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "give it a name, or leave the key out for the default";
        Rejection::unless(!text.trim().is_empty(), "an empty text is no name", hint)?;
        let shown = escaped(&text);
        let hint = format!("delete what is written here as `\\u{{..}}`: {shown}");
        Rejection::unless(shown == text, "there are invisible characters in this name", hint)?;
        Ok(Self(text))
    }
}

/// Text with something to see in it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = VISIBLE))]
pub(super) struct Paragraphs(pub(super) String);

impl TryFrom<String> for Paragraphs {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let hint = "write a text, or leave the key out";
        Rejection::unless(!text.trim().is_empty(), "an empty text says nothing", hint)?;
        Ok(Self(text))
    }
}

/// Text of one line: line breaks of a folded text are spaces.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Paragraphs")]
pub(super) struct SingleLine(pub(super) String);

impl From<Paragraphs> for SingleLine {
    fn from(text: Paragraphs) -> Self {
        Self(text.0.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

/// Address of a page.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = r"^https?://[^\s/@]+[^\s]*$"))]
pub(super) struct Address(pub(super) String);

impl TryFrom<String> for Address {
    type Error = Rejection;

    fn try_from(text: String) -> Result<Self, Rejection> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.map(|rest| rest.split(['/', '?', '#']).next().unwrap_or_default());
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"');
        // Text before an `@` could pass for the host of the link.
        let has_host = host.is_some_and(|host| !host.is_empty() && !host.contains('@'));
        let is_good = has_host && is_plain && text.len() <= LONGEST_ADDRESS;
        let hint = "write it as a browser shows it: `https://cup.example.org/`";
        Rejection::unless(is_good, format!("`{}` is no address", escaped(&text)), hint)?;
        Ok(Self(text))
    }
}
