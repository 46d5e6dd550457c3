//! Feeds plans to an executor and its results to the store.
//!
//! Few more plans are under way than can be played at once, so a schedule of any
//! length is never held whole. A bout voided by the machine is
//! played again at most twice, and only while the sandbox passes its self-test;
//! a contended one once more, alone, at the end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::cancel::Cancel;
use crate::clock::{Clock, SystemClock};
use crate::executor::{Delivery, Executor, Failure};
use crate::model::{BoutId, BoutPlan, BoutResult, PlanKey};
use crate::notices::{Listener, Notice};
use crate::store::{Committer, GroupCommitter, MOST_WAITING, Store, StoreError};

#[cfg(test)]
mod tests;

/// How often a bout is played again after a fault of the machine.
const MOST_RETRIES: u32 = 2;

/// How many deliveries are taken at once.
const MOST_DELIVERIES: usize = 256;

/// How playing ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every bout has a result.
    Complete,
    /// The budget was used up.
    BudgetUsedUp,
    /// The run was stopped.
    Interrupted,
    /// The machine failed again and again.
    MachineFailed(String),
}

/// What becomes of a contended result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contended {
    /// It does not count; the bout is left to be played again alone.
    PlayAgain,
    /// It counts, marked.
    Counts,
}

/// Who plays.
#[derive(Clone, Copy)]
pub(super) struct Executors<'a> {
    /// As many bouts at once as people asked for.
    pub(super) together: &'a dyn Executor,
    /// One bout at a time.
    pub(super) alone: &'a dyn Executor,
}

/// Where results go and who hears of them.
pub(super) struct League<'a> {
    pub(super) store: &'a Store,
    pub(super) committer: Committer,
    pub(super) listener: &'a Arc<dyn Listener>,
    pub(super) cancel: &'a Cancel,
    /// Tells a broken machine from a broken bout.
    pub(super) self_test: &'a (dyn Fn() -> Result<(), String> + Sync),
    pub(super) clock: &'a dyn Clock,
    /// When to stop taking new bouts.
    pub(super) until: Option<Instant>,
    /// Results that a new one takes the place of, although nothing changed.
    pub(super) replaced: &'a HashMap<BoutId, PlanKey>,
    /// What becomes of contended results.
    pub(super) contended: Contended,
}

/// What is left to play, and what is being stored.
struct Agenda<I> {
    planned: I,
    again: VecDeque<BoutPlan>,
    contended: Vec<BoutPlan>,
    tries: HashMap<BoutId, u32>,
    under_way: usize,
    /// Played, and not yet on disk.
    storing: usize,
    commits: JoinSet<Result<Vec<BoutResult>, StoreError>>,
    ended: Ended,
}

impl<I> Agenda<I> {
    fn new(planned: I) -> Self {
        Self {
            planned,
            again: VecDeque::new(),
            contended: Vec::new(),
            tries: HashMap::new(),
            under_way: 0,
            storing: 0,
            commits: JoinSet::new(),
            ended: Ended::Complete,
        }
    }
}

/// How many plans wait for an executor that is busy, so that it finds the next one
/// ready. Few: what was handed out is played even when the run is to stop.
fn ahead(executor: &dyn Executor) -> usize {
    (executor.parallel() / 4).max(1)
}

/// Plays `plans` on an executor of one's own and stores what comes of them as a
/// tournament's run does, with results that were short of processors played again
/// at the end.
///
/// # Errors
///
/// [`StoreError`] when the database cannot be read or written.
pub async fn play_on(
    executor: &dyn Executor,
    store: &Store,
    plans: impl Iterator<Item = BoutPlan>,
    (listener, cancel): (Arc<dyn Listener>, &Cancel),
) -> Result<Ended, StoreError> {
    let committer = GroupCommitter::start(store);
    let mut league = League {
        store,
        committer: committer.committer(),
        listener: &listener,
        cancel,
        self_test: &|| Ok(()),
        clock: &SystemClock,
        until: None,
        replaced: &HashMap::new(),
        contended: Contended::PlayAgain,
    };
    let ended = league.play_all(Executors { together: executor, alone: executor }, plans).await;
    drop(league);
    committer.finish().await;
    ended
}

