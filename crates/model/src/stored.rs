//! Bouts as read from the database.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{BoutId, BoutPlan, BoutResult, SeatPlan, SeatResult, Tier, VerdictCounts};
use joust_referee::{Score, Seed};

/// Summary of a bout for standings and ratings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BoutSummary {
    /// The bout's identity.
    pub bout: BoutId,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
    /// The bout's seed, which both bouts of a mirror pair share.
    #[serde(serialize_with = "crate::numbers::PlainSeed::serialize")]
    pub seed: Seed,
    /// Rounds or ticks played.
    pub rounds: u32,
    /// True if the bots were isolated from the machine and from each other, as in every tier except
    /// D.
    pub is_isolated: bool,
    /// Each seat's result, in seat order.
    pub seats: Vec<SeatSummary>,
}

impl BoutSummary {
    /// Makes the summary of a plan's result.
    pub fn of(plan: &BoutPlan, result: &BoutResult) -> Self {
        let seat = |(plan, result): (&SeatPlan, &SeatResult)| SeatSummary {
            bot: plan.bot.as_str().into(),
            rank: result.rank,
            score: result.score,
            verdicts: Arc::new(result.verdicts),
        };
        Self {
            bout: plan.bout,
            match_number: plan.match_number,
            number: plan.number,
            seed: plan.seed,
            rounds: result.rounds,
            is_isolated: result.tier != Tier::D,
            seats: plan.seats.iter().zip(&result.seats).map(seat).collect(),
        }
    }

    /// Returns each seat's rank, in seat order; 1 is best.
    pub fn ranks(&self) -> Vec<u8> {
        self.seats.iter().map(|seat| seat.rank).collect()
    }
}

/// Summary of a seat for standings and ratings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatSummary {
    /// The bot's name.
    #[serde(serialize_with = "crate::shared::serialize_pointee")]
    pub bot: Arc<str>,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
    /// The game's own points.
    #[serde(serialize_with = "crate::numbers::score::serialize")]
    pub score: Score,
    /// Verdicts earned; shared, because most seats of an event have the same.
    #[serde(serialize_with = "crate::shared::serialize_pointee")]
    pub verdicts: Arc<VerdictCounts>,
}

impl From<&StoredBout> for BoutSummary {
    fn from(stored: &StoredBout) -> Self {
        Self::of(&stored.plan, &stored.result)
    }
}

/// A bout with everything that is stored about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBout {
    /// The plan.
    pub plan: BoutPlan,
    /// The result.
    pub result: BoutResult,
}
