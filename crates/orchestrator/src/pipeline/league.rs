//! Feeds plans to an executor and its results to the store.
//!
//! At most twice as many plans as can be played at once are under way, so a
//! schedule of any length is never held whole. A bout voided by the machine is
//! played again at most twice, and only while the sandbox passes its self-test;
//! a contended one once more, alone, at the end.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::cancel::Cancel;
use crate::clock::Clock;
use crate::executor::{Delivery, Executor, Failure};
use crate::model::{BoutId, BoutPlan, BoutResult, PlanKey};
use crate::notices::{Listener, Notice};
use crate::store::{Committer, MOST_WAITING, Store, StoreError};

#[cfg(test)]
mod tests;

/// How often a bout is played again after a fault of the machine.
const MOST_RETRIES: u32 = 2;

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
    commits: JoinSet<Result<BoutResult, StoreError>>,
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
            commits: JoinSet::new(),
            ended: Ended::Complete,
        }
    }
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
        let (plan_sender, plan_receiver) = mpsc::channel(1);
        let (delivery_sender, mut deliveries) = mpsc::channel(executor.parallel().max(1));
        executor.execute(plan_receiver, delivery_sender);
        let mut agenda = Agenda::new(plans);
        loop {
            self.feed(executor, &plan_sender, &mut agenda).await;
            if agenda.under_way == 0 && agenda.commits.is_empty() {
                return Ok((agenda.ended, agenda.contended));
            }
            tokio::select! {
                Some(delivery) = deliveries.recv() => {
                    agenda.under_way -= 1;
                    self.take(delivery, &mut agenda).await?;
                }
                Some(committed) = agenda.commits.join_next() => {
                    let result = committed.expect("a commit does not panic")?;
                    self.listener.notice(&Notice::BoutFinished(Box::new(result)));
                }
            }
        }
    }

    /// Hands out plans while there is room.
    async fn feed<I: Iterator<Item = BoutPlan>>(
        &self,
        executor: &dyn Executor,
        sender: &mpsc::Sender<BoutPlan>,
        agenda: &mut Agenda<I>,
    ) {
        while agenda.ended == Ended::Complete
            && agenda.under_way < executor.parallel() * 2
            && agenda.commits.len() < MOST_WAITING
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

    async fn take<I>(&self, delivery: Delivery, agenda: &mut Agenda<I>) -> Result<(), StoreError> {
        match delivery.result {
            Ok(result) => {
                self.finish(delivery.plan, result, agenda);
                Ok(())
            }
            Err(Failure::Cancelled) => {
                agenda.ended = Ended::Interrupted;
                Ok(())
            }
            Err(Failure::Infrastructure(reason)) => self.void(delivery.plan, &reason, agenda).await,
        }
    }

    fn finish<I>(&self, plan: BoutPlan, result: BoutResult, agenda: &mut Agenda<I>) {
        if result.contended && self.contended == Contended::PlayAgain {
            agenda.contended.push(plan);
            return;
        }
        let is_replaced = self.replaced.get(&plan.bout) == Some(&result.key);
        let (committer, store, now) =
            (self.committer.clone(), self.store.clone(), self.clock.now());
        agenda.commits.spawn(async move {
            if is_replaced {
                store.amend(&result, "played afresh", now).await?;
            } else {
                committer.submit(plan, result.clone()).await?;
            }
            Ok(result)
        });
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
