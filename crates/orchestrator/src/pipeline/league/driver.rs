//! Driver of an executor: from the bouts it is given until it has ended.
//!
//! An executor may panic, drop bouts, deliver twice, late or results that were not requested, hold
//! its channel open for ever, or end early. Its heartbeats list the bouts that it holds: a bout
//! that it took and that several heartbeats do not list is lost and played again. When it has
//! ended, or sends nothing at all any more, all bouts that it held are lost.

use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::queue::WorkQueue;
use super::{ExecutorTimeouts, League, RunOutcome};
use joust_model::BoutResult;
use joust_model::notices::Notice;
use joust_model::panics::{self, catch_panic};
use joust_play::executor::{Assignment, Executor, ExecutorEvent, ExecutorLost};
use joust_store::{MOST_WAITING, StoreError};

/// Number of events taken at once.
const MOST_EVENTS: usize = 256;

/// Number of consecutive shifts that may play nothing at all.
pub(super) const MOST_IDLE: u32 = 3;

/// Reason for a bout that the heartbeats no longer mention.
const FORGOTTEN: &str = "the executor that took it no longer reports it";

/// Outcome of driving an executor.
#[derive(Debug, Default)]
pub(super) struct DriverOutcome {
    /// Bouts that were handed out.
    handed_out: u64,
    /// Reason why the executor stopped playing, if it did.
    pub(super) lost: Option<String>,
    /// True if the executor itself was lost, so that no bout can be the cause.
    is_executor_lost: bool,
    /// Number of deliveries from the executor.
    delivered: u64,
}

impl DriverOutcome {
    /// Returns whether the executor played nothing: it got no bout, or was lost before its first
    /// delivery.
    pub(super) fn is_idle(&self) -> bool {
        self.handed_out == 0 || self.is_executor_lost && self.delivered == 0
    }
}

/// State of the supply of bouts to an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeedState {
    Wanted,
    /// Enough bouts are on their way to the disk.
    Paused,
    Over,
}

/// An executor at work.
struct ExecutorDriver {
    parallel: usize,
    /// `None` when no more are handed out.
    assignments: Option<mpsc::Sender<Assignment>>,
    events: mpsc::Receiver<ExecutorEvent>,
    /// True if no more bouts will be handed out.
    is_closing: bool,
    /// True if it may still send events.
    is_on_line: bool,
    /// `None` when it has ended or was given up.
    running: Option<JoinHandle<Result<(), ExecutorLost>>>,
    /// The executor that was ended because nothing is expected of it any more.
    aborted: Option<JoinHandle<Result<(), ExecutorLost>>>,
    /// Heartbeat intervals since its last message.
    missed: u32,
    end: DriverOutcome,
}

impl ExecutorDriver {
    /// Starts an executor; a panic in it is returned as the error.
    fn begin(executor: &dyn Executor) -> Result<Self, String> {
        let parallel = executor.parallel().max(1);
        let (assignments, given) = mpsc::channel(ahead(parallel));
        let (sender, events) = mpsc::channel(4 * parallel);
        let executing = catch_panic(|| executor.execute(given, sender))?;
        Ok(Self {
            parallel,
            assignments: Some(assignments),
            is_closing: false,
            is_on_line: true,
            events,
            running: Some(tokio::spawn(executing)),
            aborted: None,
            missed: 0,
            end: DriverOutcome::default(),
        })
    }

    /// Returns whether every bout that was handed out was taken.
    fn has_taken_all(&self) -> bool {
        self.assignments
            .as_ref()
            .is_none_or(|sender| sender.capacity() == sender.max_capacity() || sender.is_closed())
    }

    /// Records that the executor has ended.
    fn record_end(&mut self, how: Result<Result<(), ExecutorLost>, JoinError>) {
        let lost = match how {
            Ok(Ok(())) => None,
            Ok(Err(lost)) => {
                self.end.is_executor_lost = true;
                Some(lost.to_string())
            }
            Err(panic) => Some(panics::task_error(panic)),
        };
        self.give_up(lost);
    }

    /// Aborts the executor and expects nothing more of it.
    fn give_up(&mut self, lost: Option<String>) {
        if let Some(reason) = &lost {
            tracing::warn!(reason, "the executor has stopped");
        }
        self.end.lost = lost;
        self.assignments = None;
        let running = self.running.take().inspect(JoinHandle::abort);
        self.aborted = running.filter(|running| !running.is_finished());
    }

