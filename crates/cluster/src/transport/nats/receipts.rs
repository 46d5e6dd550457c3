//! Receipts of reports: a report is acknowledged once all its results are stored.
//!
//! Until then the server delivers it again, also to the next coordinator after one that was killed.

use std::collections::HashSet;

use joust_model::BoutId;

use crate::message::Report;

/// Received reports that are not acknowledged, with the messages that acknowledge them.
#[derive(Debug)]
pub(super) struct Receipts<P>(Vec<Receipt<P>>);

#[derive(Debug)]
struct Receipt<P> {
    /// Worker that reported.
    worker: String,
    pending: P,
    /// Bouts whose results are not settled.
    open: HashSet<BoutId>,
}

impl<P> Default for Receipts<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> Receipts<P> {
    /// Adds a report; returns its message if it can be acknowledged at once.
    pub(super) fn take(&mut self, pending: P, report: &Report) -> Option<P> {
        let results = report.deliveries.iter().filter(|it| it.result.is_ok());
        let open: HashSet<BoutId> = results.map(|it| it.bout).collect();
        // The server limits the number of unacknowledged messages, so a report that a worker has
        // sent twice is acknowledged at once: its results are kept already.
        let mut said = self.0.iter().filter(|it| it.worker == report.worker);
        if open.is_empty() || said.any(|it| open.is_subset(&it.open)) {
            return Some(pending);
        }
        self.0.push(Receipt { worker: report.worker.clone(), pending, open });
        None
    }

    /// Settles a bout; returns the messages of the reports that are settled now.
    pub(super) fn settle(&mut self, bout: BoutId) -> Vec<P> {
        self.0.iter_mut().for_each(|it| _ = it.open.remove(&bout));
        self.0.extract_if(.., |it| it.open.is_empty()).map(|it| it.pending).collect()
    }
}

#[cfg(test)]
mod tests {
    use joust_play::executor::{Delivery, Failure};

    use super::*;

    fn bout(number: u64) -> BoutId {
        BoutId(number.to_be_bytes())
    }

    #[test]
    fn a_report_without_results_is_acknowledged_at_once() {
        let failed = Delivery::new(bout(1), Err(Failure::Cancelled));
        let report = Report {
            worker: "one".to_owned(),
            epoch: 1,
            batch: 1,
            attempt: 0,
            deliveries: vec![failed],
            returned: vec![bout(2)],
        };
        assert_eq!(Receipts::default().take("reply", &report), Some("reply"));
    }

    #[test]
    fn what_a_worker_says_once_more_is_acknowledged_at_once() {
        let (_, result) = joust_testkit::fixtures::bout("league", ["anna", "bert"], 1);
        let report = |worker: &str, bouts: &[u64]| Report {
            worker: worker.to_owned(),
            epoch: 1,
            batch: 1,
            attempt: 0,
            deliveries: bouts
                .iter()
                .map(|it| Delivery::new(bout(*it), Ok(result.clone())))
                .collect(),
            returned: Vec::new(),
        };
        let mut receipts = Receipts::default();
        let mut take = |worker, bouts| receipts.take("reply", &report(worker, bouts));
        assert_eq!(take("one", &[1, 2]), None);
        for _ in 0..1000 {
            assert_eq!(take("one", &[1]), Some("reply"));
        }
        assert_eq!(take("one", &[2, 3]), None, "one of them is new");
        assert_eq!(take("two", &[1]), None, "it may be what counts");
        assert_eq!(receipts.0.len(), 3);
    }

    #[test]
    fn a_report_is_acknowledged_when_its_last_bout_is_settled() {
        let receipt = |pending: &'static str, bouts: &[u64]| Receipt {
            worker: "one".to_owned(),
            pending,
            open: bouts.iter().copied().map(bout).collect(),
        };
        let mut receipts = Receipts(vec![receipt("a", &[1, 2]), receipt("b", &[2])]);
        assert_eq!(receipts.settle(bout(2)), ["b"]);
        assert_eq!(receipts.settle(bout(2)), [""; 0]);
        assert_eq!(receipts.settle(bout(1)), ["a"]);
        assert!(receipts.0.is_empty());
    }
}
