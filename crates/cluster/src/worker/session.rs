//! Session of a worker: from joining a stage until it is over.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use joust_model::BoutId;
use joust_play::executor::{Assignment, Executor, ExecutorEvent, ExecutorLost, Failure};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::held::{BatchId, HeldBatches, Outgoing};
use super::{PreparedStage, Worker, WorkerExit, WorkerHost, WorkerNotice, is_passing};
use crate::message::{Announcement, ClassId, Stage, WorkerState, beat_of};
use crate::spectator_feed::SpectatorFeed;
use crate::transport::{LeaseAction, ReceivedBatch, TransportError, WorkerTransport};

/// Delay of a tick from which the machine counts as suspended.
const STILL: Duration = Duration::from_secs(3);
/// Interval of announcements while the worker's bouts have spectators.
const WATCHED: Duration = Duration::from_secs(1);
/// Interval at which leases and stages are checked.
const TICK: Duration = Duration::from_millis(500);
/// Interval at which a playing worker queries the stage. It does so together with its announcement,
/// so that the server is woken once for both.
const BUSY: Duration = Duration::from_secs(4);
/// Longest wait for a batch before the worker checks everything else.
const PATIENCE: Duration = Duration::from_secs(2);
/// Number of reports that the transport has not stored, from which no further batch is requested.
/// They are in memory.
const MOST_UNSENT: usize = 64;
/// Number of unanswered queries in a row after which a stage is over.
const MOST_UNANSWERED: u32 = 6;

/// Result of a wait of a session.
enum PollOutcome<L> {
    /// The result of a request for a batch of one of these classes.
    Batch(Vec<ClassId>, Result<Option<ReceivedBatch<L>>, TransportError>),
    Stages(Result<Vec<Stage>, TransportError>),
}

/// Phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Playing,
    /// Running bouts are finished, and the machine is prepared again.
    Renewing,
    /// Running bouts are finished, and the worker ends.
    Draining,
}

/// Executor of a session's bouts.
struct SessionExecutor {
    /// Channel to the executor; `None` when no more bouts will be started.
    assignments: Option<mpsc::Sender<Assignment>>,
    events: mpsc::Receiver<ExecutorEvent>,
    running: JoinHandle<Result<(), ExecutorLost>>,
    jobs: usize,
}

impl SessionExecutor {
    fn start(executor: &dyn Executor) -> Self {
        let jobs = executor.parallel().max(1);
        let (assignments, given) = mpsc::channel(jobs);
        let (sender, events) = mpsc::channel(4 * jobs);
        let running = tokio::spawn(executor.execute(given, sender));
        Self { assignments: Some(assignments), events, running, jobs }
    }
}

/// Open queries of a session.
struct Queries<L> {
    tasks: JoinSet<PollOutcome<L>>,
    /// The classes of each open request for a batch.
    requested: Vec<Vec<ClassId>>,
    /// True while a query for the stage is open.
    is_querying: bool,
    /// Time of the last query for the stage; `None` queries at once.
    asked: Option<Instant>,
    /// Number of consecutive queries for the stage without an answer.
    unanswered: u32,
}

/// A worker in a stage.
pub(super) struct WorkerSession<'w, T: WorkerTransport, S> {
    worker: &'w mut Worker<T, S>,
    /// Time of the worker's start.
    began: Instant,
    stage: Stage,
    held: HeldBatches<T::Lease>,
    executor: SessionExecutor,
    queries: Queries<T::Lease>,
    reports: JoinSet<BatchId>,
    phase: Phase,
    /// Time at which the preparation expires; then this session ends and the next one begins.
    expires: Option<Instant>,
    /// Bouts that are running.
    playing: BTreeSet<BoutId>,
    spectator_feed: Arc<SpectatorFeed>,
    /// The worker's exit, once it is decided.
    exit: Option<WorkerExit>,
}

