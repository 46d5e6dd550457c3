//! How long what is left will take, from what was seen before.

use std::collections::HashSet;
use std::time::Duration;

use crate::executor::Equipment;
use crate::model::{BoutPlan, BoutSummary};

/// Rounds assumed for a bout when none has been played.
const ROUNDS_UNSEEN: u32 = 100;

/// What is left to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Each event, in the tournament's order.
    pub events: Vec<EventEstimate>,
}

/// What is left to do in an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventEstimate {
    /// The event.
    pub event: String,
    /// Bouts to play.
    pub bouts: u64,
    /// Matches they belong to.
    pub matches: u64,
    /// How long they take together, as many at once as will be played.
    pub time: Duration,
    /// Mean rounds of a bout it is based on.
    pub rounds: u32,
    /// Whether bouts were played before; otherwise the rounds are assumed.
    pub is_from_results: bool,
}

pub(super) fn estimate(
    event: &str,
    missing: impl Iterator<Item = BoutPlan>,
    past: &[BoutSummary],
    equipment: &Equipment,
    parallel: usize,
) -> EventEstimate {
    let rounds = mean_rounds(past);
    let (mut bouts, mut time) = (0, Duration::ZERO);
    let mut matches = HashSet::new();
    for plan in missing {
        bouts += 1;
        matches.insert(plan.match_number);
        time += round_cost(&plan, equipment) * rounds.unwrap_or(ROUNDS_UNSEEN);
    }
    EventEstimate {
        event: event.to_owned(),
        bouts,
        matches: matches.len() as u64,
        time: time / u32::try_from(parallel.max(1)).unwrap_or(1),
        rounds: rounds.unwrap_or(ROUNDS_UNSEEN),
        is_from_results: rounds.is_some(),
    }
}

fn mean_rounds(past: &[BoutSummary]) -> Option<u32> {
    let total: u64 = past.iter().map(|bout| u64::from(bout.rounds)).sum();
    let mean = total.checked_div(past.len() as u64)?;
    u32::try_from(mean.max(1)).ok()
}

/// A do-nothing bot's time is most of a bot's turn.
fn round_cost(plan: &BoutPlan, equipment: &Equipment) -> Duration {
    let seat = |build| {
        equipment
            .builds
            .get(build)
            .map_or(Duration::ZERO, |build| equipment.calibration(&build.language, &plan.game).wall)
    };
    plan.seats.iter().map(|planned| seat(&planned.build)).sum()
}
