//! League: it hands planned bouts to an executor and its results to the store.
//!
//! Slightly more plans are under way than can be played at once, so a schedule of any length is
//! never held whole. A bout voided by the machine, or lost with its executor, is played again at
//! most twice, and only while the sandbox passes its self-test; then it is left out and the other
//! bouts are played. A contended one is played once more, alone, at the end, and has no result if
//! it is contended again.

mod driver;
mod queue;

use std::sync::Arc;
use std::time::{Duration, Instant};

use driver::MOST_IDLE;
use queue::{DoubtedBout, WorkQueue};

use joust_config::Logs;
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice, guard_panics};
use joust_model::panics::catch_panic;
use joust_model::{BoutPlan, BoutResult, clock, is_referee_error};
use joust_play::executor::{Assignment, Delivery, Executor, Failure, HEARTBEAT, Neighbours};
use joust_store::{BoutSet, Change, Committer, GroupCommitter, Store, StoreError, refuse_misfit};

#[cfg(test)]
mod tests;

/// Number of times that a bout is played again after a fault of the machine.
const MOST_RETRIES: u32 = 2;

/// Reason for a bout without a delivered result.
const LOST: &str = "the executor ended without a result";

/// Reason why playing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunOutcome {
    /// Every bout has a result.
    Complete,
    /// The budget was used up.
    BudgetUsedUp,
    /// The run was stopped.
    Interrupted,
    /// The machine failed again and again.
    MachineFailed(String),
}

/// Treatment of a contended result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContendedPolicy {
    /// It does not count; the bout is left to be played again alone.
    PlayAgain,
    /// The bout has no result: the machine is too busy.
    NoResult,
}

/// Timeouts for an executor.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExecutorTimeouts {
    /// Time between heartbeats.
    pub(super) heartbeat: Duration,
    /// Number of heartbeats that may be missing, of the executor or of a bout, before that is lost.
    pub(super) missed: u32,
    /// Time in which it has to end when nothing is left to play.
    pub(super) to_end: Duration,
}

impl ExecutorTimeouts {
    /// Timeouts of every executor that sends its heartbeats.
    pub(super) const USUAL: Self =
        Self { heartbeat: HEARTBEAT, missed: 6, to_end: Duration::from_secs(5) };
}

/// A bout with its result.
type PlayedBout = (BoutPlan, BoutResult);

/// Destination of results and the listeners to their arrival.
pub(super) struct League<'a> {
    pub(super) store: &'a Store,
    pub(super) committer: Committer,
    pub(super) listener: &'a Arc<dyn Listener>,
    pub(super) cancel: &'a Cancel,
    /// Self-test that distinguishes a broken machine from a broken bout.
    pub(super) self_test: &'a (dyn Fn() -> Result<(), String> + Sync),
    /// Time from which on no new bouts are taken.
    pub(super) until: Option<Instant>,
    /// Returns true when no more bouts are to be taken, as when the time is over.
    pub(super) enough: &'a (dyn Fn() -> bool + Sync),
    /// Results that a new one takes the place of, although nothing changed.
    pub(super) replaced: &'a BoutSet,
    /// Choice of bouts with logs to keep.
    pub(super) logs: Logs,
    /// Timeouts for the executor.
    pub(super) patience: ExecutorTimeouts,
}

/// Plays `bouts` on a given executor and stores the results as a tournament's run does. Bouts that
/// were short of processors are played again at the end.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read or written.
pub async fn play_on(
    executor: &dyn Executor,
    store: &Store,
    bouts: impl Iterator<Item = Assignment>,
    listener: Arc<dyn Listener>,
    cancel: &Cancel,
) -> Result<RunOutcome, StoreError> {
    let committer = GroupCommitter::start(store);
    let listener = guard_panics(listener);
    let league = League {
        store,
        committer: committer.committer(),
        listener: &listener,
        cancel,
        self_test: &|| Ok(()),
        until: None,
        enough: &|| false,
        replaced: &BoutSet::default(),
        logs: Logs::All,
        patience: ExecutorTimeouts::USUAL,
    };
    let ended = league.play_all(executor, bouts).await;
    drop(league);
    committer.finish().await;
    ended
}