impl<'w, T: WorkerTransport, S: WorkerHost> WorkerSession<'w, T, S> {
    pub(super) fn begin(
        worker: &'w mut Worker<T, S>,
        stage: Stage,
        prepared: PreparedStage,
        began: Instant,
    ) -> Self {
        let now = Instant::now();
        let queries = Queries {
            tasks: JoinSet::new(),
            requested: Vec::new(),
            is_querying: false,
            asked: Some(now),
            unanswered: 0,
        };
        Self {
            worker,
            began,
            stage,
            held: HeldBatches::new(),
            executor: SessionExecutor::start(&*prepared.executor),
            queries,
            reports: JoinSet::new(),
            phase: Phase::Playing,
            expires: prepared.valid_for.map(|span| now + span),
            playing: BTreeSet::new(),
            spectator_feed: prepared.spectator_feed,
            exit: None,
        }
    }

    pub(super) async fn work(mut self) -> Option<WorkerExit> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (mut ticked, mut announced) = (Instant::now(), None::<Instant>);
        loop {
            if announced.is_none_or(|at| at.elapsed() >= self.announcement_interval()) {
                self.announce().await;
                announced = Some(Instant::now());
                if self.queries.asked.is_none_or(|at| at.elapsed() >= BUSY) {
                    self.query_stages();
                }
            }
            if self.is_over() {
                break;
            }
            self.request_batches();
            let is_fed = self.held.next_batch().is_some();
            tokio::select! {
                biased;
                _ = self.worker.stop.changed(), if self.phase != Phase::Draining => self.drain(),
                _ = ticks.tick() => {
                    // Counted from the due time, so that a suspension of the machine is noticed.
                    let passed = ticked.elapsed();
                    ticked = Instant::now();
                    self.maintain(passed).await;
                }
                Some(event) = self.executor.events.recv() => self.handle_event(event).await,
                Some(outcome) = self.queries.tasks.join_next() => {
                    if let Ok(outcome) = outcome {
                        self.handle_outcome(outcome);
                    }
                }
                Some(done) = self.reports.join_next() => {
                    if let Ok(batch) = done {
                        self.held.drop_batch(batch);
                    }
                }
                Some(permit) = reserve_slot(self.executor.assignments.clone()), if is_fed => {
                    if let Some(next) = self.held.next() {
                        permit.send(next);
                    }
                }
                _ = &mut self.executor.running => {
                    let why = "what plays bouts here has ended".to_owned();
                    self.exit = Some(WorkerExit::Broken(why));
                    break;
                }
            }
        }
        self.finish().await
    }

    /// Returns whether the session has nothing left to do.
    fn is_over(&self) -> bool {
        let is_ending = self.is_leaving() || self.queries.unanswered >= MOST_UNANSWERED;
        let is_done = self.held.is_empty() && self.reports.is_empty();
        // Without an answer for so long, the results cannot be delivered either.
        let is_alone = self.queries.unanswered >= 2 * MOST_UNANSWERED && self.held.bouts() == 0;
        self.exit.is_some() || is_ending && is_done || is_alone
    }

    /// Returns whether this session starts no further bouts.
    fn is_leaving(&self) -> bool {
        self.phase != Phase::Playing
    }

    async fn finish(mut self) -> Option<WorkerExit> {
        self.queries.tasks.abort_all();
        for lease in self.held.drop_all() {
            let _ = self.worker.transport.end_lease(&lease, LeaseAction::GivenBack).await;
        }
        self.executor.assignments = None;
        self.executor.running.abort();
        if self.phase == Phase::Draining && self.exit.is_none() {
            self.exit = Some(WorkerExit::Drained);
        }
        self.announce().await;
        self.exit
    }

    /// Returns the interval of this worker's announcements.
    fn announcement_interval(&self) -> Duration {
        let beat = self.worker.beat.min(beat_of(self.stage.lease));
        if self.spectator_feed.are_watched() { beat.min(WATCHED) } else { beat }
    }

    async fn announce(&self) {
        let state = if self.phase == Phase::Draining {
            WorkerState::Draining
        } else {
            WorkerState::Playing
        };
        let announcement = Announcement {
            state,
            held: self.held.numbers(self.stage.epoch),
            epoch: self.stage.epoch,
            in_hand: u32::try_from(self.held.bouts()).unwrap_or(u32::MAX),
            playing: self.playing.clone(),
            positions: self.spectator_feed.take(),
            clock: self.worker.host.clock(),
            up: self.began.elapsed(),
            ..self.worker.card.clone()
        };
        let _ = self.worker.transport.announce(&announcement).await;
    }

    /// Requests a batch while the worker has few waiting bouts and few unsent reports.
    fn request_batches(&mut self) {
        let is_wanted = !self.is_leaving()
            && self.queries.unanswered < MOST_UNANSWERED
            && self.reports.len() < MOST_UNSENT;
        if !is_wanted || self.held.waiting() >= self.executor.jobs {
            return;
        }
        // New classes get one more request, beside those for the earlier classes.
        let mut classes = self.classes();
        classes
            .retain(|class| !self.queries.requested.iter().flatten().any(|other| other == class));
        if classes.is_empty() {
            return;
        }
        self.queries.requested.push(classes.clone());
        let (transport, stage) = (Arc::clone(&self.worker.transport), self.stage.clone());
        self.queries.tasks.spawn(async move {
            let taken = transport.take_batch(&stage, &classes, PATIENCE).await;
            if taken.is_err() {
                sleep(TICK).await;
            }
            PollOutcome::Batch(classes, taken)
        });
    }

    /// Returns the classes of bouts that this machine can play.
    fn classes(&self) -> Vec<ClassId> {
        let fits = self.stage.classes.iter();
        let fits = fits.filter(|class| class.needs.unmet_by(&self.worker.card.offer).is_none());
        fits.map(|class| class.id.clone()).collect()
    }

    fn handle_outcome(&mut self, outcome: PollOutcome<T::Lease>) {
        match outcome {
            PollOutcome::Batch(classes, taken) => {
                self.queries.requested.retain(|other| *other != classes);
                if let Ok(Some(taken)) = taken {
                    self.accept_batch(taken);
                }
            }
            PollOutcome::Stages(stages) => {
                self.queries.is_querying = false;
                self.update_stage(stages);
            }
        }
    }

    fn accept_batch(&mut self, taken: ReceivedBatch<T::Lease>) {
        let work = &self.stage.work;
        let has_limits =
            taken.batch.has_limits(&work.limits) && taken.batch.has_short_groups(work.seats);
        if taken.batch.epoch == self.stage.epoch && !self.is_leaving() && has_limits {
            return self.held.add(taken, Instant::now());
        }
        // The batch is another coordinator's, or it arrived too late to be started.
        if taken.batch.epoch > self.stage.epoch {
            self.queries.asked = None;
        }
        let how = match taken.batch.epoch < self.stage.epoch || !has_limits {
            true => LeaseAction::Done,
            false => LeaseAction::GivenBack,
        };
        let transport = Arc::clone(&self.worker.transport);
        tokio::spawn(async move { transport.end_lease(&taken.lease, how).await });
    }

    /// Updates the stage from a query's answer.
    fn update_stage(&mut self, stages: Result<Vec<Stage>, TransportError>) {
        let Ok(stages) = stages else { return };
        let own = stages.into_iter().find(|it| it.tournament == self.stage.tournament);
        match own {
            Some(stage) if self.is_same_stage(&stage) => {
                // Held batches of an earlier coordinator still count.
                self.queries.unanswered = 0;
                self.spectator_feed.set_watched(stage.is_watched);
                self.stage = stage;
            }
            // The stage has another event, or other bots, or this worker was excluded.
            Some(_) => self.queries.unanswered = MOST_UNANSWERED.max(self.queries.unanswered + 1),
            None => self.queries.unanswered += 1,
        }
    }

    fn is_same_stage(&self, stage: &Stage) -> bool {
        stage.work == self.stage.work
            && stage.version == self.stage.version
            && !stage.excluded.contains(&self.worker.card.worker)
    }

    async fn handle_event(&mut self, event: ExecutorEvent) {
        let delivery = match event {
            ExecutorEvent::Delivered(delivery) => delivery,
            ExecutorEvent::BoutStarted(bout) => {
                self.playing.insert(bout);
                return;
            }
            ExecutorEvent::Heartbeat(_) | ExecutorEvent::Position { .. } => return,
        };
        self.playing.remove(&delivery.bout);
        self.spectator_feed.forget(delivery.bout);
        match &delivery.result {
            Ok(_) => self.worker.card.played += 1,
            Err(Failure::Infrastructure(_)) => {
                self.worker.card.failed += 1;
                if let Err(why) = self.worker.host.self_test().await {
                    self.exit = Some(WorkerExit::Broken(why));
                    return;
                }
            }
            Err(Failure::Cancelled) => {}
        }
        self.held.record_delivery(*delivery);
        self.report();
    }

    /// Sends the reports of complete batches.
    fn report(&mut self) {
        for outgoing in self.held.reports(&self.worker.card.worker) {
            let (transport, stage) = (Arc::clone(&self.worker.transport), self.stage.clone());
            let host = Arc::clone(&self.worker.host);
            self.reports.spawn(async move {
                let id = outgoing.id;
                send_report(&*transport, &*host, &stage, outgoing).await;
                id
            });
        }
    }

    async fn maintain(&mut self, passed: Duration) {
        if passed >= STILL {
            self.worker.host.notify(WorkerNotice::Stopped(passed));
            for lease in self.held.drop_all() {
                let _ = self.worker.transport.end_lease(&lease, LeaseAction::GivenBack).await;
            }
        }
        let now = Instant::now();
        let lapsed = self.held.drop_lapsed(self.stage.lease, now);
        if lapsed > 0 {
            self.worker.card.lapsed += lapsed as u64;
            self.worker.host.notify(WorkerNotice::Lapsed(lapsed));
        }
        for batch in self.held.not_renewed_for(self.stage.lease / 3, now) {
            let Some(lease) = self.held.lease(batch) else { continue };
            if self.worker.transport.renew_lease(&lease).await.is_ok() {
                self.held.record_renewal(batch, now);
            }
        }
        let is_stale = self.expires.is_some_and(|at| now >= at);
        if is_stale && !self.is_leaving() {
            self.phase = Phase::Renewing;
            self.worker.host.notify(WorkerNotice::MeasuresAgain);
            self.held.give_back_waiting();
            self.report();
        }
        let is_busy = self.held.bouts() > 0 && self.queries.unanswered == 0;
        if !is_busy || self.queries.asked.is_none() {
            self.query_stages();
        }
    }

    /// Queries the stages.
    fn query_stages(&mut self) {
        if self.queries.is_querying {
            return;
        }
        (self.queries.is_querying, self.queries.asked) = (true, Some(Instant::now()));
        let transport = Arc::clone(&self.worker.transport);
        self.queries.tasks.spawn(async move { PollOutcome::Stages(transport.list_stages().await) });
    }

    fn drain(&mut self) {
        self.phase = Phase::Draining;
        self.held.give_back_waiting();
        self.worker.host.notify(WorkerNotice::Draining(self.held.bouts()));
        self.report();
    }
}

/// Waits until the executor has room for one more bout.
async fn reserve_slot(
    assignments: Option<mpsc::Sender<Assignment>>,
) -> Option<mpsc::OwnedPermit<Assignment>> {
    assignments?.reserve_owned().await.ok()
}

/// Sends a report, with retries, and ends the lease.
async fn send_report<T: WorkerTransport, S: WorkerHost>(
    transport: &T,
    host: &S,
    stage: &Stage,
    outgoing: Outgoing<T::Lease>,
) {
    let Outgoing { report, lease, .. } = outgoing;
    let mut said = None;
    loop {
        match transport.deliver_report(stage, &report).await {
            Ok(()) => break,
            Err(error) if is_passing(&error) => {
                if said.as_ref() != Some(&error) {
                    host.notify(WorkerNotice::Away(error.to_string()));
                    said = Some(error);
                }
                sleep(TICK).await;
            }
            Err(error) => {
                host.notify(WorkerNotice::Undelivered(error.to_string()));
                break;
            }
        }
    }
    let _ = transport.end_lease(&lease, LeaseAction::Done).await;
}
