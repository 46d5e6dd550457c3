//! Numbers of a bout: the referee's counters for a seat, and a bot's own numbers; counts with their
//! nouns.

use std::collections::BTreeMap;
use std::fmt::{self, Display};

use joust_referee::Finite;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::Round;

/// Source of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum NumberSource {
    /// The referee; judging the bout again reproduces the number.
    Referee,
    /// The bot, on its standard error.
    Bot,
}

/// A number that was reported in a bout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberRecord {
    /// For the referee's: rounds played so far. For a bot's: the round of its answer, from 0.
    pub round: u32,
    /// The seat.
    pub seat: u8,
    /// Source of the number.
    pub source: NumberSource,
    /// Name of the counter, in a to z, 0 to 9, `-` and `_`.
    #[serde(deserialize_with = "number_name")]
    pub name: String,
    /// Its value.
    #[serde(serialize_with = "exact", deserialize_with = "finite")]
    pub value: Finite,
}

impl NumberRecord {
    /// Prefix of the name of a bot's own number.
    pub const OF_BOT: &'static str = "bot.";

    /// Returns the number of rounds after which it is known: 0 at the start, and 1 in the first
    /// turn of a bot.
    pub fn after(&self) -> u32 {
        match self.source {
            NumberSource::Referee => self.round,
            NumberSource::Bot => Round(self.round).number(),
        }
    }

    /// Returns the displayed name: the name, prefixed with [`NumberRecord::OF_BOT`] for a bot's
    /// number.
    pub fn label(&self) -> String {
        match self.source {
            NumberSource::Referee => self.name.clone(),
            NumberSource::Bot => format!("{}{}", Self::OF_BOT, self.name),
        }
    }
}

/// The longest name of a number, bytes.
const LONGEST_NAME: usize = 32;

/// Returns whether a text can be the name of a number. Records of strangers are read, and names are
/// printed as they are.
fn is_number_name(name: &str) -> bool {
    let is_allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(is_allowed)
}

fn exact<S: Serializer>(value: &Finite, to: S) -> Result<S::Ok, S::Error> {
    value.get().serialize(to)
}

fn finite<'de, D: Deserializer<'de>>(from: D) -> Result<Finite, D::Error> {
    Finite::new(f64::deserialize(from)?).ok_or_else(|| de::Error::custom("it is not finite"))
}

fn number_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let name = String::deserialize(from)?;
    match is_number_name(&name) {
        true => Ok(name),
        false => Err(de::Error::custom("it is no name of a number")),
    }
}

/// Summary of one number of a seat over a bout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NumberSummary {
    /// Number of times that it was reported.
    pub count: u32,
    /// The last value.
    #[serde(serialize_with = "plain")]
    pub last: Finite,
    /// The smallest.
    #[serde(serialize_with = "plain")]
    pub min: Finite,
    /// The largest.
    #[serde(serialize_with = "plain")]
    pub max: Finite,
    /// The arithmetic mean.
    #[serde(serialize_with = "plain")]
    pub mean: Finite,
}

impl NumberSummary {
    fn of(values: &[Finite]) -> Option<Self> {
        let by_size = |a: &&Finite, b: &&Finite| a.get().total_cmp(&b.get());
        Some(Self {
            count: u32::try_from(values.len()).unwrap_or(u32::MAX),
            last: *values.last()?,
            min: *values.iter().min_by(by_size)?,
            max: *values.iter().max_by(by_size)?,
            mean: mean(values),
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "nobody says a number so often")]
fn mean(values: &[Finite]) -> Finite {
    let count = values.len() as f64;
    let sum: f64 = values.iter().map(|value| value.get()).sum();
    // If the sum overflows, the mean is computed from shares.
    let in_shares = || -> f64 { values.iter().map(|value| value.get() / count).sum() };
    let mean = Finite::new(sum / count);
    mean.or_else(|| Finite::new(in_shares().clamp(f64::MIN, f64::MAX))).unwrap_or_default()
}

/// Every number of a seat over a bout, by its [label](NumberRecord::label).
///
/// The JSON form is for programs that read them. The stored form is their [text](Self::to_text),
/// because not every JSON reader returns exactly the number that was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct SeatNumbers(pub BTreeMap<String, NumberSummary>);

impl SeatNumbers {
    /// Summarises the numbers of `seat`.
    pub fn of(records: &[NumberRecord], seat: u8) -> Self {
        let mut values: BTreeMap<String, Vec<Finite>> = BTreeMap::new();
        for record in records.iter().filter(|record| record.seat == seat) {
            values.entry(record.label()).or_default().push(record.value);
        }
        let summary =
            |(label, values): (String, Vec<Finite>)| Some((label, NumberSummary::of(&values)?));
        Self(values.into_iter().filter_map(summary).collect())
    }

    /// Returns a line for each number: label, count, last, smallest, largest and mean, separated by
    /// spaces.
    pub fn to_text(&self) -> String {
        let line = |(label, summary): (&String, &NumberSummary)| {
            let NumberSummary { count, last, min, max, mean } = summary;
            format!("{label} {count} {last} {min} {max} {mean}\n")
        };
        self.0.iter().map(line).collect()
    }

    /// Parses the text of [`SeatNumbers::to_text`]; `None` for anything else.
    pub fn from_text(text: &str) -> Option<Self> {
        let line = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let [label, count, values @ ..] = &words[..] else { return None };
            let name = label.strip_prefix(NumberRecord::OF_BOT).unwrap_or(label);
            Some(()).filter(|()| is_number_name(name))?;
            let values: Vec<Finite> =
                values.iter().map(|value| value.parse().ok()).collect::<Option<_>>()?;
            let [last, min, max, mean] = values[..] else { return None };
            let count = count.parse().ok()?;
            Some(((*label).to_owned(), NumberSummary { count, last, min, max, mean }))
        };
        text.lines().map(line).collect::<Option<_>>().map(Self)
    }

    /// Returns whether there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Displays `depth 7 (3 to 9, mean 5.5, said 4 times)`, one after the other.
impl fmt::Display for SeatNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (label, summary)) in self.0.iter().enumerate() {
            let NumberSummary { count, last, min, max, mean } = summary;
            let (comma, times) = (if place == 0 { "" } else { ", " }, counted(*count, "time"));
            write!(f, "{comma}{label} {last} ({min} to {max}, mean {mean}, said {times})")?;
        }
        Ok(())
    }
}

