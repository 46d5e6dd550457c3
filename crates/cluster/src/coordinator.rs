//! Coordinator: the executor whose bouts are played on other machines.
//!
//! It owns a [`Ledger`] and speaks to a transport. Every result is inspected before it is
//! delivered: one that does not follow from its plan and its actions is no result, and says
//! who sent it. What a transport loses is handed out again; what comes twice is dropped.

mod guests;
mod misfits;
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
use joust_model::{BoutId, BoutPlan, BoutResult, BuildHash, escaped};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, ExecutorLost, Failure, MachineOffer,
};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::mpsc::{Receiver, Sender};

use misfits::Misfits;
use pump::{Pump, pump};

use crate::checks::{Carried, Left};
use crate::ledger::{Fresh, Ledger, Silence};
use crate::message::{Announcement, ClassId, Report, Stage};
use crate::news::News;
use crate::signature::Signature;
use crate::time::{Moment, Ticks};
use crate::transport::CoordinatorSide;
use crate::trust::{Finding, is_guest};

/// How often a coordinator looks after everything.
const TICK: Duration = Duration::from_millis(500);
/// How often it has the transport keep what is played.
const KEPT: Duration = Duration::from_secs(1);
/// How often it looks for batches of which nobody says anything: each look costs the server more
/// than a bout costs it.
const LOOKED_FOR: Duration = Duration::from_secs(4);
/// How many bouts are asked for ahead, at most; see [`Executor::parallel`].
const PARALLEL: usize = 1024;
/// How many reports are read ahead, each of which may have 128 MiB of logs, and announcements.
const REPORTS_AHEAD: usize = 2;
const VOICES_AHEAD: usize = 64;
/// How long a coordinator waits before it says that nobody plays.
const LONELY: Duration = Duration::from_secs(5);

/// Judges results that came from elsewhere.
pub trait Inspect: Send + Sync + 'static {
    /// Returns what is wrong with a result of `plan`; `None` when it follows from what it
    /// says the bots did.
    fn wrong(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String>;

    /// Hears of a result for a bout that was not asked for any more, or not yet: another
    /// machine may have played it, too.
    fn beside(&self, worker: &str, result: &BoutResult);

    /// Hears of a guest's signature of a result that counts, or is played a second time.
    fn signed(&self, _guest: &str, _signature: &Signature) {}

    /// Hears of a guest's result that does not count, because workers of one's own played the
    /// bout otherwise.
    fn caught(&self, _guest: &str, _refused: &BoutResult, _finding: Finding) {}

    /// Returns a build, packed for a worker.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    fn packed(&self, build: &BuildHash) -> io::Result<Vec<u8>>;

    /// Hears of what happens.
    fn news(&self, news: News);

    /// Says whether somebody looks at bouts while they are played.
    fn is_watched(&self) -> bool {
        false
    }
}

/// What a coordinator is told.
pub struct Terms {
    /// What is played. Its epoch is that of the first use, its classes are found out.
    pub stage: Stage,
    /// How often workers announce themselves.
    pub beat: Duration,
    /// Whether to stop.
    pub cancel: Cancel,
    /// Whether workers of others may play.
    pub welcome: Welcome,
}

/// Whether workers of others may play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Welcome {
    /// One's own only.
    Own,
    /// Guests, too.
    Guests {
        /// Decides which of their bouts are played a second time; known to nobody else.
        secret: u64,
    },
}

/// Has bouts played by workers.
pub struct Coordinator<T, I> {
    transport: Arc<T>,
    inspect: Arc<I>,
    terms: Arc<Terms>,
    uses: AtomicU64,
    /// What a use before knows of workers.
    left: Left,
}

impl<T: CoordinatorSide, I: Inspect> Coordinator<T, I> {
    /// Makes a coordinator over `transport`.
    #[must_use]
    pub fn new(transport: Arc<T>, inspect: Arc<I>, terms: Terms) -> Self {
        let (terms, uses, left) = (Arc::new(terms), AtomicU64::new(0), Left::default());
        Self { transport, inspect, terms, uses, left }
    }
}