impl League<'_> {
    /// Plays `bouts`, and when all of them are over those that were contended
    /// once more, each alone.
    pub(super) async fn play_all(
        &self,
        executor: &dyn Executor,
        bouts: impl Iterator<Item = Assignment>,
    ) -> Result<RunOutcome, StoreError> {
        let queue = WorkQueue::new(bouts, ContendedPolicy::PlayAgain);
        let (ended, mut contended) = self.play(executor, queue).await?;
        if ended != RunOutcome::Complete || contended.is_empty() {
            return Ok(ended);
        }
        contended.iter_mut().for_each(|it| it.needs.neighbours = Neighbours::None);
        let queue = WorkQueue::new(contended.into_iter(), ContendedPolicy::NoResult);
        Ok(self.play(executor, queue).await?.0)
    }

    /// Plays the bouts of a queue and stores the results; the second value is the contended bouts
    /// that do not count.
    async fn play(
        &self,
        executor: &dyn Executor,
        mut queue: WorkQueue<impl Iterator<Item = Assignment>>,
    ) -> Result<(RunOutcome, Vec<Assignment>), StoreError> {
        let mut idle = 0;
        loop {
            let driver = self.drive(executor, &mut queue).await?;
            let reason = driver.lost.clone().unwrap_or_else(|| LOST.to_owned());
            let lost = queue.reclaim_lost();
            if queue.ended != RunOutcome::Complete {
                break;
            }
            if let Some(bout) = lost {
                self.void_bout(bout, &reason, &mut queue).await?;
            }
            self.settle_doubts(&mut queue);
            if queue.ended != RunOutcome::Complete {
                break;
            }
            idle = if driver.is_idle() { idle + 1 } else { 0 };
            if !queue.is_more_to_play() {
                break;
            }
            if idle == MOST_IDLE {
                queue.ended = RunOutcome::MachineFailed(format!("nobody plays: {reason}"));
            }
        }
        Ok((queue.ended(), queue.contended))
    }

    fn reason_to_stop(&self) -> Option<RunOutcome> {
        if self.cancel.is_cancelled() {
            return Some(RunOutcome::Interrupted);
        }
        let used_up = self.until.is_some_and(|until| Instant::now() >= until);
        (used_up || (self.enough)()).then_some(RunOutcome::BudgetUsedUp)
    }

    /// Processes deliveries of outstanding bouts; results that arrived together are stored
    /// together.
    async fn process_deliveries<I: Iterator<Item = Assignment>>(
        &self,
        deliveries: Vec<Delivery>,
        queue: &mut WorkQueue<I>,
    ) -> Result<(), StoreError> {
        let mut played = Vec::new();
        for delivery in deliveries {
            let bout = delivery.bout;
            let Some(assignment) = queue.claim(bout) else {
                tracing::warn!(%bout, "delivered twice, or never asked for");
                continue;
            };
            match delivery.into_results().and_then(|results| fitting(&assignment, results)) {
                Ok(results) => played.extend(self.finish(assignment, results, queue)),
                Err(Failure::Cancelled) => queue.ended = RunOutcome::Interrupted,
                Err(Failure::Infrastructure(reason)) => {
                    self.void_bout(assignment, &reason, queue).await?;
                }
            }
        }
        if !played.is_empty() {
            queue.storing += played.len();
            let committer = self.committer.clone();
            queue.commits.spawn(async move { committer.submit_all(played).await });
        }
        Ok(())
    }

    /// Returns results that are to be stored as the first of their bouts.
    fn finish<I: Iterator<Item = Assignment>>(
        &self,
        assignment: Assignment,
        results: Vec<BoutResult>,
        queue: &mut WorkQueue<I>,
    ) -> Vec<PlayedBout> {
        let is_contended = results.iter().any(|result| result.contended);
        if is_contended {
            match queue.policy {
                ContendedPolicy::PlayAgain => queue.contended.push(assignment),
                ContendedPolicy::NoResult => queue.give_up(too_busy(&assignment.plan)),
            }
            return Vec::new();
        }
        let plans = std::iter::once(assignment.plan).chain(assignment.rest);
        let is_replaced =
            |(plan, _): &PlayedBout| self.replaced.contains(plan.match_number, plan.number);
        let results = results.into_iter().map(|result| kept(self.logs, result));
        let (again, first): (Vec<_>, Vec<_>) = plans.zip(results).partition(is_replaced);
        if again.is_empty() {
            return first;
        }
        queue.storing += again.len() + first.len();
        queue.commits.spawn(self.replace(again, first));
        Vec::new()
    }

    /// Replaces results by newer ones, and then stores those of the same match that are the first
    /// of their bouts: as long as one of them is missing, the match is played again.
    fn replace(
        &self,
        again: Vec<PlayedBout>,
        first: Vec<PlayedBout>,
    ) -> impl Future<Output = Result<Vec<BoutResult>, StoreError>> + Send + use<> {
        let (store, committer, now) = (self.store.clone(), self.committer.clone(), clock::now());
        async move {
            let mut stored = Vec::new();
            for (_, result) in again {
                store.amend(&result, "played afresh", now).await?;
                stored.push(result);
            }
            stored.extend(committer.submit_all(first).await?);
            Ok(stored)
        }
    }

    async fn void_bout<I: Iterator<Item = Assignment>>(
        &self,
        assignment: Assignment,
        reason: &str,
        queue: &mut WorkQueue<I>,
    ) -> Result<(), StoreError> {
        let plan = &assignment.plan;
        let attempt = queue.tries.entry(plan.bout).or_default();
        *attempt += 1;
        let attempt = *attempt;
        self.store.put_change(plan.bout, Change::Voided, reason, clock::now()).await?;
        self.listener.notice(&Notice::BoutVoided {
            bout: Box::new(plan.clone()),
            reason: reason.to_owned(),
            attempt,
        });
        if queue.doubted.is_empty() && self.passes_self_test().is_ok() {
            queue.try_again(assignment, reason);
        } else {
            queue.doubted.push(DoubtedBout { assignment, reason: reason.to_owned() });
        }
        Ok(())
    }

    /// Tests the machine once more, when no bot that plays can have a hand in it.
    fn settle_doubts<I: Iterator<Item = Assignment>>(&self, queue: &mut WorkQueue<I>) {
        let doubted = std::mem::take(&mut queue.doubted);
        let Some(first) = doubted.first() else { return };
        if let Err(error) = self.passes_self_test() {
            let reason = broken(&first.assignment.plan, &error, &first.reason);
            queue.ended = RunOutcome::MachineFailed(reason);
            return;
        }
        for DoubtedBout { assignment, reason } in doubted {
            queue.try_again(assignment, &reason);
        }
    }

    fn passes_self_test(&self) -> Result<(), String> {
        catch_panic(self.self_test).unwrap_or_else(Err)
    }
}

