//! Public parts of a tournament's published site.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a site that can be public or not.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename = "part of a site", rename_all = "kebab-case")]
pub enum PublicPart {
    /// Verdicts of requests for an action.
    Verdicts,
    /// Times of turns.
    Times,
    /// Every round of a bout, to watch.
    Replays,
    /// Standard error of bots.
    Stderr,
    /// The logs of builds.
    Logs,
}

impl PublicPart {
    /// All such parts, with their names in the configuration.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("verdicts", Self::Verdicts),
        ("times", Self::Times),
        ("replays", Self::Replays),
        ("stderr", Self::Stderr),
        ("logs", Self::Logs),
    ];
}

/// Public parts of a published site. E-mail addresses are never published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The public parts. Default: verdicts, times and replays.
    pub public: BTreeSet<PublicPart>,
    /// The most bouts of an event that have a page each. Default 10,000.
    pub bouts: u32,
}

impl Publication {
    /// The default number of bouts of an event that have a page.
    pub const BOUTS: u32 = 10_000;

    /// Returns whether `what` is public.
    pub fn shows(&self, what: PublicPart) -> bool {
        self.public.contains(&what)
    }
}

impl Default for Publication {
    fn default() -> Self {
        let public = [PublicPart::Verdicts, PublicPart::Times, PublicPart::Replays].into();
        Self { public, bouts: Self::BOUTS }
    }
}
