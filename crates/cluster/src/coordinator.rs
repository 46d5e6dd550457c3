//! Coordinator: the executor whose bouts are played on other machines.
//!
//! It owns a [`Ledger`] and speaks to a transport. Every result is inspected before it is
//! delivered: one that does not follow from its plan and its actions is no result, and says
//! who sent it. What a transport loses is handed out again; what comes twice is dropped.

mod pump;
mod roll;
mod room;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use joust_model::cancel::Cancel;
use joust_model::{BoutId, BoutPlan, BoutResult, BuildHash};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, ExecutorLost, Failure, MachineOffer,
};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::mpsc::{Receiver, Sender};

use pump::{Pump, pump};

use crate::failure_rates::FailureRates;
use crate::ledger::{Fresh, Ledger, Silence};
use crate::message::{Announcement, ClassId, Report, Stage};
use crate::news::News;
use crate::time::{Moment, Ticks};
use crate::transport::CoordinatorSide;

/// Interval of the coordinator's periodic work.
const TICK: Duration = Duration::from_millis(500);
/// Interval at which the transport is checked and the stage is renewed in it.
const KEPT: Duration = Duration::from_secs(1);
/// Number of refused results after which a bout fails, while one worker is there.
const MOST_REFUSALS: u32 = 3;
/// Largest number of bouts requested ahead; see [`Executor::parallel`].
const PARALLEL: usize = 1024;
/// Number of reports read ahead, each with up to 128 MiB of logs, and of announcements.
const REPORTS_AHEAD: usize = 2;
const VOICES_AHEAD: usize = 64;
/// Time that a coordinator waits before it reports that there are no workers.
const LONELY: Duration = Duration::from_secs(5);

/// Judges results that came from elsewhere.
pub trait Inspect: Send + Sync + 'static {
    /// Returns what is wrong with a result of `plan`; `None` when it follows from what it
    /// says the bots did.
    fn wrong(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String>;

    /// Returns a build, packed for a worker.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn packed(&self, build: &BuildHash) -> io::Result<Vec<u8>>;

    /// Receives news of the run.
    fn news(&self, news: News);

    /// Returns whether somebody watches bouts while they are played.
    fn is_watched(&self) -> bool {
        false
    }
}

/// Configuration of a coordinator.
pub struct Terms {
    /// Stage to play. Its epoch is that of the first use, its classes are found out.
    pub stage: Stage,
    /// Interval at which workers announce themselves.
    pub beat: Duration,
    /// Flag that the run is to stop.
    pub cancel: Cancel,
}

/// Has bouts played by workers.
pub struct Coordinator<T, I> {
    transport: Arc<T>,
    inspect: Arc<I>,
    terms: Arc<Terms>,
    uses: AtomicU64,
}

impl<T: CoordinatorSide, I: Inspect> Coordinator<T, I> {
    /// Makes a coordinator over `transport`.
    #[must_use]
    pub fn new(transport: Arc<T>, inspect: Arc<I>, terms: Terms) -> Self {
        Self { transport, inspect, terms: Arc::new(terms), uses: AtomicU64::new(0) }
    }
}

impl<T: CoordinatorSide, I: Inspect> Executor for Coordinator<T, I> {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let (transport, inspect) = (Arc::clone(&self.transport), Arc::clone(&self.inspect));
        let terms = Arc::clone(&self.terms);
        let epoch = terms.stage.epoch + self.uses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let mut stage = terms.stage.clone();
            stage.epoch = epoch;
            let silence = Silence { lease: stage.lease, beat: terms.beat };
            let mut desk = Desk {
                ledger: Ledger::new(epoch, silence),
                transport,
                inspect,
                stage,
                events,
                rates: FailureRates::default(),
                refused: HashMap::new(),
                offers: BTreeMap::new(),
                unfit: BTreeSet::new(),
                began: Moment::now(),
                has_room: false,
                lacks_builds: false,
                kept: None,
                away: None,
                is_stuck: false,
                lonely_since: Some(Duration::ZERO),
                begun: BTreeSet::new(),
                cancel: terms.cancel.clone(),
            };
            desk.work(assignments).await
        })
    }

    fn parallel(&self) -> usize {
        PARALLEL
    }
}

