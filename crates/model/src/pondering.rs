//! Pondering: thinking of a bot while it is not asked.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Treatment of a bot that stays for its bout and uses the processor while it is not asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "choice", rename_all = "kebab-case")]
pub enum Pondering {
    /// It may continue to think.
    #[default]
    Allow,
    /// It is frozen until it is asked again. A bot that waits for its next view is left alone.
    Stop,
}

impl Pondering {
    /// Returns whether pondering is allowed.
    pub fn is_allowed(&self) -> bool {
        *self == Self::Allow
    }
}
