//! Conditions on the numbers of a bout: `captures<3`, `bot.depth.mean>=6.5`.

use std::fmt;
use std::str::FromStr;

use joust_model::{Finite, NumberSummary, SeatNumbers};

/// A condition on one number of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The number's name; `bot.` stands before what a bot said of itself.
    pub name: String,
    /// Part of the number's summary to compare.
    pub part: NumberPart,
    /// Comparison to make.
    pub relation: Relation,
    /// With what.
    pub value: Finite,
}

/// Part of a number's summary to compare, for numbers that a bout gives several times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumberPart {
    /// The last value.
    #[default]
    Last,
    /// The smallest.
    Min,
    /// The largest.
    Max,
    /// The arithmetic mean.
    Mean,
}

impl NumberPart {
    const NAMES: [(&'static str, Self); 4] =
        [("last", Self::Last), ("min", Self::Min), ("max", Self::Max), ("mean", Self::Mean)];

    fn of(self, summary: &NumberSummary) -> Finite {
        match self {
            Self::Last => summary.last,
            Self::Min => summary.min,
            Self::Max => summary.max,
            Self::Mean => summary.mean,
        }
    }
}

/// Comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

impl Relation {
    /// All signs, longer ones first, so that none matches the beginning of another.
    const SIGNS: [(&'static str, Self); 5] = [
        ("<=", Self::AtMost),
        (">=", Self::AtLeast),
        ("<", Self::Below),
        (">", Self::Above),
        ("=", Self::Equal),
    ];

    #[expect(clippy::float_cmp, reason = "`=` asks for the very number")]
    fn holds(self, one: f64, other: f64) -> bool {
        match self {
            Self::Below => one < other,
            Self::AtMost => one <= other,
            Self::Above => one > other,
            Self::AtLeast => one >= other,
            Self::Equal => one == other,
        }
    }
}

/// Why a text is no condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseConditionError {
    /// It has none of the signs.
    NoSign,
    /// The text after the sign is no finite number.
    NoNumber(String),
    /// Nothing stands before the sign.
    NoName,
}

impl fmt::Display for ParseConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSign => f.write_str("it has none of `<`, `<=`, `>`, `>=`, `=`"),
            Self::NoNumber(text) => write!(f, "`{}` is no number", text.escape_debug()),
            Self::NoName => f.write_str("no name stands before the sign"),
        }?;
        f.write_str("; write it as 'captures<3' or 'bot.depth.mean>=6.5', in quotes")
    }
}

impl std::error::Error for ParseConditionError {}

impl FromStr for Condition {
    type Err = ParseConditionError;

    fn from_str(text: &str) -> Result<Self, ParseConditionError> {
        let at = text.find(['<', '>', '=']).ok_or(ParseConditionError::NoSign)?;
        let (name, rest) = text.split_at(at);
        let sign = |(sign, relation)| Some((relation, rest.strip_prefix(sign)?));
        let (relation, value) =
            Relation::SIGNS.into_iter().find_map(sign).ok_or(ParseConditionError::NoSign)?;
        let value = value.trim();
        let value = value.parse().map_err(|_| ParseConditionError::NoNumber(value.to_owned()))?;
        let (name, part) = named(name.trim());
        if name.is_empty() {
            return Err(ParseConditionError::NoName);
        }
        Ok(Self { name: name.to_owned(), part, relation, value })
    }
}

/// Takes the part off the end of a name; the last value where none stands there.
fn named(text: &str) -> (&str, NumberPart) {
    let part = |(word, part)| Some((text.strip_suffix(word)?.strip_suffix('.')?, part));
    let named = NumberPart::NAMES.into_iter().find_map(part);
    // A bot may call a number of its own so.
    named.filter(|(name, _)| *name != "bot").unwrap_or((text, NumberPart::Last))
}

impl Condition {
    /// Returns whether it holds for a seat; never where the seat has no such number.
    pub fn holds(&self, numbers: &SeatNumbers) -> bool {
        let summary = numbers.0.get(&self.name);
        let value = summary.map(|summary| self.part.of(summary).get());
        value.is_some_and(|value| self.relation.holds(value, self.value.get()))
    }
}

#[cfg(test)]
mod tests {
    use joust_model::{NumberRecord, NumberSource};

    use super::*;

    fn numbers() -> SeatNumbers {
        let said = |value: f64| NumberRecord {
            round: 0,
            seat: 0,
            source: NumberSource::Bot,
            name: "depth".to_owned(),
            value: Finite::new(value).expect("it is finite"),
        };
        SeatNumbers::of(&[said(2.0), said(9.0), said(4.0)], 0)
    }

    fn holds(condition: &str) -> bool {
        condition.parse::<Condition>().expect("it is one").holds(&numbers())
    }

    #[test]
    fn a_name_alone_stands_for_what_was_said_last() {
        for condition in ["bot.depth=4", "bot.depth<=4", "bot.depth>3.5", "bot.depth.last >= 4"] {
            assert!(holds(condition), "{condition}");
        }
        for condition in ["bot.depth<4", "bot.depth>4", "bot.depth=4.5", "depth=4", "captures<3"] {
            assert!(!holds(condition), "{condition}");
        }
    }

    #[test]
    fn smallest_largest_and_mean_have_names() {
        assert!(holds("bot.depth.min=2") && holds("bot.depth.max=9") && holds("bot.depth.mean=5"));
    }

    #[test]
    fn a_bot_s_number_may_be_called_like_a_part() {
        let condition: Condition = "bot.max<1".parse().expect("it is one");
        assert_eq!((condition.name.as_str(), condition.part), ("bot.max", NumberPart::Last));
    }

    #[test]
    fn what_is_no_condition_says_why() {
        let why = |text: &str| text.parse::<Condition>().expect_err("it is none");
        assert_eq!(why("captures"), ParseConditionError::NoSign);
        assert_eq!(why("<3"), ParseConditionError::NoName);
        assert_eq!(why("a==3"), ParseConditionError::NoNumber("=3".to_owned()));
        assert_eq!(why("a<inf"), ParseConditionError::NoNumber("inf".to_owned()));
        assert_eq!(why("a<"), ParseConditionError::NoNumber(String::new()));
    }
}
