//! Criteria that separate bots with equal ranks.

use joust_referee::RankBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// One criterion of a ranking, applied within a group of bots that are still equal.
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
    JsonSchema,
    IntoStaticStr,
)]
#[serde(rename = "tie-break", rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TieBreak {
    /// Matches won.
    MatchWins,
    /// In each bout, 1 for each opponent ranked lower and ½ for each ranked equal; with two seats,
    /// 1 for a win and ½ for a draw.
    Points,
    /// Bouts won.
    BoutWins,
    /// Points in the bouts among exactly the equal bots, applied again to each subset that stays
    /// equal.
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
    /// Tie-breaks of an event without tie-breaks in its configuration.
    pub const DEFAULT: [Self; 4] =
        [Self::BoutWins, Self::HeadToHead, Self::SonnebornBerger, Self::FewerFaults];

    /// Returns the criteria of an event's ranks: `first`, then the tie-breaks.
    pub fn ranking(first: Self, tie_breaks: &[Self]) -> Vec<Self> {
        let others = tie_breaks.iter().copied().filter(|one| *one != first);
        std::iter::once(first).chain(others).collect()
    }

    /// Returns the name used in the configuration and in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

impl From<RankBy> for TieBreak {
    fn from(rank_by: RankBy) -> Self {
        match rank_by {
            RankBy::Matches => Self::MatchWins,
            RankBy::Points => Self::Points,
            RankBy::Score => Self::Score,
        }
    }
}
