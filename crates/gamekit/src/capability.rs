//! Capabilities: what a referee can do beyond playing one bout.

use serde::{Deserialize, Serialize};

/// Something that a referee can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// One process plays any number of bouts, also at the same time.
    Bouts,
    /// The same seed, options and answers give the same bout; every `ask` and `end`
    /// says the position, so that it can be proved.
    Rejudge,
    /// It draws positions.
    Scene,
    /// It counts something in every turn.
    Numbers,
}

impl Capability {
    /// Every capability, in the order of the protocol's page.
    pub const ALL: [Self; 4] = [Self::Bouts, Self::Rejudge, Self::Scene, Self::Numbers];

    /// Returns the word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bouts => "bouts",
            Self::Rejudge => "rejudge",
            Self::Scene => "scene",
            Self::Numbers => "numbers",
        }
    }

    /// Returns the capability called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.name() == name)
    }
}