impl League<'_> {
    /// Plays `plans`, and when all of them are over those that were contended
    /// once more, `alone`; then they count.
    pub(super) async fn play_all(
        &mut self,
        executors: Executors<'_>,
        plans: impl Iterator<Item = BoutPlan>,
    ) -> Result<Ended, StoreError> {
        self.contended = Contended::PlayAgain;
        let (ended, contended) = self.play(executors.together, plans).await?;
        if ended != Ended::Complete || contended.is_empty() {
            return Ok(ended);
        }
        self.contended = Contended::Counts;
        let (ended, _) = self.play(executors.alone, contended.into_iter()).await?;
        Ok(ended)
    }

    /// Plays `plans` and stores what comes of them; contended bouts that do not
    /// count are the second value.
    async fn play(
        &self,
        executor: &dyn Executor,
        plans: impl Iterator<Item = BoutPlan>,
    ) -> Result<(Ended, Vec<BoutPlan>), StoreError> {
        let (plan_sender, plan_receiver) = mpsc::channel(ahead(executor));
        let (delivery_sender, mut deliveries) = mpsc::channel(executor.parallel().max(1));
        executor.execute(plan_receiver, delivery_sender);
        let mut agenda = Agenda::new(plans);
        let mut taken = Vec::new();
        loop {
            self.feed(executor, &plan_sender, &mut agenda).await;
            if agenda.under_way == 0 && agenda.commits.is_empty() {
                return Ok((agenda.ended, agenda.contended));
            }
            tokio::select! {
                1.. = deliveries.recv_many(&mut taken, MOST_DELIVERIES) => {
                    agenda.under_way -= taken.len();
                    self.take_all(taken.drain(..), &mut agenda).await?;
                }
                Some(committed) = agenda.commits.join_next() => {
                    let results = committed.expect("a commit does not panic")?;
                    agenda.storing -= results.len();
                    for result in results {
                        self.listener.notice(&Notice::BoutFinished(Box::new(result)));
                    }
                }
            }
        }
    }

    /// Hands out plans while there is room, once none waits any more: many at once
    /// wake whoever plays them once.
    async fn feed<I: Iterator<Item = BoutPlan>>(
        &self,
        executor: &dyn Executor,
        sender: &mpsc::Sender<BoutPlan>,
        agenda: &mut Agenda<I>,
    ) {
        if agenda.under_way > executor.parallel() {
            return;
        }
        let most = executor.parallel() + ahead(executor);
        while agenda.ended == Ended::Complete
            && agenda.under_way < most
            && agenda.storing < MOST_WAITING
        {
            let next = agenda.again.pop_front().or_else(|| agenda.planned.next());
            let Some(plan) = next else { return };
            if let Some(reason) = self.reason_to_stop() {
                agenda.ended = reason;
            } else if sender.send(plan).await.is_err() {
                agenda.ended = Ended::MachineFailed("the executor is gone".to_owned());
            } else {
                agenda.under_way += 1;
            }
        }
    }

    fn reason_to_stop(&self) -> Option<Ended> {
        if self.cancel.is_cancelled() {
            return Some(Ended::Interrupted);
        }
        let used_up = self.until.is_some_and(|until| Instant::now() >= until);
        used_up.then_some(Ended::BudgetUsedUp)
    }

    /// Takes what was delivered; results that came together are stored together.
    async fn take_all<I>(
        &self,
        deliveries: impl Iterator<Item = Delivery>,
        agenda: &mut Agenda<I>,
    ) -> Result<(), StoreError> {
        let mut played = Vec::new();
        for Delivery { plan, result } in deliveries {
            match result {
                Ok(result) => played.extend(self.finish(plan, result, agenda)),
                Err(Failure::Cancelled) => agenda.ended = Ended::Interrupted,
                Err(Failure::Infrastructure(reason)) => self.void(plan, &reason, agenda).await?,
            }
        }
        if !played.is_empty() {
            agenda.storing += played.len();
            let committer = self.committer.clone();
            agenda.commits.spawn(async move { committer.submit_all(played).await });
        }
        Ok(())
    }

    /// Returns a result that is to be stored as the first of its bout.
    fn finish<I>(
        &self,
        plan: BoutPlan,
        result: BoutResult,
        agenda: &mut Agenda<I>,
    ) -> Option<(BoutPlan, BoutResult)> {
        if result.contended && self.contended == Contended::PlayAgain {
            agenda.contended.push(plan);
            return None;
        }
        if self.replaced.get(&plan.bout) != Some(&result.key) {
            return Some((plan, result));
        }
        let (store, now) = (self.store.clone(), self.clock.now());
        agenda.storing += 1;
        agenda.commits.spawn(async move {
            store.amend(&result, "played afresh", now).await?;
            Ok(vec![result])
        });
        None
    }

    async fn void<I>(
        &self,
        plan: BoutPlan,
        reason: &str,
        agenda: &mut Agenda<I>,
    ) -> Result<(), StoreError> {
        let attempt = agenda.tries.entry(plan.bout).or_default();
        *attempt += 1;
        let attempt = *attempt;
        self.store.put_void(plan.bout, reason, self.clock.now()).await?;
        self.listener.notice(&Notice::BoutVoided {
            bout: Box::new(plan.clone()),
            reason: reason.to_owned(),
            attempt,
        });
        match (self.self_test)() {
            Err(error) => agenda.ended = Ended::MachineFailed(broken(&plan, &error, reason)),
            Ok(()) if attempt > MOST_RETRIES => {
                agenda.ended = Ended::MachineFailed(unexplained(&plan, reason));
            }
            Ok(()) => agenda.again.push_back(plan),
        }
        Ok(())
    }
}

/// It was the machine: playing on would void every bout.
fn broken(plan: &BoutPlan, error: &str, reason: &str) -> String {
    format!("{} failed and the sandbox fails its self-test ({error}): {reason}", name(plan))
}

/// It was neither the machine nor the bots, as far as anybody can tell.
fn unexplained(plan: &BoutPlan, reason: &str) -> String {
    let (bout, times) = (name(plan), 1 + MOST_RETRIES);
    format!("{bout} failed {times} times, although the sandbox passes its self-test: {reason}")
}

fn name(plan: &BoutPlan) -> String {
    let bots: Vec<_> = plan.seats.iter().map(|seat| seat.bot.as_str()).collect();
    format!("bout {} ({})", plan.bout, bots.join(" vs "))
}
