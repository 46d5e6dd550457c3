//! Premature reports: results of bouts that were not requested yet, as after a restart of the
//! coordinator.

use std::collections::HashMap;

use joust_model::{BoutId, BoutPlan};
use joust_play::executor::{Assignment, Delivery};

/// The most results that are kept.
const MOST: usize = 4096;
/// The most bytes of such results, measured as encoded.
pub(super) const MOST_BYTES: usize = 256 << 20;

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
    pub(super) fn keep(&mut self, worker: &str, delivery: Delivery) {
        let bytes = bytes_of(&delivery);
        let has_room = self.reports.len() < MOST && self.bytes.saturating_add(bytes) <= MOST_BYTES;
        if delivery.result.is_ok() && has_room {
            let (bout, worker) = (delivery.bout, worker.to_owned());
            self.bytes += bytes;
            let before = self.reports.insert(bout, PrematureReport { worker, delivery, bytes });
            self.bytes -= before.map_or(0, |it| it.bytes);
        }
    }

    /// Removes and returns the result of an assignment, with its worker; drops it if it does not
    /// match the assignment.
    pub(super) fn take_for(&mut self, assignment: &Assignment) -> Option<(String, Delivery)> {
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
