//! Coordinator: the executor whose bouts are played on other machines.
//!
//! It owns a [`Ledger`] and uses a transport. It checks every result before delivering it: a result
//! that does not follow from its plan and its actions is refused, and the notice names the worker.
//! It sends lost batches again and drops duplicate results.
//!
//! Three parts have states: the run (`Phase`), the link to the transport (`LinkState`), and the
//! attendance of workers (`registry`).

mod checks;
mod link;
mod registry;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::{BoutId, BoutPlan, BoutResult, BuildHash};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, ExecutorLost, Failure,
};
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::{Instant, MissedTickBehavior, interval};

use checks::ResultChecks;
use link::{Link, LinkState, Poller, poll};
use registry::WorkerRegistry;

use crate::ledger::{Ledger, NewResult, Timeouts};
use crate::message::{Announcement, Position, Report, Stage};
use crate::notice::CoordinatorNotice;
use crate::transport::CoordinatorTransport;

/// Longest reason of a worker that is reported, characters.
const MOST_CHARACTERS: usize = 2000;
/// Interval of the coordinator's periodic work.
const TICK: Duration = Duration::from_millis(500);
/// Largest number of bouts requested ahead; see [`Executor::parallel`].
const PARALLEL: usize = 1024;
/// Number of reports read ahead, each with up to 128 MiB of logs, and of announcements.
const REPORTS_AHEAD: usize = 2;
const ANNOUNCEMENTS_AHEAD: usize = 64;
/// Time that a coordinator waits before it reports that there are no workers.
const LONELY: Duration = Duration::from_secs(5);

/// Checks results that workers send.
pub trait ResultValidator: Send + Sync + 'static {
    /// Returns the fault of a result of `plan`; `None` when the result follows from the recorded
    /// actions of the bots.
    fn find_fault(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String>;

    /// Returns a build, packed for a worker.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn pack_build(&self, build: &BuildHash) -> io::Result<Vec<u8>>;

    /// Receives news of the run.
    fn notify(&self, notice: CoordinatorNotice);

    /// Returns whether there are spectators of running bouts.
    fn is_watched(&self) -> bool {
        false
    }
}

/// Configuration of a coordinator.
pub struct CoordinatorConfig {
    /// Stage to play. The coordinator sets its epoch when it first uses the stage, and adds its
    /// classes.
    pub stage: Stage,
    /// Interval at which workers announce themselves.
    pub beat: Duration,
    /// Flag that stops the run.
    pub cancel: Cancel,
}

/// Executor that sends bouts to workers.
pub struct Coordinator<T, I> {
    transport: Arc<T>,
    validator: Arc<I>,
    config: Arc<CoordinatorConfig>,
    uses: AtomicU64,
}

impl<T: CoordinatorTransport, I: ResultValidator> Coordinator<T, I> {
    /// Makes a coordinator over `transport`.
    pub fn new(transport: Arc<T>, validator: Arc<I>, config: CoordinatorConfig) -> Self {
        Self { transport, validator, config: Arc::new(config), uses: AtomicU64::new(0) }
    }
}

impl<T: CoordinatorTransport, I: ResultValidator> Executor for Coordinator<T, I> {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let (transport, validator) = (Arc::clone(&self.transport), Arc::clone(&self.validator));
        let config = Arc::clone(&self.config);
        let epoch = config.stage.epoch + self.uses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let mut stage = config.stage.clone();
            stage.epoch = epoch;
            let timeouts = Timeouts { lease: stage.lease, beat: config.beat };
            let mut coordinating = CoordinatorLoop {
                phase: Phase::Accepting,
                ledger: Ledger::new(epoch, timeouts),
                link: Link::new(transport, Arc::clone(&validator), stage),
                registry: WorkerRegistry::default(),
                checks: ResultChecks::new(Arc::clone(&validator)),
                validator,
                events,
                started: BTreeSet::new(),
                began: Instant::now(),
                cancel: config.cancel.clone(),
            };
            coordinating.run(assignments).await
        })
    }

    fn parallel(&self) -> usize {
        PARALLEL
    }
}

/// Phase of a coordinator's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The coordinator accepts bouts.
    Accepting,
    /// No more bouts will come; some are outstanding.
    Draining,
    /// Every bout was delivered.
    Done,
    /// The run is being stopped.
    Stopping,
}

