//! Starts of programs that play one turn each: from nothing, or as copies of an interpreter that is kept
//! ready.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kind of start of a program of one turn, in languages that can be kept ready.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum StartMode {
    /// From nothing.
    #[default]
    Cold,
    /// As a copy of an interpreter that has started; it reads, runs and ends the bot as ever.
    Exact,
    /// As a copy that runs the bot and ends it by itself.
    Quick,
}

impl StartMode {
    /// The words of the setting.
    pub const WORDS: [(&'static str, Self); 3] =
        [("cold", Self::Cold), ("exact", Self::Exact), ("quick", Self::Quick)];

    /// Returns whether programs start from nothing.
    #[must_use]
    pub fn is_cold(&self) -> bool {
        *self == Self::Cold
    }

    /// Returns the word of the setting.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Returns the name under which the cost of a start of `language` is measured: each way of
    /// starting is a toolchain of its own.
    #[must_use]
    pub fn of_language(self, language: &str) -> String {
        match self {
            Self::Cold => language.to_owned(),
            Self::Exact | Self::Quick => format!("{language} ({})", self.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn a_warm_start_is_measured_under_a_name_of_its_own() {
        assert_eq!(StartMode::Cold.of_language("python"), "python");
        assert_eq!(StartMode::Exact.of_language("python"), "python (exact)");
        assert!(StartMode::WORDS.iter().all(|(word, starts)| starts.word() == *word));
    }

    #[test]
    fn limits_of_cold_starts_are_written_as_they_always_were() {
        let text = |starts| serde_json::to_string(&Limits { starts, ..Limits::default() }).unwrap();
        assert!(!text(StartMode::Cold).contains("starts"));
        assert!(text(StartMode::Exact).contains("\"starts\":\"exact\""));
    }
}