impl<T: CoordinatorSide, I: Inspect> Executor for Coordinator<T, I> {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let (transport, inspect) = (Arc::clone(&self.transport), Arc::clone(&self.inspect));
        let (terms, left) = (Arc::clone(&self.terms), Arc::clone(&self.left));
        let epoch = terms.stage.epoch + self.uses.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let mut stage = terms.stage.clone();
            stage.epoch = epoch;
            let secret = match terms.welcome {
                Welcome::Own => 0,
                Welcome::Guests { secret } => secret,
            };
            stage.guests.are_welcome = terms.welcome != Welcome::Own;
            let checks = Carried::take(&left, secret);
            stage.guests.aside.extend(checks.aside().iter().cloned());
            let silence = Silence { lease: stage.lease, beat: terms.beat };
            let mut ledger = Ledger::new(epoch, silence);
            if !stage.guests.are_welcome {
                ledger.refuse_guests();
            }
            let mut desk = Desk {
                ledger,
                transport,
                inspect,
                stage,
                events,
                checks,
                misfits: Misfits::default(),
                machines: HashMap::new(),
                offers: BTreeMap::new(),
                unfit: BTreeSet::new(),
                began: Moment::now(),
                has_room: false,
                lacks_builds: false,
                kept: None,
                looked_for: None,
                away: None,
                is_stuck: false,
                lacks_own: false,
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

/// A coordinator at work.
struct Desk<T, I> {
    ledger: Ledger,
    checks: Carried,
    misfits: Misfits,
    transport: Arc<T>,
    inspect: Arc<I>,
    stage: Stage,
    events: Sender<ExecutorEvent>,
    /// The machine that each worker says it is.
    machines: HashMap<String, String>,
    /// What the workers that play offer.
    offers: BTreeMap<String, MachineOffer>,
    /// Classes of which it was told that nobody can play them.
    unfit: BTreeSet<ClassId>,
    began: Moment,
    /// Whether there is room for its batches.
    has_room: bool,
    /// Whether the transport lost the builds.
    lacks_builds: bool,
    /// When the transport last kept what is played.
    kept: Option<Duration>,
    /// When batches were last looked for of which nobody says anything.
    looked_for: Option<Duration>,
    /// Since when the transport does not answer.
    away: Option<Duration>,
    /// Whether the transport takes no bouts.
    is_stuck: bool,
    /// Whether it was told that no worker of one's own is there.
    lacks_own: bool,
    /// Since when no worker is there, until that was told.
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

    /// Hears what was said meanwhile: nobody is gone because a result took long to judge.
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
        let report = self.sifted(report);
        for delivery in &report.deliveries {
            if delivery.result.is_ok() && !self.ledger.is_asked_for(delivery.bout) {
                delivery.results().for_each(|it| self.inspect.beside(&report.worker, it));
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
        if !self.counts(&worker) {
            return self.hand_out_again(assignment);
        }
        let results = match delivery.into_results() {
            Ok(results) => match self.wrong(&worker, &assignment, &results) {
                None => Ok(results),
                Some(why) if self.may_be_played_elsewhere(bout, &worker, &why) => {
                    self.count(&worker, None);
                    self.transport.settled(bout);
                    return match is_guest(&worker) {
                        true => self.play_by_own(assignment),
                        false => self.hand_out_again(assignment),
                    };
                }
                Some(why) => Err(Failure::Infrastructure(format!("worker `{worker}`: {why}"))),
            },
            // It is the worker that is stopped, not the run.
            Err(Failure::Cancelled) => return self.hand_out_again(assignment),
            Err(Failure::Infrastructure(why)) => {
                Err(Failure::Infrastructure(format!("worker `{worker}`: {why}")))
            }
        };
        self.count(&worker, results.as_deref().ok());
        let results = match results {
            Ok(results) => match self.checked(&worker, &assignment, results) {
                Some(results) => Ok(results),
                None => return,
            },
            // A guest voids nothing.
            Err(_) if is_guest(&worker) => {
                self.transport.settled(bout);
                return self.play_by_own(assignment);
            }
            Err(failure) => {
                self.checks.forget(bout);
                self.transport.settled(bout);
                Err(failure)
            }
        };
        self.misfits.forget(bout);
        self.say(Delivery::of_all(bout, results).into()).await;
    }

    /// Has a bout played by somebody, or by a worker of one's own where that was so before.
    fn hand_out_again(&mut self, assignment: Assignment) {
        let now = self.now();
        match self.checks.is_open(assignment.plan.bout) {
            true => self.ledger.push_own(assignment, now),
            false => _ = self.ledger.push(assignment, now),
        }
    }

    /// Returns what is wrong with the results that `worker` sent.
    fn wrong(
        &self,
        worker: &str,
        assignment: &Assignment,
        results: &[BoutResult],
    ) -> Option<String> {
        let wanted = assignment.plans().count();
        if results.len() != wanted {
            return Some(format!("it has {} results of {wanted} bouts", results.len()));
        }
        let mut both = assignment.plans().zip(results);
        both.find_map(|(plan, result)| self.wrong_one(worker, plan, result))
    }

    fn wrong_one(&self, worker: &str, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let own = self.machines.get(worker).filter(|own| **own != result.machine);
        let foreign = own.map(|own| {
            let said = escaped(&result.machine);
            format!("it names machine `{said}`, and the worker is on `{}`", escaped(own))
        });
        foreign.or_else(|| aside(|| self.inspect.wrong(plan, result)))
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
        for worker in self.transport.unreadable() {
            let why = "nobody can read what it sends".to_owned();
            self.set_aside(worker, why);
        }
        self.complain_of_loneliness(now);
        self.complain_of_unfit_workers(now);
        if self.kept.is_none_or(|kept| now >= kept + KEPT) {
            self.kept = Some(now);
            self.keep(now).await?;
        }
        if self.looked_for.is_none_or(|looked| now >= looked + LOOKED_FOR) {
            self.looked_for = Some(now);
            self.look_for_unheard(now).await;
        }
        let lost = self.ledger.overdue(now);
        if !lost.is_empty() {
            self.inspect.news(News::Again(lost.len()));
            if self.stage.guests.are_welcome && self.has_own_worker() {
                self.ledger.keep_from_guests(&lost, now);
            }
        }
        Ok(())
    }

    /// What is out may still be reported; the next run takes it.
    async fn stop(&mut self) {
        let _ = self.transport.recall().await;
        for bout in self.ledger.give_up() {
            self.say(Delivery::new(bout, Err(Failure::Cancelled)).into()).await;
        }
    }
}