/// Computes what may take long; what else the runtime has to do goes on meanwhile, where it has
/// other threads.
fn aside<T>(compute: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(compute),
        _ => compute(),
    }
}

/// Results of a bout that were refused.
struct Refused {
    /// The worker that sent the first.
    worker: String,
    times: u32,
}

/// A coordinator at work.
struct Desk<T, I> {
    ledger: Ledger,
    rates: FailureRates,
    /// Bouts with refused results.
    refused: HashMap<BoutId, Refused>,
    transport: Arc<T>,
    inspect: Arc<I>,
    stage: Stage,
    events: Sender<ExecutorEvent>,
    /// Offers of the workers that play.
    offers: BTreeMap<String, MachineOffer>,
    /// Classes of which it was told that nobody can play them.
    unfit: BTreeSet<ClassId>,
    began: Moment,
    /// True if the transport has room for the stage's batches.
    has_room: bool,
    /// True if the transport lost the builds.
    lacks_builds: bool,
    /// Time of the last check of the transport.
    kept: Option<Duration>,
    /// Time at which the transport stopped answering.
    away: Option<Duration>,
    /// True if the transport accepts no bouts.
    is_stuck: bool,
    /// Time at which the last worker left; `None` once that is reported.
    lonely_since: Option<Duration>,
    /// Bouts of which it was told that they are played.
    begun: BTreeSet<BoutId>,
    cancel: Cancel,
}