/// State of a running coordinator.
struct CoordinatorLoop<T, I> {
    phase: Phase,
    ledger: Ledger,
    link: Link<T, I>,
    registry: WorkerRegistry,
    checks: ResultChecks<I>,
    validator: Arc<I>,
    events: Sender<ExecutorEvent>,
    /// Bouts whose start was reported.
    started: BTreeSet<BoutId>,
    began: Instant,
    cancel: Cancel,
}

impl<T: CoordinatorTransport, I: ResultValidator> CoordinatorLoop<T, I> {
    async fn run(&mut self, mut assignments: Receiver<Assignment>) -> Result<(), ExecutorLost> {
        let (mut reports, mut announcements) = (self.reports(), self.announcements());
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.phase = self.next_phase();
            match self.phase {
                Phase::Accepting | Phase::Draining => {}
                Phase::Done => return Ok(()),
                Phase::Stopping => {
                    self.stop().await;
                    return Ok(());
                }
            }
            let accepts = self.phase == Phase::Accepting && self.ledger.has_room();
            tokio::select! {
                // A worker that floods the coordinator with reports cannot delay what comes before
                // them; announcements are caught up with.
                biased;
                _ = ticks.tick() => {
                    self.catch_up(&mut announcements.messages).await;
                    self.maintain().await?;
                }
                assigned = assignments.recv(), if accepts => match assigned {
                    Some(assignment) => self.accept(assignment).await,
                    None => {
                        self.phase = Phase::Draining;
                        self.ledger.close();
                    }
                },
                Some(report) = reports.messages.recv() => self.receive_report(report).await,
                Some(announcement) = announcements.messages.recv() => self.receive_announcement(announcement).await,
            }
            let has_all_there_is = assignments.is_empty() || !self.ledger.has_room();
            if has_all_there_is && !self.cancel.is_cancelled() {
                self.hand_out().await;
            }
        }
    }

    fn next_phase(&self) -> Phase {
        match self.phase {
            Phase::Draining if self.ledger.is_empty() => Phase::Done,
            _ if self.cancel.is_cancelled() => Phase::Stopping,
            phase => phase,
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn reports(&self) -> Poller<Report> {
        let transport = Arc::clone(&self.link.transport);
        poll(REPORTS_AHEAD, move || {
            let transport = Arc::clone(&transport);
            async move { transport.next_report().await }
        })
    }

    fn announcements(&self) -> Poller<Announcement> {
        let transport = Arc::clone(&self.link.transport);
        poll(ANNOUNCEMENTS_AHEAD, move || {
            let transport = Arc::clone(&transport);
            async move { transport.next_announcement().await }
        })
    }

    /// Reads the queued announcements, so that a worker does not count as gone because checking a
    /// result took long.
    async fn catch_up(&mut self, announcements: &mut Receiver<Announcement>) {
        for _ in 0..ANNOUNCEMENTS_AHEAD {
            let Ok(announcement) = announcements.try_recv() else { return };
            self.receive_announcement(announcement).await;
        }
    }

    async fn accept(&mut self, assignment: Assignment) {
        // Earlier results of the bout do not count.
        self.link.transport.mark_settled(assignment.plan.bout);
        let now = self.now();
        if let Some(fresh) = self.ledger.add_bout(assignment, now) {
            self.deliver(fresh).await;
        }
    }

    async fn receive_report(&mut self, report: Report) {
        for delivery in &report.deliveries {
            if delivery.result.is_ok() && !self.ledger.is_requested(delivery.bout) {
                self.link.transport.mark_settled(delivery.bout);
            }
        }
        if self.link.stage.excluded.contains(&report.worker) {
            return report
                .deliveries
                .iter()
                .for_each(|it| self.link.transport.mark_settled(it.bout));
        }
        let now = self.now();
        for fresh in self.ledger.record_report(report, now) {
            self.deliver(fresh).await;
        }
    }

    /// Delivers a worker's result of a bout after checking it.
    async fn deliver(&mut self, fresh: NewResult) {
        let NewResult { assignment, worker, delivery, is_of_holder } = fresh;
        // It may have been excluded for an earlier result of the same report.
        if self.link.stage.excluded.contains(&worker) {
            return self.hand_out_again(assignment);
        }
        let bout = delivery.bout;
        let has_results = delivery.result.is_ok();
        let results = match delivery.into_results() {
            Ok(results) => self.checks.validate(&worker, &assignment, results),
            // The worker was stopped, not the run.
            Err(Failure::Cancelled) => return self.hand_out_again(assignment),
            Err(Failure::Infrastructure(why)) => Err(why.chars().take(MOST_CHARACTERS).collect()),
        };
        self.checks.record_outcome(&worker, results.is_err());
        if results.is_err() {
            self.link.transport.mark_settled(bout);
            let workers = self.ledger.workers();
            // Whoever sends results of bouts that others hold cannot make them fail.
            if has_results
                && (!is_of_holder || self.checks.may_be_played_again(bout, &worker, workers))
            {
                // Results of the only worker end its bouts, also when it is at fault.
                if (!is_of_holder || workers > 1) && self.checks.charge(&worker) {
                    self.ledger.remove_worker(&worker);
                    self.link.stage.excluded.insert(worker);
                }
                return self.hand_out_again(assignment);
            }
        }
        self.checks.forget(bout);
        let failure = |why| Failure::Infrastructure(format!("worker `{worker}`: {why}"));
        self.send(Delivery::of_all(bout, results.map_err(failure)).into()).await;
    }

    fn hand_out_again(&mut self, assignment: Assignment) {
        let now = self.now();
        _ = self.ledger.add_bout(assignment, now);
    }

    async fn receive_announcement(&mut self, announcement: Announcement) {
        if self.link.stage.excluded.contains(&announcement.worker) {
            return;
        }
        let now = self.now();
        if let Some(news) = self.registry.record_announcement(
            &announcement,
            &self.link.stage,
            &mut self.ledger,
            now,
        ) {
            self.validator.notify(news);
        }
        self.report_progress(announcement).await;
    }

    /// Reports the bouts that a worker plays, and their positions.
    async fn report_progress(&mut self, announcement: Announcement) {
        if !self.link.is_of_stage(&announcement) {
            return;
        }
        self.started.retain(|bout| self.ledger.is_requested(*bout));
        for bout in announcement.playing {
            if self.ledger.is_requested(bout) && self.started.insert(bout) {
                self.send(ExecutorEvent::BoutStarted(bout)).await;
            }
        }
        for Position { bout, round, scene } in announcement.positions {
            if self.started.contains(&bout) {
                let scene = Arc::new(scene);
                self.send(ExecutorEvent::Position { bout, round, scene }).await;
            }
        }
    }

    async fn send(&self, event: ExecutorEvent) {
        // The receiver may be gone.
        let _ = self.events.send(event).await;
    }

    /// Does the periodic work.
    async fn maintain(&mut self) -> Result<(), ExecutorLost> {
        let now = self.now();
        self.send(ExecutorEvent::Heartbeat(self.ledger.bouts())).await;
        for news in self.registry.review(&mut self.ledger, now) {
            self.validator.notify(news);
        }
        if self.link.is_due(now) {
            self.link.refresh(&mut self.ledger, now).await?;
        }
        let lost = self.ledger.requeue_overdue(now);
        if !lost.is_empty() {
            self.validator.notify(CoordinatorNotice::BatchesRequeued(lost.len()));
        }
        Ok(())
    }

    /// Sends batches while workers have room for them.
    async fn hand_out(&mut self) {
        // Without streams, the link is asked during maintenance only.
        if self.link.state == LinkState::Unopened {
            let now = self.now();
            if self.link.refresh(&mut self.ledger, now).await.is_err() {
                return;
            }
        }
        while self.link.state == LinkState::Open {
            let now = self.now();
            let Some(batch) = self.ledger.next_batch(now) else { return };
            if !self.link.publish(&batch, &mut self.ledger, now).await {
                return self.ledger.requeue_first(batch.number);
            }
        }
    }

    /// Stops the run. Workers may still report batches that are out; the next run uses those
    /// results.
    async fn stop(&mut self) {
        // Batches that stay at the server are recalled by the next run.
        let _ = self.link.transport.recall_batches().await;
        for bout in self.ledger.abandon_all() {
            self.send(Delivery::new(bout, Err(Failure::Cancelled)).into()).await;
        }
    }
}
