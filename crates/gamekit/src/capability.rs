//! Capabilities: what a referee can do beyond playing one bout.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Something that a referee can do.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
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
        self.into()
    }
}
