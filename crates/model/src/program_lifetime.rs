//! Programs of bots that stay: whether for a bout or for all bouts of a match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lifetime of the program of a bot that is started once and asked often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum ProgramLifetime {
    /// For one bout.
    #[default]
    Bout,
    /// For all bouts of a match, which is played whole.
    Match,
}

impl ProgramLifetime {
    /// The words of the setting.
    pub const WORDS: [(&'static str, Self); 2] = [("bout", Self::Bout), ("match", Self::Match)];

    /// Returns whether they stay for one bout.
    #[must_use]
    pub fn are_for_a_bout(&self) -> bool {
        *self == Self::Bout
    }
}
