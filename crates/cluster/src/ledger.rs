//! Ledger of a coordinator: which bouts wait, which batches are out, what comes of them.
//!
//! Plain data without a clock: every question is asked with the time since the coordinator
//! began. A bout is in one place: it waits, or is in one batch. A batch is handed out again
//! when its worker fell silent, and when no worker names it although one names a later one;
//! which of the attempts is reported first is no matter.

mod batch_classes;
mod batching;
mod dispatched;
mod durations;
mod premature;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use joust_model::BoutId;
use joust_play::executor::{Assignment, Delivery, Failure, MachineOffer};

use crate::message::{Announcement, Class, ClassId, MirrorGroup, Report, WorkerState};
use dispatched::{Dispatch, DispatchedBatch};
use durations::DurationEstimates;
use premature::PrematureReports;

/// The most processors that a worker is believed to have.
const MOST_CORES: usize = 4096;
/// Number of missed announcements after which a worker counts as gone.
const SILENT_BEATS: u32 = 3;
/// Time for which a class is announced after the last of its batches went out.
const OUT_OF_USE: Duration = Duration::from_secs(30);
/// Longest time that a report may be on its way, whether or not the transport was wiped since it
/// was sent.
const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// A result for a bout that waits for one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewResult {
    pub(crate) assignment: Assignment,
    pub(crate) worker: String,
    pub(crate) delivery: Delivery,
}

/// Longest silences of the parties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) lease: Duration,
    pub(crate) beat: Duration,
}

/// A bout that waits.
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
    /// True once it has played, so that its offer is what it was measured to have.
    plays: bool,
    at: Duration,
}

/// Bouts that wait, in the order in which they are handed out.
#[derive(Default)]
struct BoutQueue {
    waiting: VecDeque<PendingBout>,
    bouts: HashSet<BoutId>,
    /// Time of the newest bout.
    newest: Duration,
    /// True if no more bouts will come.
    is_complete: bool,
}

