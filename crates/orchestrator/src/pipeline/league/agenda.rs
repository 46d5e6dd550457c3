//! Agenda of a league: what is left to play, what is under way, what went wrong.

use std::collections::{HashMap, VecDeque};
use std::iter::Peekable;

use tokio::task::JoinSet;

use super::Ended;
use joust_model::{BoutId, BoutPlan, BoutResult};
use joust_store::StoreError;

/// How many bouts may fail again and again before nothing more is played.
const MOST_FAILED: usize = 8;

/// What is left to play, and what is being stored.
pub(super) struct Agenda<I: Iterator<Item = BoutPlan>> {
    planned: Peekable<I>,
    pub(super) again: VecDeque<BoutPlan>,
    /// Bouts of which some were lost with whoever played them: each is played
    /// alone, until it is known which.
    pub(super) suspects: VecDeque<BoutPlan>,
    pub(super) contended: Vec<BoutPlan>,
    /// Bouts that failed, with why, since a self-test did too: that is repeated when nobody plays.
    pub(super) doubted: Vec<(BoutPlan, String)>,
    pub(super) tries: HashMap<BoutId, u32>,
    /// Handed out and not delivered.
    pub(super) outstanding: HashMap<BoutId, BoutPlan>,
    /// Played, and not yet on disk.
    pub(super) storing: usize,
    pub(super) commits: JoinSet<Result<Vec<BoutResult>, StoreError>>,
    pub(super) ended: Ended,
    /// Why bouts are left without a result, although the rest is played.
    failed: Vec<String>,
}

impl<I: Iterator<Item = BoutPlan>> Agenda<I> {
    pub(super) fn new(planned: I) -> Self {
        Self {
            planned: planned.peekable(),
            again: VecDeque::new(),
            suspects: VecDeque::new(),
            contended: Vec::new(),
            doubted: Vec::new(),
            tries: HashMap::new(),
            outstanding: HashMap::new(),
            storing: 0,
            commits: JoinSet::new(),
            ended: Ended::Complete,
            failed: Vec::new(),
        }
    }

    /// Returns the next bout to play that may be played with others.
    pub(super) fn next(&mut self) -> Option<BoutPlan> {
        self.again.pop_front().or_else(|| self.planned.next())
    }

    pub(super) fn is_more_to_play(&mut self) -> bool {
        let is_waiting = !self.again.is_empty() || !self.suspects.is_empty();
        self.ended == Ended::Complete && (is_waiting || self.planned.peek().is_some())
    }

    /// Takes back what was handed out and never delivered. One bout alone has to
    /// answer for that and is returned; of several nobody knows which.
    pub(super) fn take_lost(&mut self) -> Option<BoutPlan> {
        let mut lost: Vec<_> = self.outstanding.drain().map(|(_, plan)| plan).collect();
        if lost.len() == 1 {
            return lost.pop();
        }
        lost.sort_unstable_by_key(|plan| (plan.match_number, plan.number, plan.bout));
        self.suspects.extend(lost);
        None
    }

    /// Says that a bout is given up.
    pub(super) fn give_up(&mut self, reason: String) {
        self.failed.push(reason);
        if self.failed.len() >= MOST_FAILED {
            self.ended = Ended::MachineFailed(self.why_failed());
        }
    }

    /// Returns how playing ended, the bouts that were given up included.
    pub(super) fn ended(&self) -> Ended {
        match &self.ended {
            Ended::Complete if !self.failed.is_empty() => Ended::MachineFailed(self.why_failed()),
            ended => ended.clone(),
        }
    }

    fn why_failed(&self) -> String {
        match &self.failed[..] {
            [] => String::new(),
            [one] => one.clone(),
            [first, .., _] => format!("{first}; {} bouts failed like that", self.failed.len()),
        }
    }
}
