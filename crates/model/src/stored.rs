//! Bouts as read from the database, with the changes of a bout, the builds that a bot has played with
//! and the head of the chain, which anybody can use to detect changes.

use std::fmt;
use std::sync::Arc;

use joust_referee::{Score, Seed};
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::clock::UnixMillis;
use super::{
    BoutId, BoutPlan, BoutResult, BuildHash, ChainHash, SeatPlan, SeatResult, Tier, VerdictCounts,
    counted,
};

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

/// Change of a bout: the reason for a line in its history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Change {
    /// The bout was played again, because the inputs of its result had changed.
    Replaced,
    /// An organiser replaced the result.
    Amended,
    /// An internal error voided a try, which has no result.
    Voided,
    /// The bout was played again to see whether it has the same course.
    Rerun,
}

/// One line of a bout's audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// The bout.
    pub bout: BoutId,
    /// The kind of change.
    pub change: Change,
    /// The reason; the outcome of a rerun.
    pub reason: String,
    /// The moment.
    pub at: UnixMillis,
    /// The result that was replaced; `None` for a voided try and a rerun.
    pub before: Option<StoredBout>,
}

impl Change {
    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// One build of a bot with its results, whether or not they are current.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BotVersion {
    /// The bot's name.
    pub bot: String,
    /// Build that was run.
    pub build: BuildHash,
    /// The language's id; empty when the build is not recorded.
    pub language: String,
    /// The toolchain's version, as the toolchain reports it; empty when the build is not recorded.
    pub toolchain: String,
    /// The beginning of the build's log.
    pub log_head: String,
    /// Start of its first bout, milliseconds since 1970.
    pub first_at: i64,
    /// Start of its last bout, milliseconds since 1970.
    pub last_at: i64,
    /// Bouts played.
    pub bouts: u32,
    /// Number of these bouts whose results count now.
    pub standing: u32,
    /// Bouts won alone.
    pub won: u32,
    /// Bouts in which others shared the first rank.
    pub drawn: u32,
    /// Bouts lost.
    pub lost: u32,
    /// Verdicts that were not `ok`.
    pub faults: u64,
    /// Days on which its bouts began, the first one first.
    pub days: Vec<VersionDay>,
}

/// Bouts of a build that began on one day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct VersionDay {
    /// Start of the day in UTC, milliseconds since 1970.
    pub at: i64,
    /// Bouts played.
    pub bouts: u32,
    /// Bouts won alone.
    pub won: u32,
    /// Bouts in which others shared the first rank.
    pub drawn: u32,
}

/// The newest link of a database's chain. Each link includes the hash of the link before, so this
/// one identifies everything that was recorded up to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainHead {
    /// Number of links after the first one, which is the same in all databases.
    pub links: u64,
    /// The newest link's hash.
    pub hash: ChainHash,
}

impl fmt::Display for ChainHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, head {}", counted(self.links, "link"), self.hash)
    }
}