    /// Waits until the executor has ended, if it has to; returns whether it did. One that took
    /// nothing may have ended before the first check, and its reason is still reported.
    async fn finish(mut self, most: Duration) -> (DriverOutcome, bool) {
        self.assignments = None;
        self.events.close();
        let Some(mut running) = self.running.take() else {
            // Otherwise the next executor would start beside the remains of this one.
            if let Some(aborted) = self.aborted.take() {
                _ = timeout(most, aborted).await;
            }
            return (self.end, true);
        };
        match timeout(most, &mut running).await {
            Ok(how) => {
                self.record_end(how);
                (self.end, true)
            }
            Err(_) => {
                running.abort();
                (self.end, false)
            }
        }
    }
}

/// Returns the number of bouts that wait for a busy executor, so that it finds the next one ready.
/// The number is small, because bouts that were handed out are played even when the run is to stop.
fn ahead(parallel: usize) -> usize {
    (parallel / 4).max(1)
}

impl League<'_> {
    /// Hands out bouts and takes their results until no more will come. Bouts without a delivery
    /// are then still outstanding.
    pub(super) async fn drive<I: Iterator<Item = Assignment>>(
        &self,
        executor: &dyn Executor,
        queue: &mut WorkQueue<I>,
    ) -> Result<DriverOutcome, StoreError> {
        let mut driver = match ExecutorDriver::begin(executor) {
            Ok(driver) => driver,
            Err(panic) => {
                return Ok(DriverOutcome { lost: Some(panic), ..DriverOutcome::default() });
            }
        };
        let mut beats = interval(self.patience.heartbeat);
        // A machine that was suspended for a while must not count missed heartbeats.
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut received = Vec::new();
        loop {
            let feeding = self.feed(&mut driver, queue);
            driver.is_closing = feeding == FeedState::Over;
            if driver.is_closing && driver.has_taken_all() {
                queue.mark_all_taken();
                driver.assignments = None;
            }
            let is_over = driver.is_closing && queue.outstanding.is_empty();
            let is_at_work = driver.running.is_some() && !is_over;
            if queue.commits.is_empty() && !is_at_work {
                break;
            }
            tokio::select! {
                count = driver.events.recv_many(&mut received, MOST_EVENTS),
                    if is_at_work && driver.is_on_line =>
                {
                    driver.is_on_line = count > 0;
                    driver.missed = 0;
                    driver.end.delivered += self.process_events(received.drain(..), queue).await?;
                }
                how = wait_for_end(driver.running.as_mut()), if is_at_work => {
                    driver.record_end(how);
                    received.extend(std::iter::from_fn(|| driver.events.try_recv().ok()));
                    driver.end.delivered += self.process_events(received.drain(..), queue).await?;
                }
                Some(committed) = queue.commits.join_next() => self.stored(committed, queue)?,
                () = wait_until_taken(driver.assignments.as_ref()), if feeding != FeedState::Paused => {}
                _ = beats.tick(), if is_at_work => self.count_missed(&mut driver, queue).await?,
                else => break,
            }
        }
        let (end, has_ended) = driver.finish(self.patience.to_end).await;
        if !has_ended {
            let text = "the executor keeps running although nothing is left to play";
            self.listener.warn(text.to_owned());
        }
        Ok(end)
    }

    /// Processes the events of an executor; returns the number of deliveries.
    async fn process_events<I: Iterator<Item = Assignment>>(
        &self,
        events: impl Iterator<Item = ExecutorEvent>,
        queue: &mut WorkQueue<I>,
    ) -> Result<u64, StoreError> {
        let mut deliveries = Vec::new();
        for event in events {
            match event {
                ExecutorEvent::Delivered(delivery) => deliveries.push(*delivery),
                ExecutorEvent::Heartbeat(bouts) => {
                    bouts.into_iter().for_each(|bout| _ = queue.mark_reported(bout));
                }
                ExecutorEvent::Position { bout, round, scene } => {
                    if queue.mark_reported(bout).is_some() && self.listener.wants_position(bout) {
                        self.listener.notice(&Notice::Position { bout, round, scene });
                    }
                }
                ExecutorEvent::BoutStarted(bout) => {
                    if let Some(plan) = queue.mark_reported(bout) {
                        self.listener.notice(&Notice::BoutStarted(Box::new(plan.clone())));
                    }
                }
            }
        }
        let count = deliveries.len() as u64;
        self.process_deliveries(deliveries, queue).await?;
        Ok(count)
    }

    /// Counts a heartbeat interval without a message; bouts that were silent for too long are lost.
    async fn count_missed<I: Iterator<Item = Assignment>>(
        &self,
        driver: &mut ExecutorDriver,
        queue: &mut WorkQueue<I>,
    ) -> Result<(), StoreError> {
        if queue.outstanding.is_empty() {
            driver.missed = 0;
            return Ok(());
        }
        let ExecutorTimeouts { heartbeat, missed: most, .. } = self.patience;
        driver.missed += 1;
        if driver.missed >= most {
            let silence = heartbeat * most;
            driver.end.is_executor_lost = true;
            driver.give_up(Some(format!("the executor has been silent for {silence:?}")));
            return Ok(());
        }
        for forgotten in queue.count_missed(most) {
            self.void_bout(forgotten, FORGOTTEN, queue).await?;
        }
        Ok(())
    }

    /// Hands out bouts once none waits any more: many at once wake the executor only once.
    fn feed<I: Iterator<Item = Assignment>>(
        &self,
        driver: &mut ExecutorDriver,
        queue: &mut WorkQueue<I>,
    ) -> FeedState {
        let Some(sender) = &driver.assignments else { return FeedState::Over };
        if driver.is_closing {
            return FeedState::Over;
        }
        if !driver.has_taken_all() {
            return FeedState::Wanted;
        }
        queue.mark_all_taken();
        // An executor that takes far more than it can play is losing bouts.
        let most = 4 * (driver.parallel + ahead(driver.parallel)) + 16;
        loop {
            let is_doubted = !queue.doubted.is_empty();
            if queue.ended != RunOutcome::Complete || is_doubted || queue.outstanding.len() >= most
            {
                return FeedState::Over;
            }
            if queue.storing >= MOST_WAITING {
                return FeedState::Paused;
            }
            let permit = match sender.try_reserve() {
                Ok(permit) => permit,
                Err(mpsc::error::TrySendError::Full(())) => return FeedState::Wanted,
                Err(mpsc::error::TrySendError::Closed(())) => return FeedState::Over,
            };
            if let Some(reason) = self.reason_to_stop() {
                queue.ended = reason;
                return FeedState::Over;
            }
            let suspect = queue.suspects.pop_front();
            let is_alone = suspect.is_some();
            let Some(assignment) = suspect.or_else(|| queue.next()) else { return FeedState::Over };
            queue.hand_out(assignment.clone());
            driver.end.handed_out += 1;
            permit.send(assignment);
            if is_alone {
                return FeedState::Over;
            }
        }
    }

    /// Reports bouts that are on disk.
    fn stored<I: Iterator<Item = Assignment>>(
        &self,
        committed: Result<Result<Vec<BoutResult>, StoreError>, JoinError>,
        queue: &mut WorkQueue<I>,
    ) -> Result<(), StoreError> {
        let results = committed.unwrap_or_else(|error| {
            let text = panics::task_error(error);
            Err(StoreError::Panicked { path: self.store.path().to_owned(), text })
        })?;
        queue.storing -= results.len();
        for result in results {
            self.listener.notice(&Notice::BoutFinished(Box::new(result)));
        }
        Ok(())
    }
}

/// Waits until an executor has ended.
async fn wait_for_end(
    running: Option<&mut JoinHandle<Result<(), ExecutorLost>>>,
) -> Result<Result<(), ExecutorLost>, JoinError> {
    match running {
        Some(running) => running.await,
        None => std::future::pending().await,
    }
}

/// Waits until every bout was taken, or the receiver is closed.
async fn wait_until_taken(assignments: Option<&mpsc::Sender<Assignment>>) {
    match assignments {
        Some(sender) => drop(sender.reserve_many(sender.max_capacity()).await),
        None => std::future::pending().await,
    }
}
