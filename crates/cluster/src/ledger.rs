//! Ledger of a coordinator: waiting bouts, batches that are out, and workers.
//!
//! It is plain data without a clock: callers pass the time since the coordinator began. A bout is
//! in one place: in the queue, or in one batch. A batch is sent again when its worker has been
//! silent for too long, or when no worker has claimed it although a later batch was claimed. The
//! first report of any attempt counts. A report of a bout that was not requested yet, as after a
//! restart of the coordinator, is kept until it is.

mod batching;
mod dispatched;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use joust_model::{BoutId, BoutPlan};
use joust_play::executor::{Assignment, Delivery, Failure, MachineOffer};

use crate::message::{Announcement, Class, ClassId, MirrorGroup, Report, WorkerState};
use batching::DurationEstimates;
use dispatched::{Dispatch, DispatchedBatch};

/// The most processors that a worker's offer is credited with.
const MOST_CORES: usize = 4096;
/// Number of missed announcements after which a worker counts as gone.
const SILENT_BEATS: u32 = 3;
/// Time for which a class is announced after its last batch was sent.
const OUT_OF_USE: Duration = Duration::from_secs(30);
/// The longest time that a report is assumed to be in transit after the transport was wiped.
const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// The first result of a requested bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewResult {
    pub(crate) assignment: Assignment,
    pub(crate) worker: String,
    pub(crate) delivery: Delivery,
    /// True unless another worker holds the bout, or nobody does.
    pub(crate) is_of_holder: bool,
}

/// Timeouts of workers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timeouts {
    pub(crate) lease: Duration,
    pub(crate) beat: Duration,
}

/// A queued bout.
struct PendingBout {
    assignment: Assignment,
    class: ClassId,
}

impl PendingBout {
    fn mirror_group(&self) -> MirrorGroup {
        MirrorGroup::of(&self.assignment.plan)
    }
}

/// Last announcement of a worker.
struct KnownWorker {
    offer: MachineOffer,
    /// True once it has played, which means that its offer was measured.
    plays: bool,
    at: Duration,
}

/// Queued bouts, in the order in which they will be sent.
#[derive(Default)]
struct BoutQueue {
    waiting: VecDeque<PendingBout>,
    bouts: HashSet<BoutId>,
    /// Time at which the newest bout was added.
    newest: Duration,
    /// True if no more bouts will come.
    is_complete: bool,
}

#[derive(Default)]
pub(crate) struct Ledger {
    epoch: u64,
    timeouts: Timeouts,
    queue: BoutQueue,
    dispatch: Dispatch,
    premature: PrematureReports,
    durations: DurationEstimates,
    classes: BTreeMap<ClassId, Class>,
    /// Time at which a batch of each class was last sent.
    went_out: HashMap<ClassId, Duration>,
    workers: BTreeMap<String, KnownWorker>,
    /// Newest batch of each class that a worker announced, with the time of its first announcement.
    newest: HashMap<ClassId, (u64, Duration)>,
}

impl BoutQueue {
    fn remove(&mut self, bout: BoutId) -> Option<Assignment> {
        if !self.bouts.remove(&bout) {
            return None;
        }
        let at = self.waiting.iter().position(|it| it.assignment.plan.bout == bout)?;
        self.waiting.remove(at).map(|it| it.assignment)
    }
}

impl Ledger {
    pub(crate) fn new(epoch: u64, timeouts: Timeouts) -> Self {
        Self { epoch, timeouts, ..Self::default() }
    }

    /// Returns the classes of the batches that are out, and of recent ones.
    pub(crate) fn classes(&self, now: Duration) -> Vec<Class> {
        let out: BTreeSet<&ClassId> =
            self.dispatch.batches.values().map(|out| &out.batch.class).collect();
        let is_new = |id: &ClassId| self.went_out.get(id).is_some_and(|at| *at + OUT_OF_USE >= now);
        let is_used = |class: &&Class| out.contains(&class.id) || is_new(&class.id);
        self.classes.values().filter(is_used).cloned().collect()
    }

