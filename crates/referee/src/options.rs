//! Options of a game as plain data.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// The value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text, as it is written in the configuration.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// Option values by name.
pub type Options = BTreeMap<String, OptionValue>;

/// Values of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `true` or `false`, with the default.
    Bool(bool),
    /// A whole number from `min` to `max`.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
        /// Value when left out.
        default: i64,
    },
    /// A whole number from `min` to `max`, or nothing when left out.
    OptionalInt {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// One of a few words; the first is the default. A whole number spelled like
    /// one of them is that word.
    OneOf(Vec<String>),
    /// A name that a computer can have, with the default.
    HostName(String),
}

/// One option a game knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionSpec {
    /// The key in `options:`.
    pub name: String,
    /// Its values.
    pub kind: OptionKind,
    /// Its effect, with unit and source.
    pub help: String,
}

/// Name of an option in the original, where it counts in another unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OriginalName {
    /// The original's name.
    pub name: String,
    /// The option, a whole number.
    pub option: String,
    /// Number of decimals of the original's number that the option keeps: 3 from seconds
    /// to milliseconds.
    pub decimals: u32,
}

impl OriginalName {
    /// Makes the original's name of an option.
    pub fn new(name: &str, option: &str, decimals: u32) -> Self {
        Self { name: name.to_owned(), option: option.to_owned(), decimals }
    }

    /// Returns the option's value for what the original would be given; what is no
    /// such number is returned as it came, for [`OptionSpec::check`] to refuse.
    pub fn translate(&self, value: &OptionValue) -> OptionValue {
        self.scaled(&value.to_string()).map_or_else(|| value.clone(), OptionValue::Int)
    }

    fn scaled(&self, text: &str) -> Option<i64> {
        let (whole, part) = text.split_once('.').unwrap_or((text, ""));
        let keeps = self.decimals as usize;
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (kept, lost) = part.split_at_checked(keeps).unwrap_or((part, ""));
        let is_exact = lost.bytes().all(|byte| byte == b'0');
        if whole.len() + part.len() == 0 || !are_digits(whole) || !are_digits(part) || !is_exact {
            return None;
        }
        format!("{whole}{kept:0<keeps$}").parse().ok()
    }
}

/// Why options do not fit a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionsError {
    /// The game has no such option.
    Unknown {
        /// The name given.
        name: String,
    },
    /// The value is not one the option takes.
    Value {
        /// The option.
        name: String,
        /// The given value.
        given: String,
        /// Description of the expected values.
        expected: String,
    },
}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name } => write!(f, "unknown option `{name}`"),
            Self::Value { name, given, expected } => {
                write!(f, "option `{name}` is `{given}`, expected {expected}")
            }
        }
    }
}

impl std::error::Error for OptionsError {}

impl OptionSpec {
    /// Makes an option that is `true` or `false`.
    pub fn bool(name: &str, default: bool, help: &str) -> Self {
        Self::new(name, OptionKind::Bool(default), help)
    }

    /// Makes an option that is a whole number.
    pub fn int(name: &str, range: RangeInclusive<i64>, default: i64, help: &str) -> Self {
        let (min, max) = range.into_inner();
        Self::new(name, OptionKind::Int { min, max, default }, help)
    }

    /// Makes an option that is a whole number, or nothing when left out.
    pub fn optional_int(name: &str, range: RangeInclusive<i64>, help: &str) -> Self {
        let (min, max) = range.into_inner();
        Self::new(name, OptionKind::OptionalInt { min, max }, help)
    }