pub(crate) struct Ledger {
    epoch: u64,
    timeouts: Timeouts,
    queue: BoutQueue,
    dispatch: Dispatch,
    premature: PrematureReports,
    durations: DurationEstimates,
    classes: BTreeMap<ClassId, Class>,
    /// Time at which a batch of each class last went out.
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
        Self {
            epoch,
            timeouts,
            queue: BoutQueue::default(),
            dispatch: Dispatch::default(),
            premature: PrematureReports::default(),
            durations: DurationEstimates::default(),
            classes: BTreeMap::new(),
            went_out: HashMap::new(),
            workers: BTreeMap::new(),
            newest: HashMap::new(),
        }
    }

    /// Returns the classes of the batches that are out, and of those that were not long ago.
    pub(crate) fn classes(&self, now: Duration) -> Vec<Class> {
        let out: BTreeSet<&ClassId> =
            self.dispatch.batches.values().map(|out| &out.batch.class).collect();
        let is_new = |id: &ClassId| self.went_out.get(id).is_some_and(|at| *at + OUT_OF_USE >= now);
        let is_used = |class: &&Class| out.contains(&class.id) || is_new(&class.id);
        self.classes.values().filter(is_used).cloned().collect()
    }

    /// Returns the classes of batches that no worker has claimed for longer than `patience`.
    pub(crate) fn unclaimed_classes(&self, now: Duration, patience: Duration) -> Vec<Class> {
        let is_old = |out: &&DispatchedBatch| out.holder.is_none() && out.since + patience < now;
        let ids: BTreeSet<&ClassId> =
            self.dispatch.batches.values().filter(is_old).map(|out| &out.batch.class).collect();
        ids.into_iter().filter_map(|id| self.classes.get(id)).cloned().collect()
    }

    /// Returns whether no bout waits and no batch is out.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.waiting.is_empty() && self.dispatch.batches.is_empty()
    }

    /// Takes a bout to play; one that was reported before is not played again.
    pub(crate) fn add_bout(&mut self, assignment: Assignment, now: Duration) -> Option<NewResult> {
        self.queue.newest = now;
        if let Some((worker, delivery)) = self.premature.take_for(&assignment) {
            return Some(NewResult { assignment, worker, delivery });
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

    /// Takes all that no worker is known to hold, to be played by nobody.
    pub(crate) fn abandon_all(&mut self) -> Vec<BoutId> {
        let waiting = self.queue.waiting.drain(..).map(|it| it.assignment.plan.bout);
        let out = std::mem::take(&mut self.dispatch.batches).into_values();
        let out = out.flat_map(|it| it.batch.bouts.into_iter().map(|it| it.plan.bout));
        self.dispatch.places.clear();
        self.queue.bouts.clear();
        waiting.chain(out).collect()
    }

    /// Returns every bout that waits or is out.
    pub(crate) fn bouts(&self) -> Vec<BoutId> {
        let waiting = self.queue.waiting.iter().map(|it| it.assignment.plan.bout);
        waiting.chain(self.dispatch.places.keys().copied()).collect()
    }

    /// Returns whether a bout waits or is out.
    pub(crate) fn is_requested(&self, bout: BoutId) -> bool {
        self.dispatch.places.contains_key(&bout) || self.queue.bouts.contains(&bout)
    }

    /// Records a report; returns its new results.
    pub(crate) fn record_report(&mut self, mut report: Report, now: Duration) -> Vec<NewResult> {
        for bout in &report.returned {
            // Somebody else may have what an older report gives back.
            if self.is_current(*bout, &report)
                && let Some(assignment) = self.remove_bout(*bout)
            {
                self.requeue_bout(assignment);
            }
        }
        let mut fresh = Vec::new();
        let deliveries = std::mem::take(&mut report.deliveries);
        for delivery in deliveries {
            // A failure is its holder's, which alone can have begun the bout.
            let is_failure = matches!(delivery.result, Err(Failure::Infrastructure(_)));
            if is_failure && !self.is_current(delivery.bout, &report) {
                continue;
            }
            self.record_duration(&delivery, now);
            match self.remove_bout(delivery.bout) {
                Some(assignment) => {
                    let worker = report.worker.clone();
                    fresh.push(NewResult { assignment, worker, delivery });
                }
                None => self.premature.keep(&report.worker, delivery),
            }
        }
        fresh
    }

    /// Returns whether a report is for the batch that holds a bout, in its latest attempt, and not
    /// from a worker other than its holder.
    fn is_current(&self, bout: BoutId, report: &Report) -> bool {
        let out = self.dispatch.batch_of(bout);
        let is_it = |out: &DispatchedBatch| {
            let is_holder = out.holder.as_ref().is_none_or(|held| held.worker == report.worker);
            is_holder && (out.batch.number, out.batch.attempt) == (report.batch, report.attempt)
        };
        report.epoch == self.epoch && out.is_some_and(is_it)
    }

    /// Learns how long bouts take. No bout took longer than it was out, whatever its result says.
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

    /// Takes a bout out of the queue or of its batch.
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
            // It measures again, or ends.
            Some(before) => before.offer.clone(),
            None => MachineOffer { cores, ..announcement.offer.clone() },
        };
        let plays = before.is_some() || announcement.state == WorkerState::Playing;
        let known = KnownWorker { offer, plays, at: now };
        self.workers.insert(announcement.worker.clone(), known).is_none()
    }

    /// Forgets workers that are silent, and returns their names.
    pub(crate) fn remove_silent_workers(&mut self, now: Duration) -> Vec<String> {
        let most = self.timeouts.beat * SILENT_BEATS;
        let gone = self.workers.extract_if(.., |_, seen| seen.at + most < now);
        gone.map(|(name, _)| name).collect()
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
        let took = self.durations.overall().unwrap_or(patience);
        let bouts = u32::try_from(4 * out.batch.bouts.len()).unwrap_or(u32::MAX);
        let bouts_take = took.saturating_mul(bouts);
        let Some(held) = &out.holder else {
            // Those that wait are taken in their order.
            return out.since + patience * 4 + bouts_take < now
                || self.newest.get(&out.batch.class).is_some_and(|(other, heard)| {
                    number < *other && heard.max(&out.since).saturating_add(patience) < now
                });
        };
        // What a worker holds no longer it has reported, or given back for somebody else.
        let on_its_way = if out.is_wiped { ON_ITS_WAY } else { patience / 2 };
        // One that holds a batch for ever keeps nobody waiting for ever.
        let times = 1 << out.batch.attempt.min(10);
        let most = (patience * 4).saturating_add(bouts_take).saturating_mul(times);
        held.heard + patience < now
            || held.dropped.is_some_and(|dropped| dropped + on_its_way < now)
            || held.since.saturating_add(most) < now
    }

    /// Requeues the batches that no worker holds, after the transport lost what waited; returns how many.
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

#[cfg(test)]
mod tests;