    /// Returns the classes of batches that are unclaimed for longer than `patience`.
    pub(crate) fn unclaimed_classes(&self, now: Duration, patience: Duration) -> Vec<Class> {
        let is_old = |out: &&DispatchedBatch| out.holder.is_none() && out.since + patience < now;
        let ids: BTreeSet<&ClassId> =
            self.dispatch.batches.values().filter(is_old).map(|out| &out.batch.class).collect();
        ids.into_iter().filter_map(|id| self.classes.get(id)).cloned().collect()
    }

    /// Returns whether no bout is queued and no batch is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.waiting.is_empty() && self.dispatch.batches.is_empty()
    }

    /// Adds a bout. If it was reported before, it is not queued, and its result is returned.
    pub(crate) fn add_bout(&mut self, assignment: Assignment, now: Duration) -> Option<NewResult> {
        self.queue.newest = now;
        if let Some((worker, delivery)) = self.premature.take_for(&assignment) {
            return Some(NewResult { assignment, worker, delivery, is_of_holder: false });
        }
        let class = self.class_of(&assignment);
        self.queue.bouts.insert(assignment.plan.bout);
        self.queue.waiting.push_back(PendingBout { assignment, class });
        None
    }

    fn requeue_bout(&mut self, assignment: Assignment) {
        let class = self.class_of(&assignment);
        self.queue.bouts.insert(assignment.plan.bout);
        self.queue.waiting.push_front(PendingBout { assignment, class });
    }

    fn class_of(&mut self, assignment: &Assignment) -> ClassId {
        let class = ClassId::of(&assignment.needs);
        let new = || Class { id: class.clone(), needs: assignment.needs.clone() };
        self.classes.entry(class.clone()).or_insert_with(new);
        class
    }

    /// Records that no more bouts will come.
    pub(crate) fn close(&mut self) {
        self.queue.is_complete = true;
    }

    /// Removes all queued bouts and all batches, and returns the bouts.
    pub(crate) fn abandon_all(&mut self) -> Vec<BoutId> {
        let waiting = self.queue.waiting.drain(..).map(|it| it.assignment.plan.bout);
        let out = std::mem::take(&mut self.dispatch.batches).into_values();
        let out = out.flat_map(|it| it.batch.bouts.into_iter().map(|it| it.plan.bout));
        self.dispatch.places.clear();
        self.queue.bouts.clear();
        waiting.chain(out).collect()
    }

    /// Returns all bouts that are queued or out.
    pub(crate) fn bouts(&self) -> Vec<BoutId> {
        let waiting = self.queue.waiting.iter().map(|it| it.assignment.plan.bout);
        waiting.chain(self.dispatch.places.keys().copied()).collect()
    }

    /// Returns whether a bout is queued or out.
    pub(crate) fn is_requested(&self, bout: BoutId) -> bool {
        self.dispatch.places.contains_key(&bout) || self.queue.bouts.contains(&bout)
    }

    /// Records a report; returns its new results.
    pub(crate) fn record_report(&mut self, mut report: Report, now: Duration) -> Vec<NewResult> {
        for bout in &report.returned {
            // The bouts that an outdated report gives back may be with another worker already.
            if self.is_current(*bout, &report)
                && let Some(assignment) = self.remove_bout(*bout)
            {
                self.requeue_bout(assignment);
            }
        }
        let mut fresh = Vec::new();
        let deliveries = std::mem::take(&mut report.deliveries);
        for delivery in deliveries {
            // Only the current holder can have begun the bout, so failures from others are ignored.
            let is_of_holder = self.is_current(delivery.bout, &report);
            let is_failure = matches!(delivery.result, Err(Failure::Infrastructure(_)));
            if is_failure && !is_of_holder {
                continue;
            }
            self.record_duration(&delivery, now);
            match self.remove_bout(delivery.bout) {
                Some(assignment) => {
                    let worker = report.worker.clone();
                    fresh.push(NewResult { assignment, worker, delivery, is_of_holder });
                }
                None => self.premature.keep(&report.worker, delivery),
            }
        }
        fresh
    }

    /// Returns whether a report is for the batch that contains a bout, for its latest attempt, and
    /// not from a worker other than its holder.
    fn is_current(&self, bout: BoutId, report: &Report) -> bool {
        let out = self.dispatch.batch_of(bout);
        let is_it = |out: &DispatchedBatch| {
            let is_holder = out.holder.as_ref().is_none_or(|held| held.worker == report.worker);
            is_holder && (out.batch.number, out.batch.attempt) == (report.batch, report.attempt)
        };
        report.epoch == self.epoch && out.is_some_and(is_it)
    }

    /// Updates the estimates with a result's duration, limited to the time for which the bout was
    /// out.
    fn record_duration(&mut self, delivery: &Delivery, now: Duration) {
        let out = self.dispatch.batch_of(delivery.bout);
        let is_fresh = |out: &&DispatchedBatch| out.batch.attempt == 0 && delivery.result.is_ok();
        let Some(out) = out.filter(is_fresh) else { return };
        let most = now.saturating_sub(out.since);
        let took = delivery.results().fold(Duration::ZERO, |sum, it| sum.saturating_add(it.took));
        if let Some(it) = out.batch.bouts.iter().find(|it| it.plan.bout == delivery.bout) {
            self.durations.record(&it.plan, took.min(most));
        }
    }

    /// Removes a bout from the queue or from its batch.
    fn remove_bout(&mut self, bout: BoutId) -> Option<Assignment> {
        self.dispatch.remove(bout).or_else(|| self.queue.remove(bout))
    }

    /// Records a worker's announcement; returns whether the worker is new.
    pub(crate) fn record_announcement(
        &mut self,
        announcement: &Announcement,
        now: Duration,
    ) -> bool {
        for (number, out) in &mut self.dispatch.batches {
            out.record_announcement(announcement, self.epoch, now);
            if announcement.epoch == self.epoch && announcement.held.contains(number) {
                let newest = self.newest.entry(out.batch.class.clone()).or_insert((*number, now));
                if newest.0 < *number {
                    *newest = (*number, now);
                }
            }
        }
        let cores = announcement.offer.cores.clamp(1, MOST_CORES);
        let before = self.workers.get(&announcement.worker).filter(|it| it.plays);
        let offer = match before.filter(|_| announcement.state != WorkerState::Playing) {
            // The worker is measuring again, or ending.
            Some(before) => before.offer.clone(),
            None => MachineOffer { cores, ..announcement.offer.clone() },
        };
        let plays = before.is_some() || announcement.state == WorkerState::Playing;
        let known = KnownWorker { offer, plays, at: now };
        self.workers.insert(announcement.worker.clone(), known).is_none()
    }

    /// Removes silent workers, and returns their names.
    pub(crate) fn remove_silent_workers(&mut self, now: Duration) -> Vec<String> {
        let most = self.timeouts.beat * SILENT_BEATS;
        let gone = self.workers.extract_if(.., |_, seen| seen.at + most < now);
        gone.map(|(name, _)| name).collect()
    }

    /// Removes a worker. Its batches are lost when it was silent for too long.
    pub(crate) fn remove_worker(&mut self, worker: &str) {
        self.workers.remove(worker);
    }

    /// Returns how many workers there are.
    pub(crate) fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Requeues lost batches, each as a further attempt; returns their numbers.
    pub(crate) fn requeue_overdue(&mut self, now: Duration) -> Vec<u64> {
        let lost =
            self.dispatch.batches.iter().filter(|(number, out)| self.is_lost(**number, out, now));
        let lost: Vec<u64> = lost.map(|(number, _)| *number).collect();
        self.requeue_batches(&lost, now);
        lost
    }

    fn is_lost(&self, number: u64, out: &DispatchedBatch, now: Duration) -> bool {
        let Timeouts { lease, beat } = self.timeouts;
        let patience = lease + beat * SILENT_BEATS;
        let took = self.durations.overall.unwrap_or(patience);
        let bouts = u32::try_from(4 * out.batch.bouts.len()).unwrap_or(u32::MAX);
        let bouts_take = took.saturating_mul(bouts);
        let Some(held) = &out.holder else {
            // Workers take waiting batches in order.
            return out.since + patience * 4 + bouts_take < now
                || self.newest.get(&out.batch.class).is_some_and(|(other, heard)| {
                    number < *other && heard.max(&out.since).saturating_add(patience) < now
                });
        };
        // A worker that released a batch has reported it or given it back.
        let on_its_way = if out.is_wiped { ON_ITS_WAY } else { patience / 2 };
        // A worker that holds a batch forever delays the run for a limited time only.
        let times = 1 << out.batch.attempt.min(10);
        let most = (patience * 4).saturating_add(bouts_take).saturating_mul(times);
        held.heard + patience < now
            || held.dropped.is_some_and(|dropped| dropped + on_its_way < now)
            || held.since.saturating_add(most) < now
    }

    /// Requeues the batches that no worker holds, after the transport lost its messages; returns
    /// their number.
    pub(crate) fn requeue_after_wipe(&mut self, now: Duration) -> usize {
        let fresh = self.timeouts.beat * SILENT_BEATS;
        let is_held = |out: &DispatchedBatch| {
            let held = out.holder.as_ref();
            held.is_some_and(|held| held.heard + fresh >= now && held.dropped.is_none())
        };
        self.dispatch.batches.values_mut().for_each(|out| out.is_wiped = true);
        let lost = self.dispatch.batches.iter().filter(|(_, out)| !is_held(out));
        let lost: Vec<u64> = lost.map(|(number, _)| *number).collect();
        self.requeue_batches(&lost, now);
        lost.len()
    }

    fn requeue_batches(&mut self, numbers: &[u64], now: Duration) {
        for number in numbers {
            let Some(out) = self.dispatch.batches.get_mut(number) else { continue };
            out.begin_attempt(now);
            if !self.dispatch.again.contains(number) {
                self.dispatch.again.push_back(*number);
            }
        }
    }
}

