//! `schedule:` of an event and of `defaults:`.

use joust_model::ScheduleKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::read::ByKind;
use super::super::rejection::Rejection;
use super::super::values::Count;

/// Most bots that a gauntlet names: with `defaults:`, every event repeats them.
const MOST_NAMED: usize = 1000;

/// Names of the bots of a gauntlet.
#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>")]
#[schemars(!try_from, inline, extend("maxItems" = MOST_NAMED))]
struct NamedBots(Vec<String>);

impl TryFrom<Vec<String>> for NamedBots {
    type Error = Rejection;

    fn try_from(names: Vec<String>) -> Result<Self, Rejection> {
        let message = format!("a gauntlet names at most {MOST_NAMED} bots");
        let hint = "with `round-robin` all bots meet";
        Rejection::unless(names.len() <= MOST_NAMED, message, hint)?;
        Ok(Self(names))
    }
}

/// Keys of `schedule:`, by the word of `kind`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename = "schedule", rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(tag = "kind")]
enum ScheduleKeys {
    RoundRobin {},
    Partial {
        /// Matches of each bot, at least.
        #[schemars(example = 30)]
        matches_per_bot: Count<1, 100_000>,
    },
    Gauntlet {
        /// Names of bots of the event, at most 1,000.
        #[schemars(example = ["ada", "bob"], length(min = 1), extend("uniqueItems" = true))]
        bots: NamedBots,
    },
    Swiss {
        /// Rounds that are drawn.
        #[schemars(example = 9)]
        rounds: Count<1, { ScheduleKind::MOST_ROUNDS }>,
    },
    Divisions {
        /// Bots of a pool.
        #[schemars(example = 10)]
        size: Count<2, 1000>,
        /// Rounds that are drawn.
        #[schemars(example = 9)]
        rounds: Count<1, { ScheduleKind::MOST_ROUNDS }>,
    },
}

/// Kind of schedule. It is written as the database keeps it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(from = "ByKind<ScheduleKeys>")]
#[schemars(with = "ScheduleKeys")]
pub(crate) struct Schedule(pub(crate) ScheduleKind);

impl From<ByKind<ScheduleKeys>> for Schedule {
    fn from(ByKind(keys): ByKind<ScheduleKeys>) -> Self {
        Self(match keys {
            ScheduleKeys::RoundRobin {} => ScheduleKind::RoundRobin,
            ScheduleKeys::Partial { matches_per_bot } => {
                ScheduleKind::Partial { matches_per_bot: matches_per_bot.0 }
            }
            ScheduleKeys::Gauntlet { bots } => ScheduleKind::Gauntlet { bots: bots.0 },
            ScheduleKeys::Swiss { rounds } => ScheduleKind::Swiss { rounds: rounds.0 },
            ScheduleKeys::Divisions { size, rounds } => {
                ScheduleKind::Divisions { size: size.0, rounds: rounds.0 }
            }
        })
    }
}
