//! Start modes of programs that play one turn each: a new process, or a copy of an interpreter that
//! has started already.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Start mode of a program that plays one turn, for languages with warm interpreters.
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
    /// A new process.
    #[default]
    Cold,
    /// A copy of a started interpreter, which reads, runs and ends the bot as usual.
    Exact,
    /// A copy of a started interpreter, which runs the bot and ends it itself.
    Quick,
}

impl StartMode {
    /// The words of the setting.
    pub const WORDS: [(&'static str, Self); 3] =
        [("cold", Self::Cold), ("exact", Self::Exact), ("quick", Self::Quick)];

    /// Returns whether programs start as new processes.
    pub fn is_cold(&self) -> bool {
        *self == Self::Cold
    }

    /// Returns the word of the setting.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }

    /// Returns the name under which the start of `language` is measured; each start mode is
    /// measured like a toolchain of its own.
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
