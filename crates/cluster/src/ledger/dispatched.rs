//! Batches that were sent, with their holders.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use joust_model::BoutId;
use joust_play::executor::Assignment;

use crate::message::{Announcement, Batch};

/// Batches that are out.
#[derive(Default)]
pub(super) struct Dispatch {
    pub(super) batches: BTreeMap<u64, DispatchedBatch>,
    /// The batch of each bout.
    pub(super) places: HashMap<BoutId, u64>,
    /// Batches to send again, before all others.
    pub(super) again: VecDeque<u64>,
    pub(super) next: u64,
}

impl Dispatch {
    /// Returns the batch that contains a bout.
    pub(super) fn batch_of(&self, bout: BoutId) -> Option<&DispatchedBatch> {
        self.batches.get(self.places.get(&bout)?)
    }

    /// Removes a bout from its batch.
    pub(super) fn remove(&mut self, bout: BoutId) -> Option<Assignment> {
        let number = self.places.remove(&bout)?;
        let bouts = &mut self.batches.get_mut(&number)?.batch.bouts;
        let at = bouts.iter().position(|it| it.plan.bout == bout)?;
        let assignment = bouts.remove(at);
        if bouts.is_empty() {
            self.batches.remove(&number);
        }
        Some(assignment)
    }
}

/// A batch that was sent.
pub(super) struct DispatchedBatch {
    pub(super) batch: Batch,
    /// True if it contains bouts of other classes.
    pub(super) is_of_several: bool,
    /// Time at which it was last sent.
    pub(super) since: Duration,
    /// The worker that last announced that it holds the batch.
    pub(super) holder: Option<BatchHolder>,
    /// True if the transport was wiped since the batch was sent.
    pub(super) is_wiped: bool,
}

/// The worker that holds a batch.
pub(super) struct BatchHolder {
    pub(super) worker: String,
    /// Instance number of the worker, drawn at its start.
    pub(super) instance: u64,
    /// Time of the first announcement that it holds the batch.
    pub(super) since: Duration,
    /// Time of the last announcement that it holds the batch.
    pub(super) heard: Duration,
    /// Time of the first announcement that it no longer holds the batch.
    pub(super) dropped: Option<Duration>,
}

impl DispatchedBatch {
    pub(super) fn new(batch: Batch, is_of_several: bool, now: Duration) -> Self {
        Self { batch, is_of_several, since: now, holder: None, is_wiped: false }
    }

    /// Begins a further attempt.
    pub(super) fn begin_attempt(&mut self, now: Duration) {
        self.batch.attempt += 1;
        (self.since, self.holder, self.is_wiped) = (now, None, false);
    }

    /// Records a worker's announcement; `epoch` is that of the coordinator that made the batch.
    pub(super) fn record_announcement(
        &mut self,
        announcement: &Announcement,
        epoch: u64,
        now: Duration,
    ) {
        let is_of_epoch = announcement.epoch == epoch;
        let is_held = is_of_epoch && announcement.held.contains(&self.batch.number);
        let (worker, instance) = (&announcement.worker, announcement.instance);
        match &mut self.holder {
            Some(held) if is_held && (&held.worker, held.instance) == (worker, instance) => {
                (held.heard, held.dropped) = (now, None);
            }
            held if is_held => {
                // A restarted worker still counts as the holder.
                let before = held.as_ref().filter(|held| held.worker == *worker);
                let since = before.map_or(now, |held| held.since);
                let (heard, dropped) = (now, None);
                *held =
                    Some(BatchHolder { worker: worker.clone(), instance, since, heard, dropped });
            }
            // After a restart, a worker holds none of its former batches.
            Some(held) if held.worker == *worker && (is_of_epoch || held.instance != instance) => {
                held.dropped.get_or_insert(now);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use joust_play::executor::MachineOffer;
    use joust_sandbox::Tier;

    use super::*;
    use crate::message::ClassId;

    #[test]
    fn who_lives_anew_each_time_holds_a_batch_no_longer() {
        let class = ClassId("c".to_owned());
        let batch = Batch { epoch: 1, number: 7, attempt: 0, class, bouts: Vec::new() };
        let mut out = DispatchedBatch::new(batch, false, Duration::ZERO);
        let offer = || MachineOffer { cores: 1, tier: Tier::A, toolchains: [].into() };
        let held_since =
            |out: &DispatchedBatch| out.holder.as_ref().map(|held| held.since.as_secs());
        for at in 1..=9 {
            let instance = at;
            let held = [7].into();
            let announcement =
                Announcement { instance, held, epoch: 1, ..Announcement::new("one", offer()) };
            out.record_announcement(&announcement, 1, Duration::from_secs(at));
            assert_eq!(held_since(&out), Some(1));
        }
        let held = [7].into();
        let announcement = Announcement { held, epoch: 1, ..Announcement::new("other", offer()) };
        out.record_announcement(&announcement, 1, Duration::from_secs(20));
        assert_eq!(held_since(&out), Some(20), "it is in other hands");
    }
}
