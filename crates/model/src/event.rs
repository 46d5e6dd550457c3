//! An event, its field of bots and the organiser's decisions on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BuildHash, GameOptions, Reason, ScheduleKind, TieBreak};

/// Pairing of the bouts of a match: with one seed and the seats exchanged, or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mirror {
    /// In pairs.
    #[default]
    Pairs,
    /// A seed for every bout.
    Off,
}

/// Order of seats in the first bout of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename = "seat order", rename_all = "kebab-case")]
pub enum Seats {
    /// Lots are drawn from the bout's seed.
    #[default]
    Drawn,
    /// The order of `bots:`.
    Listed,
}

/// Settings of an event that standings need when nobody has its configuration.
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
    /// Bouts of a match.
    pub bouts_per_match: u32,
    /// Bots that meet in a match.
    pub bots_per_match: u32,
    /// Kind of schedule.
    pub schedule: ScheduleKind,
    /// Seed of the schedule's draws.
    pub draw_seed: u64,
    /// True if the game's referee does not claim that it can judge a bout again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrepeatable: bool,
    /// Mirror pairs of bouts.
    pub mirror: Mirror,
    /// Order of seats.
    pub seats: Seats,
    /// Tie-breaks between level bots, first to last.
    pub tie_breaks: Vec<TieBreak>,
}

impl EventSettings {
    /// Returns whether two bots meet at a time.
    #[must_use]
    pub fn is_of_pairs(&self) -> bool {
        self.bots_per_match == 2
    }
}

/// A bot of an event's field.
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
    /// Why it does not play, built or not; `None` when it plays.
    pub sits_out: Option<Reason>,
    /// Its place in the order of registration, which is that of `bots:`, from 0.
    pub registration: u32,
    /// True if it is one of the examples that come with Joust.
    pub example: bool,
}

/// Decision of an organiser about a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// It left by its owner's wish; its bouts do not count.
    Withdrawn,
    /// It was excluded; its bouts do not count, and it is listed last.
    Disqualified,
    /// It takes part again, as if nothing had been decided before.
    Restored,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 3] = [Self::Withdrawn, Self::Disqualified, Self::Restored];

    /// Returns the name used in tables, messages and the database.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Withdrawn => "withdrawn",
            Self::Disqualified => "disqualified",
            Self::Restored => "restored",
        }
    }

    /// Returns the decision called `name`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.name() == name)
    }
}

/// A decision as it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRow {
    /// The bot.
    pub bot: String,
    /// The decision.
    pub decision: Decision,
    /// Why, in the organiser's words.
    pub reason: String,
    /// Time of the decision, milliseconds since 1970.
    pub at: i64,
}

/// An event with its field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventInfo {
    /// Settings of the event.
    pub settings: EventSettings,
    /// The bots, in the order of registration.
    pub bots: Vec<BotRow>,
    /// The decisions, oldest first.
    pub decisions: Vec<DecisionRow>,
    /// Bouts that the referee could not finish; they are in no table.
    pub referee_errors: u64,
}

impl EventInfo {
    /// Returns the decision that holds for `bot`; `None` when it takes part.
    #[must_use]
    pub fn decision(&self, bot: &str) -> Option<&DecisionRow> {
        let last = self.decisions.iter().rev().find(|row| row.bot == bot)?;
        (last.decision != Decision::Restored).then_some(last)
    }
}