    /// Makes an option that is one of a few words, the first by default.
    pub fn one_of(name: &str, words: &[&str], help: &str) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self::new(name, OptionKind::OneOf(words), help)
    }

    /// Makes an option that is a name that a computer can have.
    pub fn host_name(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::HostName(default.to_owned()), help)
    }

    fn new(name: &str, kind: OptionKind, help: &str) -> Self {
        Self { name: name.to_owned(), kind, help: help.to_owned() }
    }

    /// Checks one value against this option.
    ///
    /// # Errors
    ///
    /// [`OptionsError::Value`] says what was expected.
    pub fn check(&self, value: &OptionValue) -> Result<(), OptionsError> {
        let (fits, expected) = match &self.kind {
            OptionKind::Bool(_) => {
                (matches!(value, OptionValue::Bool(_)), "`true` or `false`".to_owned())
            }
            OptionKind::Int { min, max, .. } | OptionKind::OptionalInt { min, max } => (
                matches!(value, OptionValue::Int(number) if (min..=max).contains(&number)),
                format!("a whole number from {min} to {max}"),
            ),
            OptionKind::OneOf(words) => (
                !matches!(value, OptionValue::Bool(_)) && words.contains(&value.to_string()),
                format!("one of {}", words.join(", ")),
            ),
            OptionKind::HostName(_) => (
                matches!(value, OptionValue::Text(text) if is_host_name(text)),
                "the name of a computer".to_owned(),
            ),
        };
        if fits {
            return Ok(());
        }
        Err(OptionsError::Value { name: self.name.clone(), given: value.to_string(), expected })
    }

    /// Returns the value the option has when it is left out, if it then has one.
    pub fn default_value(&self) -> Option<OptionValue> {
        match &self.kind {
            OptionKind::Bool(value) => Some(OptionValue::Bool(*value)),
            OptionKind::Int { default, .. } => Some(OptionValue::Int(*default)),
            OptionKind::OptionalInt { .. } => None,
            OptionKind::OneOf(words) => words.first().cloned().map(OptionValue::Text),
            OptionKind::HostName(default) => Some(OptionValue::Text(default.clone())),
        }
    }
}

/// Parts of letters, digits and hyphens with dots between them, 253 characters at
/// most. Source: RFC 1123, 2.1.
fn is_host_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_part = |part: &str| {
        (1..=63).contains(&part.len())
            && part.chars().all(is_plain)
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    text.len() <= 253 && text.split('.').all(is_part)
}

/// Returns a whole number of `options`; `None` if it is not there, or does not fit.
pub(crate) fn whole<N: TryFrom<i64>>(options: &Options, name: &str) -> Option<N> {
    match options.get(name)? {
        OptionValue::Int(value) => N::try_from(*value).ok(),
        _ => None,
    }
}

/// Returns a value of `options` as a word; an empty one if it is not there.
pub(crate) fn word(options: &Options, name: &str) -> String {
    options.get(name).map(ToString::to_string).unwrap_or_default()
}

/// Returns the options that have a value when they are left out, with it.
pub fn defaults(known: &[OptionSpec]) -> Options {
    let default = |spec: &OptionSpec| Some((spec.name.clone(), spec.default_value()?));
    known.iter().filter_map(default).collect()
}

/// Checks `options` against `known` and fills in what was left out.
///
/// # Errors
///
/// The first option that is unknown or has an impossible value.
pub fn complete(known: &[OptionSpec], options: &Options) -> Result<Options, OptionsError> {
    let mut all = defaults(known);
    for (name, value) in options {
        let spec = known
            .iter()
            .find(|spec| spec.name == *name)
            .ok_or_else(|| OptionsError::Unknown { name: name.clone() })?;
        spec.check(value)?;
        all.insert(name.clone(), value.clone());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_of_the_original_are_milliseconds_here() {
        let name = OriginalName::new("tick_step", "tick_ms", 3);
        let text = |text: &str| name.translate(&OptionValue::Text(text.to_owned()));
        assert_eq!(text("0.1"), OptionValue::Int(100));
        assert_eq!(text(".025"), OptionValue::Int(25));
        assert_eq!(text("1.5000"), OptionValue::Int(1500));
        assert_eq!(name.translate(&OptionValue::Int(2)), OptionValue::Int(2000));
        for wrong in ["", ".", "-1", "0.0001", "1e-1", "fast", "0.1.2", "99999999999999999999"] {
            assert_eq!(text(wrong), OptionValue::Text(wrong.to_owned()), "{wrong}");
        }
    }

    #[test]
    fn a_host_name_is_one_that_a_computer_can_have() {
        for name in ["uwcs.co.uk", "localhost", "a-1.example"] {
            assert!(is_host_name(name), "{name}");
        }
        let long = "a".repeat(64);
        for name in ["", ".", "a..b", "a b", "-a", "a-.b", "a_b", "\u{e9}.example", &long] {
            assert!(!is_host_name(name), "{name}");
        }
    }
}