/// Returns a result in the form that is stored.
fn kept(logs: Logs, result: BoutResult) -> BoutResult {
    let is_at_fault = || {
        result.seats.iter().any(|seat| seat.verdicts.faults() > 0)
            || is_referee_error(&result.ended)
    };
    let are_kept = match logs {
        Logs::All => true,
        Logs::Faults => is_at_fault(),
        Logs::None => false,
    };
    if are_kept { result } else { result.without_logs() }
}

/// Refuses results that do not fit their plan, and incomplete matches.
fn fitting(assignment: &Assignment, results: Vec<BoutResult>) -> Result<Vec<BoutResult>, Failure> {
    let wanted = assignment.plans().count();
    if results.len() != wanted {
        let text = format!("{wanted} bouts were to be played, and {} were", results.len());
        return Err(Failure::Infrastructure(text));
    }
    let mut both = assignment.plans().zip(&results);
    match both.try_for_each(|(plan, result)| refuse_misfit(plan, result)) {
        Ok(()) => Ok(results),
        Err(error) => Err(Failure::Infrastructure(error.to_string())),
    }
}

/// Returns the message for a broken machine, on which every further bout would be voided.
fn broken(plan: &BoutPlan, error: &str, reason: &str) -> String {
    format!("{} failed and the sandbox fails its self-test ({error}): {reason}", name(plan))
}

/// Returns the message for a bout that failed although neither the machine nor the bots seem to be
/// at fault.
fn unexplained(plan: &BoutPlan, reason: &str) -> String {
    let (bout, times) = (name(plan), 1 + MOST_RETRIES);
    format!("{bout} failed {times} times, although the sandbox passes its self-test: {reason}")
}

/// Returns the reason for a bout in which it is unknown whether a bot or the busy machine caused a
/// delay.
fn too_busy(plan: &BoutPlan) -> String {
    format!(
        "the machine is too busy: in {} bots were kept waiting for a processor for too long, also when it was \
         played once more and alone, so it has no result; stop what else runs here, or play where nothing else does",
        name(plan)
    )
}

fn name(plan: &BoutPlan) -> String {
    let bots: Vec<_> = plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
    format!("bout {} ({})", plan.bout, bots.join(" vs "))
}
