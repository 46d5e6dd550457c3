//! Shift of an executor: from the plans it is given until nobody plays any more.
//!
//! Whoever plays may panic, drop plans, deliver twice or what nobody asked for, or end
//! early. A bout counts as lost only when all who play are gone: then it is
//! certain that nobody is still at it.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::timeout;

use super::agenda::Agenda;
use super::{Ended, League};
use joust_model::notices::Notice;
use joust_model::panics::{self, caught};
use joust_model::{BoutPlan, BoutResult};
use joust_play::executor::{Delivery, Executor};
use joust_store::{MOST_WAITING, StoreError};

/// How many deliveries are taken at once.
const MOST_DELIVERIES: usize = 256;

/// How long those who play may take to go home when nothing is left to play.
const GRACE: Duration = Duration::from_secs(5);

/// How many shifts may play nothing at all, one after the other.
pub(super) const MOST_IDLE: u32 = 3;

/// How many plans wait for an executor that is busy, so that it finds the next one
/// ready. Few: what was handed out is played even when the run is to stop.
fn ahead(executor: &dyn Executor) -> usize {
    (executor.parallel() / 4).max(1)
}

/// What a shift came to.
#[derive(Debug, Default)]
pub(super) struct Shift {
    /// Bouts that were handed out.
    pub(super) handed_out: u64,
    /// The executor's own panic.
    pub(super) panicked: Option<String>,
}

/// Whether more plans can be handed out in this shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Plans {
    Wanted,
    /// Enough bouts are on their way to the disk.
    Paused,
    Over,
}

impl League<'_> {
    /// Hands out plans and takes what comes of them until nobody plays any more. What
    /// was not delivered then is still outstanding.
    pub(super) async fn shift<I: Iterator<Item = BoutPlan>>(
        &self,
        executor: &dyn Executor,
        agenda: &mut Agenda<I>,
    ) -> Result<Shift, StoreError> {
        let (plans, receiver) = mpsc::channel(ahead(executor));
        let (sender, mut deliveries) = mpsc::channel(executor.parallel().max(1));
        let mut shift = Shift {
            panicked: caught(|| executor.execute(receiver, sender)).err(),
            ..Shift::default()
        };
        let mut plans = Some(plans);
        let (mut taken, mut are_there) = (Vec::new(), true);
        loop {
            let wanted = plans.as_ref().map(|plans| self.feed(executor, plans, agenda, &mut shift));
            if wanted == Some(Plans::Over) {
                plans = None;
            }
            let is_over = plans.is_none() && agenda.outstanding.is_empty();
            if agenda.commits.is_empty() && (is_over || !are_there) {
                break;
            }
            tokio::select! {
                count = deliveries.recv_many(&mut taken, MOST_DELIVERIES), if are_there && !is_over => {
                    are_there = count > 0;
                    plans = plans.filter(|_| are_there);
                    self.take_all(taken.drain(..), agenda).await?;
                }
                Some(committed) = agenda.commits.join_next() => self.stored(committed, agenda)?,
                () = all_taken(plans.as_ref()), if wanted == Some(Plans::Wanted) => {}
                else => break,
            }
        }
        drop(plans);
        await_end(deliveries).await;
        Ok(shift)
    }

    /// Hands out plans, once none waits any more: many at once wake whoever plays
    /// them once.
    fn feed<I: Iterator<Item = BoutPlan>>(
        &self,
        executor: &dyn Executor,
        sender: &mpsc::Sender<BoutPlan>,
        agenda: &mut Agenda<I>,
        shift: &mut Shift,
    ) -> Plans {
        if sender.capacity() < sender.max_capacity() {
            return Plans::Wanted;
        }
        // An executor that takes far more than it can play is losing plans.
        let most = 4 * (executor.parallel() + ahead(executor)) + 16;
        loop {
            let is_doubted = !agenda.doubted.is_empty();
            if agenda.ended != Ended::Complete || is_doubted || agenda.outstanding.len() >= most {
                return Plans::Over;
            }
            if agenda.storing >= MOST_WAITING {
                return Plans::Paused;
            }
            let permit = match sender.try_reserve() {
                Ok(permit) => permit,
                Err(mpsc::error::TrySendError::Full(())) => return Plans::Wanted,
                Err(mpsc::error::TrySendError::Closed(())) => return Plans::Over,
            };
            if let Some(reason) = self.reason_to_stop() {
                agenda.ended = reason;
                return Plans::Over;
            }
            let suspect = agenda.suspects.pop_front();
            let is_alone = suspect.is_some();
            let Some(plan) = suspect.or_else(|| agenda.next()) else { return Plans::Over };
            agenda.outstanding.insert(plan.bout, plan.clone());
            shift.handed_out += 1;
            permit.send(plan);
            if is_alone {
                return Plans::Over;
            }
        }
    }

    /// Tells of bouts that are on disk.
    fn stored<I: Iterator<Item = BoutPlan>>(
        &self,
        committed: Result<Result<Vec<BoutResult>, StoreError>, tokio::task::JoinError>,
        agenda: &mut Agenda<I>,
    ) -> Result<(), StoreError> {
        let results = committed.unwrap_or_else(|error| {
            let text = panics::of_task(error);
            Err(StoreError::Panicked { path: self.store.path().to_owned(), text })
        })?;
        agenda.storing -= results.len();
        for result in results {
            self.listener.notice(&Notice::BoutFinished(Box::new(result)));
        }
        Ok(())
    }
}

/// Waits until every plan was taken, or nobody takes any more.
async fn all_taken(plans: Option<&mpsc::Sender<BoutPlan>>) {
    match plans {
        Some(plans) => drop(plans.reserve_many(plans.max_capacity()).await),
        None => std::future::pending().await,
    }
}

/// Waits until those who play are gone; what they still deliver nobody asked for.
async fn await_end(mut deliveries: mpsc::Receiver<Delivery>) {
    let gone = async { while deliveries.recv().await.is_some() {} };
    if timeout(GRACE, gone).await.is_err() {
        tracing::warn!("an executor goes on although nothing is left to play");
    }
}
