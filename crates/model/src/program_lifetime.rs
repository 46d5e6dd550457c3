//! Lifetimes of programs that stay: one bout, or all bouts of a match.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lifetime of the program of a bot that is started once and asked often.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum ProgramLifetime {
    /// One bout.
    #[default]
    Bout,
    /// All bouts of a match, which are played in one go.
    Match,
}

impl ProgramLifetime {
    /// Returns whether programs stay for one bout.
    pub fn are_for_a_bout(&self) -> bool {
        *self == Self::Bout
    }
}