/// Serde form for storage: the [text](SeatNumbers::to_text).
pub(crate) mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

    use super::SeatNumbers;

    pub(crate) fn serialize<S: Serializer>(
        numbers: &SeatNumbers,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        numbers.to_text().serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<SeatNumbers, D::Error> {
        let text = String::deserialize(from)?;
        SeatNumbers::from_text(&text).ok_or_else(|| de::Error::custom("these are no numbers"))
    }
}

/// Whole numbers are exact up to this one.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Serialises a number in the usual way: a whole number has no decimal point.
fn plain<S: Serializer>(value: &Finite, to: S) -> Result<S::Ok, S::Error> {
    let value = value.get();
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        let whole = value as i64;
        return whole.serialize(to);
    }
    value.serialize(to)
}

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
    use super::*;

    fn said(seat: u8, source: NumberSource, value: f64) -> NumberRecord {
        let value = Finite::new(value).expect("it is finite");
        NumberRecord { round: 0, seat, source, name: "depth".to_owned(), value }
    }

    #[test]
    fn a_seat_s_numbers_are_summed_up_by_who_said_them() {
        let records = [
            said(0, NumberSource::Referee, 4.0),
            said(1, NumberSource::Referee, 100.0),
            said(0, NumberSource::Referee, -1.0),
            said(0, NumberSource::Bot, 0.5),
        ];
        let json = serde_json::to_string(&SeatNumbers::of(&records, 0)).expect("it is JSON");
        let of_bot = r#""bot.depth":{"count":1,"last":0.5,"min":0.5,"max":0.5,"mean":0.5}"#;
        let of_referee = r#""depth":{"count":2,"last":-1,"min":-1,"max":4,"mean":1.5}"#;
        assert_eq!(json, format!("{{{of_bot},{of_referee}}}"));
    }

    #[test]
    fn the_text_of_numbers_is_read_as_the_very_same() {
        let values = [1.0, 2.0, 11.846_153_846_153_848, -1e300];
        let records = values.map(|value| said(0, NumberSource::Bot, value));
        let numbers = SeatNumbers::of(&records, 0);
        let text = numbers.to_text();
        assert!(text.starts_with("bot.depth 4 -1e300 -1e300 11.846153846153848 "), "{text}");
        assert_eq!(SeatNumbers::from_text(&text), Some(numbers));
        for damaged in [
            "depth",
            "depth 1 2 3 4",
            "depth 1 2 3 4 inf",
            "depth 1 2 3 4 5 6",
            "a\u{1b}[2J 1 2 3 4 5",
        ] {
            assert_eq!(SeatNumbers::from_text(damaged), None, "{damaged}");
        }
    }

    #[test]
    fn the_mean_of_the_largest_numbers_is_finite() {
        let records = [f64::MAX; 3].map(|value| said(0, NumberSource::Bot, value));
        let numbers = SeatNumbers::of(&records, 0);
        assert!(numbers.0["bot.depth"].mean.get() > 1e308);
    }

    #[test]
    fn one_is_singular_and_everything_else_is_plural() {
        assert_eq!(counted(1_u64, "match"), "1 match");
        assert_eq!(counted(0_u32, "bout"), "0 bouts");
        assert_eq!(counted(2_usize, "match"), "2 matches");
        assert_eq!(counted(12_u64, "mirror pair"), "12 mirror pairs");
    }
}
