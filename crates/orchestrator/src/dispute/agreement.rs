//! Several reruns of one bout, counted.

use super::compare::RerunComparison;
use joust_model::{Score, StoredBout};

/// Outcome of a bout, as far as standings depend on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RerunOutcome {
    /// Each seat's rank, in seat order.
    pub ranks: Vec<u8>,
    /// Each seat's score, in seat order.
    pub scores: Vec<Score>,
    /// Why it ended.
    pub ended: String,
}

impl RerunOutcome {
    /// Returns how `bout` ended.
    #[must_use]
    pub fn of(bout: &StoredBout) -> Self {
        let seats = &bout.result.seats;
        Self {
            ranks: seats.iter().map(|seat| seat.rank).collect(),
            scores: seats.iter().map(|seat| seat.score).collect(),
            ended: bout.result.ended.clone(),
        }
    }
}

/// Counts of how often a bout repeated as it was recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Number of reruns.
    pub times: u32,
    /// Number of reruns with the same turns.
    pub same_turns: u32,
    /// Number of reruns with the same ranks and scores.
    pub same_result: u32,
    /// Number of reruns with the same ranks: the same winner.
    pub same_ranks: u32,
    /// Each way it ended with how often, the most frequent first.
    pub outcomes: Vec<(RerunOutcome, u32)>,
    /// Rounds in which it first went another way, each with how often.
    pub diverged: Vec<(u32, u32)>,
}

impl Agreement {
    /// Counts one more rerun.
    pub fn add(&mut self, recorded: &StoredBout, now: &StoredBout, comparison: &RerunComparison) {
        let outcome = RerunOutcome::of(now);
        self.times += 1;
        self.same_turns += u32::from(comparison.is_reproduced());
        self.same_result += u32::from(comparison.same_result);
        self.same_ranks += u32::from(RerunOutcome::of(recorded).ranks == outcome.ranks);
        match self.outcomes.iter_mut().find(|(known, _)| *known == outcome) {
            Some((_, count)) => *count += 1,
            None => self.outcomes.push((outcome, 1)),
        }
        self.outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let Some(divergence) = &comparison.divergence else { return };
        match self.diverged.iter_mut().find(|(round, _)| *round == divergence.round) {
            Some((_, count)) => *count += 1,
            None => self.diverged.push((divergence.round, 1)),
        }
        self.diverged.sort_unstable();
    }

    /// Returns whether every rerun was the same, action by action.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.same_turns == self.times
    }
}