/// The most results that are kept.
const MOST_PREMATURE: usize = 4096;
/// The most bytes of such results, measured as encoded.
const MOST_PREMATURE_BYTES: usize = 256 << 20;

/// Results of bouts that were not requested yet.
#[derive(Default)]
pub(super) struct PrematureReports {
    pub(super) reports: HashMap<BoutId, PrematureReport>,
    pub(super) bytes: usize,
}

/// Result that was reported before its bout was requested.
pub(super) struct PrematureReport {
    worker: String,
    delivery: Delivery,
    bytes: usize,
}

impl PrematureReports {
    /// Keeps a result if there is room.
    fn keep(&mut self, worker: &str, delivery: Delivery) {
        let bytes = bytes_of(&delivery);
        let has_room = self.reports.len() < MOST_PREMATURE
            && self.bytes.saturating_add(bytes) <= MOST_PREMATURE_BYTES;
        if delivery.result.is_ok() && has_room {
            let (bout, worker) = (delivery.bout, worker.to_owned());
            self.bytes += bytes;
            let before = self.reports.insert(bout, PrematureReport { worker, delivery, bytes });
            self.bytes -= before.map_or(0, |it| it.bytes);
        }
    }

    /// Removes and returns the result of an assignment, with its worker; drops it if it does not
    /// match the assignment.
    fn take_for(&mut self, assignment: &Assignment) -> Option<(String, Delivery)> {
        let PrematureReport { worker, delivery, bytes } =
            self.reports.remove(&assignment.plan.bout)?;
        self.bytes -= bytes;
        let keys = delivery.results().map(|result| result.key);
        keys.eq(assignment.plans().map(BoutPlan::key)).then_some((worker, delivery))
    }
}

/// Returns the encoded size of a result. It was not checked yet, so any field may be long.
fn bytes_of(delivery: &Delivery) -> usize {
    rmp_serde::to_vec_named(delivery).map_or(usize::MAX, |bytes| bytes.len())
}

#[cfg(test)]
mod tests;
