//! An event, its bots, the organiser's decisions on them and the criteria that separate those with
//! equal ranks.

use joust_referee::RankBy;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use super::{BuildHash, GameOptions, Reason, ScheduleKind};

/// Pairing of the bouts of a match, with one seed and exchanged seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mirror {
    /// Two bouts share a seed.
    #[default]
    Pairs,
    /// Every bout has its own seed.
    Off,
}

/// Order of seats in the first bout of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "seat order", rename_all = "kebab-case")]
pub enum Seats {
    /// The order is drawn from the bout's seed.
    #[default]
    Drawn,
    /// The order of `bots:`.
    Listed,
}

/// Settings of an event that standings need without its configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventSettings {
    /// The event's id.
    pub id: String,
    /// The game's id.
    pub game: String,
    /// The game's rules revision.
    pub revision: u32,
    /// The rule set.
    pub rules: String,
    /// The game's options, complete.
    pub options: GameOptions,
    /// Number of bouts per match.
    pub bouts_per_match: u32,
    /// Number of bots per match.
    pub bots_per_match: u32,
    /// Kind of schedule.
    pub schedule: ScheduleKind,
    /// Seed of the schedule's draws.
    pub draw_seed: u64,
    /// True if the game's referee does not guarantee that it can judge a bout again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrepeatable: bool,
    /// Mirror pairs of bouts.
    pub mirror: Mirror,
    /// Order of seats in the first bout of a match.
    pub seats: Seats,
    /// Tie-breaks between bots with equal points, first to last.
    pub tie_breaks: Vec<TieBreak>,
}

/// A bot of an event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BotRow {
    /// Its name.
    pub name: String,
    /// Author of the bot; empty when unknown.
    pub author: String,
    /// Owner of the entry; empty when unknown.
    pub owner: String,
    /// Its language's id.
    pub language: String,
    /// Build of the bot; `None` when it was not built.
    pub build: Option<BuildHash>,
    /// Reason why it does not play, whether it was built or not; `None` when it plays.
    pub sits_out: Option<Reason>,
    /// Its place in the order of registration, which is the order of `bots:`; from 0.
    pub registration: u32,
    /// True if it is one of Joust's examples.
    pub example: bool,
}

/// Decision of an organiser about a bot.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Decision {
    /// Its owner withdrew it; its bouts do not count.
    Withdrawn,
    /// It was excluded; its bouts do not count, and it is listed last.
    Disqualified,
    /// It takes part again, as if there were no earlier decisions.
    Restored,
}

impl Decision {
    /// Returns the name used in tables, messages and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A decision with its reason and time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// The bot.
    pub bot: String,
    /// The decision.
    pub decision: Decision,
    /// The reason, in the organiser's words.
    pub reason: String,
    /// Time of the decision, milliseconds since 1970.
    pub at: i64,
}

/// An event with its bots and decisions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventInfo {
    /// Settings of the event.
    pub settings: EventSettings,
    /// The bots, in the order of registration.
    pub bots: Vec<BotRow>,
    /// The decisions, oldest first.
    pub decisions: Vec<DecisionRow>,
    /// Number of bouts that the referee could not finish; they are in no table.
    pub referee_errors: u64,
}

impl EventInfo {
    /// Returns the decision that applies to `bot`; `None` when it takes part.
    pub fn decision(&self, bot: &str) -> Option<&DecisionRow> {
        let last = self.decisions.iter().rev().find(|row| row.bot == bot)?;
        (last.decision != Decision::Restored).then_some(last)
    }
}

/// One criterion of a ranking, applied within a group of bots that are still equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, IntoStaticStr)]
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
