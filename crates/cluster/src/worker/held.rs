//! Held batches of a worker, and the results of their bouts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::time::Duration;

use joust_model::BoutId;
use joust_play::executor::{Assignment, Delivery};
use tokio::time::Instant;

use crate::message::{Batch, MirrorGroup, Report};
use crate::transport::ReceivedBatch;

/// Identity of a batch: its coordinator's epoch and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BatchId {
    epoch: u64,
    number: u64,
}

impl BatchId {
    fn of(batch: &Batch) -> Self {
        Self { epoch: batch.epoch, number: batch.number }
    }
}

/// A batch that the worker holds.
pub(super) struct HeldBatch<L> {
    lease: L,
    renewed: Instant,
    batch: Batch,
    /// Bouts that were not started.
    waiting: VecDeque<Assignment>,
    /// Bouts that are running.
    playing: BTreeSet<BoutId>,
    /// Mirror groups with a started bout.
    begun: HashSet<MirrorGroup>,
    deliveries: Vec<Delivery>,
    returned: Vec<BoutId>,
    /// True while its report is being sent.
    is_reported: bool,
}

/// The batches that the worker holds, in order of arrival.
pub(super) struct HeldBatches<L> {
    batches: BTreeMap<BatchId, HeldBatch<L>>,
    /// Running bouts whose results are no longer needed, with the number of such runs.
    unwanted: HashMap<BoutId, u32>,
}

impl<L: Clone> HeldBatches<L> {
    pub(super) fn new() -> Self {
        Self { batches: BTreeMap::new(), unwanted: HashMap::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Returns the numbers of the held batches of a coordinator.
    pub(super) fn numbers(&self, epoch: u64) -> BTreeSet<u64> {
        let own = self.batches.keys().filter(|batch| batch.epoch == epoch);
        own.map(|batch| batch.number).collect()
    }

    /// Adds a batch; updates the lease if it is held already.
    pub(super) fn add(&mut self, taken: ReceivedBatch<L>, now: Instant) {
        let ReceivedBatch { batch, lease } = taken;
        if let Some(known) = self.batches.get_mut(&BatchId::of(&batch)) {
            (known.lease, known.renewed) = (lease, now);
            known.batch.attempt = known.batch.attempt.max(batch.attempt);
            return;
        }
        let held = HeldBatch {
            lease,
            renewed: now,
            waiting: batch.bouts.iter().cloned().collect(),
            playing: BTreeSet::new(),
            begun: HashSet::new(),
            deliveries: Vec::new(),
            returned: Vec::new(),
            is_reported: false,
            batch,
        };
        self.batches.insert(BatchId::of(&held.batch), held);
    }

    /// Returns how many bouts are waiting or running.
    pub(super) fn bouts(&self) -> usize {
        self.batches.values().map(|it| it.waiting.len() + it.playing.len()).sum()
    }

    /// Returns how many bouts are waiting.
    pub(super) fn waiting(&self) -> usize {
        self.batches.values().map(|it| it.waiting.len()).sum()
    }

    pub(super) fn next_batch(&self) -> Option<BatchId> {
        let is_playing = |bout: &BoutId| self.batches.values().any(|it| it.playing.contains(bout));
        let can_begin =
            |it: &HeldBatch<L>| it.waiting.front().is_some_and(|next| !is_playing(&next.plan.bout));
        self.batches.iter().find(|(_, it)| can_begin(it)).map(|(id, _)| *id)
    }

    /// Starts the next bout.
    pub(super) fn next(&mut self) -> Option<Assignment> {
        let id = self.next_batch()?;
        let batch = self.batches.get_mut(&id)?;
        let next = batch.waiting.pop_front()?;
        batch.begun.insert(MirrorGroup::of(&next.plan));
        batch.playing.insert(next.plan.bout);
        Some(next)
    }

    /// Records a bout's result; ignores bouts that are not running.
    pub(super) fn record_delivery(&mut self, delivery: Delivery) {
        if let Some(times) = self.unwanted.get_mut(&delivery.bout) {
            *times -= 1;
            self.unwanted.retain(|_, times| *times > 0);
            return;
        }
        let batch = self.batches.values_mut().find(|it| it.playing.contains(&delivery.bout));
        let Some(batch) = batch else { return };
        batch.playing.remove(&delivery.bout);
        batch.deliveries.push(delivery);
    }

    /// Gives back the bouts of mirror groups that were not started.
    pub(super) fn give_back_waiting(&mut self) {
        for batch in self.batches.values_mut() {
            let begun = &batch.begun;
            let (exit_conditions, go): (Vec<_>, Vec<_>) = std::mem::take(&mut batch.waiting)
                .into_iter()
                .partition(|it| begun.contains(&MirrorGroup::of(&it.plan)));
            batch.waiting = exit_conditions.into();
            batch.returned.extend(go.into_iter().map(|it| it.plan.bout));
        }
    }

    /// Returns the reports of complete batches.
    pub(super) fn reports(&mut self, worker: &str) -> Vec<Outgoing<L>> {
        let is_whole = |it: &&mut HeldBatch<L>| {
            !it.is_reported && it.waiting.is_empty() && it.playing.is_empty()
        };
        let report = |it: &mut HeldBatch<L>| {
            it.is_reported = true;
            let report = Report {
                worker: worker.to_owned(),
                epoch: it.batch.epoch,
                batch: it.batch.number,
                attempt: it.batch.attempt,
                deliveries: std::mem::take(&mut it.deliveries),
                returned: std::mem::take(&mut it.returned),
            };
            Outgoing { id: BatchId::of(&it.batch), report, lease: it.lease.clone() }
        };
        self.batches.values_mut().filter(is_whole).map(report).collect()
    }

    /// Drops a batch.
    pub(super) fn drop_batch(&mut self, id: BatchId) -> Option<L> {
        let it = self.batches.remove(&id)?;
        for bout in it.playing {
            *self.unwanted.entry(bout).or_default() += 1;
        }
        Some(it.lease)
    }

    /// Drops all batches; returns their leases.
    pub(super) fn drop_all(&mut self) -> Vec<L> {
        let all: Vec<BatchId> = self.batches.keys().copied().collect();
        all.into_iter().filter_map(|id| self.drop_batch(id)).collect()
    }

    /// Drops batches whose last renewal is longer ago than `lease`; returns their number.
    pub(super) fn drop_lapsed(&mut self, lease: Duration, now: Instant) -> usize {
        let lapsed = self.not_renewed_for(lease, now);
        lapsed.into_iter().filter_map(|id| self.drop_batch(id)).count()
    }

    /// Returns the batches whose last renewal is at least `age` ago.
    pub(super) fn not_renewed_for(&self, age: Duration, now: Instant) -> Vec<BatchId> {
        let old = |it: &HeldBatch<L>| now.duration_since(it.renewed) >= age;
        self.batches.iter().filter(|(_, it)| old(it)).map(|(id, _)| *id).collect()
    }

    /// Returns the lease of a batch.
    pub(super) fn lease(&self, id: BatchId) -> Option<L> {
        self.batches.get(&id).map(|it| it.lease.clone())
    }

    /// Records that a lease was renewed.
    pub(super) fn record_renewal(&mut self, id: BatchId, at: Instant) {
        if let Some(it) = self.batches.get_mut(&id) {
            it.renewed = at;
        }
    }
}

/// A report that is being sent.
pub(super) struct Outgoing<L> {
    pub(super) id: BatchId,
    pub(super) report: Report,
    pub(super) lease: L,
}
