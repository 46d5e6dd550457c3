//! Queue of a league: bouts left to play, bouts under way, and failures.

use std::collections::{HashMap, VecDeque};
use std::iter::Peekable;

use tokio::task::JoinSet;

use super::{ContendedPolicy, MOST_RETRIES, RunOutcome, unexplained};
use joust_model::{BoutId, BoutPlan, BoutResult};
use joust_play::executor::Assignment;
use joust_store::StoreError;

/// Number of bouts that may fail repeatedly before nothing more is played.
const MOST_FAILED: usize = 8;

/// A bout that was handed out and not delivered.
pub(super) struct Outstanding {
    pub(super) assignment: Assignment,
    /// True if the executor has taken it.
    is_taken: bool,
    /// Heartbeats since one listed it.
    missed: u32,
}

/// A bout that failed together with a self-test.
pub(super) struct DoubtedBout {
    pub(super) assignment: Assignment,
    pub(super) reason: String,
}

/// Bouts left to play, and results being stored.
pub(super) struct WorkQueue<I: Iterator<Item = Assignment>> {
    planned: Peekable<I>,
    pub(super) again: VecDeque<Assignment>,
    /// Bouts some of which were lost with their executor: each is played alone, until the cause is
    /// known.
    pub(super) suspects: VecDeque<Assignment>,
    pub(super) contended: Vec<Assignment>,
    pub(super) policy: ContendedPolicy,
    /// Bouts that failed after a failed self-test; the self-test is repeated when no bout is
    /// played.
    pub(super) doubted: Vec<DoubtedBout>,
    pub(super) tries: HashMap<BoutId, u32>,
    /// Handed out and not delivered.
    pub(super) outstanding: HashMap<BoutId, Outstanding>,
    /// Played, and not yet on disk.
    pub(super) storing: usize,
    pub(super) commits: JoinSet<Result<Vec<BoutResult>, StoreError>>,
    pub(super) ended: RunOutcome,
    /// Reasons why bouts have no result, although the others are played.
    failed: Vec<String>,
}

impl<I: Iterator<Item = Assignment>> WorkQueue<I> {
    pub(super) fn new(planned: I, policy: ContendedPolicy) -> Self {
        Self {
            planned: planned.peekable(),
            again: VecDeque::new(),
            suspects: VecDeque::new(),
            contended: Vec::new(),
            policy,
            doubted: Vec::new(),
            tries: HashMap::new(),
            outstanding: HashMap::new(),
            storing: 0,
            commits: JoinSet::new(),
            ended: RunOutcome::Complete,
            failed: Vec::new(),
        }
    }

    /// Returns the next bout to play that may be played with others.
    pub(super) fn next(&mut self) -> Option<Assignment> {
        self.again.pop_front().or_else(|| self.planned.next())
    }

    pub(super) fn is_more_to_play(&mut self) -> bool {
        let is_waiting = !self.again.is_empty() || !self.suspects.is_empty();
        self.ended == RunOutcome::Complete && (is_waiting || self.planned.peek().is_some())
    }

    /// Hands a bout out.
    pub(super) fn hand_out(&mut self, assignment: Assignment) {
        let outstanding = Outstanding { assignment, is_taken: false, missed: 0 };
        self.outstanding.insert(outstanding.assignment.plan.bout, outstanding);
    }

    /// Marks all bouts that were handed out as taken by the executor.
    pub(super) fn mark_all_taken(&mut self) {
        self.outstanding.values_mut().for_each(|one| one.is_taken = true);
    }

    /// Marks a bout as reported, and returns its plan if it is outstanding.
    pub(super) fn mark_reported(&mut self, bout: BoutId) -> Option<&BoutPlan> {
        let one = self.outstanding.get_mut(&bout)?;
        (one.is_taken, one.missed) = (true, 0);
        Some(&one.assignment.plan)
    }

    /// Counts one more heartbeat since bouts were last listed, and takes back those that `most`
    /// heartbeats did not list.
    pub(super) fn count_missed(&mut self, most: u32) -> Vec<Assignment> {
        let taken = self.outstanding.values_mut().filter(|one| one.is_taken);
        taken.for_each(|one| one.missed += 1);
        let silent = self.outstanding.extract_if(|_, one| one.missed >= most);
        sorted_by_plan(silent.map(|(_, one)| one.assignment).collect())
    }

    /// Takes a bout that was delivered: one that is outstanding, or one that waits to be played
    /// again because its result was given up.
    pub(super) fn claim(&mut self, bout: BoutId) -> Option<Assignment> {
        if let Some(one) = self.outstanding.remove(&bout) {
            return Some(one.assignment);
        }
        [&mut self.again, &mut self.suspects].into_iter().find_map(|queue| {
            let at = queue.iter().position(|assignment| assignment.plan.bout == bout)?;
            queue.remove(at)
        })
    }

    /// Takes back bouts that were handed out and never delivered. A single bout must be the cause
    /// and is returned; among several the cause is unknown.
    pub(super) fn reclaim_lost(&mut self) -> Option<Assignment> {
        let lost = self.outstanding.drain().map(|(_, one)| one.assignment).collect();
        let mut lost = sorted_by_plan(lost);
        if lost.len() == 1 {
            return lost.pop();
        }
        self.suspects.extend(lost);
        None
    }

    /// Puts a bout back after a failure that is not the machine's, or gives it up.
    pub(super) fn try_again(&mut self, assignment: Assignment, reason: &str) {
        let plan = &assignment.plan;
        if self.tries.get(&plan.bout).is_some_and(|attempt| *attempt > MOST_RETRIES) {
            self.give_up(unexplained(plan, reason));
        } else {
            self.again.push_back(assignment);
        }
    }

    /// Gives a bout up.
    pub(super) fn give_up(&mut self, reason: String) {
        self.failed.push(reason);
        if self.failed.len() >= MOST_FAILED {
            self.ended = RunOutcome::MachineFailed(self.why_failed());
        }
    }

    /// Returns how playing ended, the bouts that were given up included.
    pub(super) fn ended(&self) -> RunOutcome {
        match &self.ended {
            RunOutcome::Complete if !self.failed.is_empty() => {
                RunOutcome::MachineFailed(self.why_failed())
            }
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

/// Sorts bouts as they are planned.
fn sorted_by_plan(mut bouts: Vec<Assignment>) -> Vec<Assignment> {
    bouts.sort_unstable_by_key(|it| (it.plan.match_number, it.plan.number, it.plan.bout));
    bouts
}
