//! Criteria that separate bots that are level.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One criterion of a ranking, applied inside a group that is still level.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename = "tie-break", rename_all = "kebab-case")]
pub enum TieBreak {
    /// Matches won.
    MatchWins,
    /// In each bout 1 for each opponent ranked behind and ½ for each ranked
    /// level: with two seats 1 for a bout won, ½ for a draw.
    Points,
    /// Bouts won.
    BoutWins,
    /// Points in the bouts among exactly the level bots, applied again to each
    /// subset it leaves level.
    HeadToHead,
    /// Opponents' points, weighted by the result of each bout.
    SonnebornBerger,
    /// Points against opponents with at least half of their possible points.
    Koya,
    /// The game's own score, summed.
    Score,
    /// Fewer faults.
    FewerFaults,
}

impl TieBreak {
    /// The order of matches of more than two when none is configured: who is
    /// second of four has done more than who is last, so points come first.
    pub const DEFAULT_OF_MORE: [Self; 5] =
        [Self::Points, Self::BoutWins, Self::HeadToHead, Self::SonnebornBerger, Self::FewerFaults];

    /// The order of matches of two when none is configured.
    pub const DEFAULT: [Self; 5] = [
        Self::MatchWins,
        Self::BoutWins,
        Self::HeadToHead,
        Self::SonnebornBerger,
        Self::FewerFaults,
    ];

    /// Returns the name used in the configuration and in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MatchWins => "match-wins",
            Self::Points => "points",
            Self::BoutWins => "bout-wins",
            Self::HeadToHead => "head-to-head",
            Self::SonnebornBerger => "sonneborn-berger",
            Self::Koya => "koya",
            Self::Score => "score",
            Self::FewerFaults => "fewer-faults",
        }
    }
}