impl<T: CoordinatorSide, I: Inspect> Desk<T, I> {
    async fn work(&mut self, mut assignments: Receiver<Assignment>) -> Result<(), ExecutorLost> {
        let (mut reports, mut voices) = (self.reports(), self.voices());
        let mut ticks = Ticks::every(TICK);
        let mut is_fed = true;
        loop {
            if !is_fed && self.ledger.is_empty() {
                return Ok(());
            }
            tokio::select! {
                // Whoever says more than can be heard keeps nobody from anything else.
                biased;
                () = ticks.tick() => {
                    self.catch_up(&mut voices.line).await;
                    self.look_after().await?;
                }
                Some(report) = reports.line.recv() => self.take(report).await,
                given = assignments.recv(), if is_fed && self.ledger.has_room() => match given {
                    Some(assignment) => self.push(assignment).await,
                    None => {
                        is_fed = false;
                        self.ledger.close();
                    }
                },
                Some(said) = voices.line.recv() => {
                    self.hear(&said);
                    self.show(said).await;
                }
            }
            if self.cancel.is_cancelled() {
                self.stop().await;
                return Ok(());
            }
            let has_all_there_is = assignments.is_empty() || !self.ledger.has_room();
            if self.away.is_none() && has_all_there_is {
                self.hand_out().await;
            }
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn reports(&self) -> Pump<Report> {
        let transport = Arc::clone(&self.transport);
        pump(REPORTS_AHEAD, move || {
            let transport = Arc::clone(&transport);
            async move { transport.report().await }
        })
    }

    fn voices(&self) -> Pump<Announcement> {
        let transport = Arc::clone(&self.transport);
        pump(VOICES_AHEAD, move || {
            let transport = Arc::clone(&transport);
            async move { transport.heard().await }
        })
    }

    /// Reads the announcements that are queued: a worker does not count as gone because a result
    /// took long to judge.
    async fn catch_up(&mut self, voices: &mut Receiver<Announcement>) {
        for _ in 0..VOICES_AHEAD {
            let Ok(said) = voices.try_recv() else { return };
            self.hear(&said);
            self.show(said).await;
        }
    }

    async fn push(&mut self, assignment: Assignment) {
        // Whatever came of it before does not count.
        self.transport.settled(assignment.plan.bout);
        let now = self.now();
        if let Some(fresh) = self.ledger.push(assignment, now) {
            self.deliver(fresh).await;
        }
    }

    async fn take(&mut self, report: Report) {
        for delivery in &report.deliveries {
            if delivery.result.is_ok() && !self.ledger.is_asked_for(delivery.bout) {
                self.transport.settled(delivery.bout);
            }
        }
        let now = self.now();
        for fresh in self.ledger.report(report, now) {
            self.deliver(fresh).await;
        }
    }

    /// Delivers what a worker says came of a bout, unless that cannot be.
    async fn deliver(&mut self, fresh: Fresh) {
        let Fresh { assignment, worker, delivery } = fresh;
        let bout = delivery.bout;
        let has_results = delivery.result.is_ok();
        let results = match delivery.into_results() {
            Ok(results) => self.judged(&worker, &assignment, results),
            // It is the worker that is stopped, not the run.
            Err(Failure::Cancelled) => return self.hand_out_again(assignment),
            Err(Failure::Infrastructure(why)) => Err(why),
        };
        if let Some((failed, of)) = self.rates.count(&worker, results.is_err()) {
            self.inspect.news(News::FailsOften { worker: worker.clone(), failed, of });
        }
        if results.is_err() {
            self.transport.settled(bout);
            if has_results && self.may_be_played_again(bout, &worker) {
                return self.hand_out_again(assignment);
            }
        }
        self.refused.remove(&bout);
        let failure = |why| Failure::Infrastructure(format!("worker `{worker}`: {why}"));
        self.say(Delivery::of_all(bout, results.map_err(failure)).into()).await;
    }

    fn hand_out_again(&mut self, assignment: Assignment) {
        let now = self.now();
        _ = self.ledger.push(assignment, now);
    }

    /// Counts a refused result of `bout`; returns whether another play may help: it does not when
    /// results of two workers were refused, or several of the only one.
    fn may_be_played_again(&mut self, bout: BoutId, worker: &str) -> bool {
        let first = || Refused { worker: worker.to_owned(), times: 0 };
        let refused = self.refused.entry(bout).or_insert_with(first);
        refused.times += 1;
        let is_alone = self.ledger.workers() <= 1;
        refused.worker == worker && !(is_alone && refused.times >= MOST_REFUSALS)
    }

    /// Returns the results that `worker` sent, unless they do not follow from their plans.
    fn judged(
        &self,
        worker: &str,
        assignment: &Assignment,
        results: Vec<BoutResult>,
    ) -> Result<Vec<BoutResult>, String> {
        let wanted = assignment.plans().count();
        let mut both = assignment.plans().zip(&results);
        let why = match results.len() == wanted {
            true => aside(|| both.find_map(|(plan, result)| self.inspect.wrong(plan, result))),
            false => Some(format!("it has {} results of {wanted} bouts", results.len())),
        };
        let Some(why) = why else { return Ok(results) };
        self.inspect.news(News::Misfit { worker: worker.to_owned(), why: why.clone() });
        Err(why)
    }

    async fn say(&self, event: ExecutorEvent) {
        // Nobody has to listen any more.
        let _ = self.events.send(event).await;
    }

    async fn look_after(&mut self) -> Result<(), ExecutorLost> {
        let now = self.now();
        self.say(ExecutorEvent::Heartbeat(self.ledger.bouts())).await;
        for worker in self.ledger.gone(now) {
            self.offers.remove(&worker);
            self.inspect.news(News::Gone(worker));
        }
        self.complain_of_loneliness(now);
        self.complain_of_unfit_workers(now);
        if self.kept.is_none_or(|kept| now >= kept + KEPT) {
            self.kept = Some(now);
            self.keep(now).await?;
        }
        let lost = self.ledger.overdue(now);
        if !lost.is_empty() {
            self.inspect.news(News::Again(lost.len()));
        }
        Ok(())
    }

    /// Stops the run. Batches that were handed out may still be reported; the next run uses them.
    async fn stop(&mut self) {
        let _ = self.transport.recall().await;
        for bout in self.ledger.give_up() {
            self.say(Delivery::new(bout, Err(Failure::Cancelled)).into()).await;
        }
    }
}
