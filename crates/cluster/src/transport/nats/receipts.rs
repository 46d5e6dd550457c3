//! Receipts of reports: a report is acknowledged once all its results are stored.
//!
//! Until then the server hands it out again, also to a coordinator that comes after one that was
//! killed.

use std::collections::HashSet;

use joust_model::BoutId;

use crate::message::Report;

/// Reports that came and are not acknowledged.
#[derive(Debug, Default)]
pub(super) struct Receipts(Vec<Receipt>);

#[derive(Debug)]
struct Receipt {
    /// Who reported.
    worker: String,
    /// Where it is acknowledged: once for each message that it came in.
    replies: Vec<String>,
    /// Bouts whose results are not settled.
    open: HashSet<BoutId>,
}

impl Receipts {
    /// Takes a report that is acknowledged at `replies`; returns them when that can be done at
    /// once.
    pub(super) fn take(&mut self, replies: Vec<String>, report: &Report) -> Vec<String> {
        let results = report.deliveries.iter().filter(|it| it.result.is_ok());
        let open: HashSet<BoutId> = results.map(|it| it.bout).collect();
        // The server hands out no more than so many that are not acknowledged: what a worker says
        // once more is kept already.
        let mut said = self.0.iter().filter(|it| it.worker == report.worker);
        if open.is_empty() || said.any(|it| open.is_subset(&it.open)) {
            return replies;
        }
        self.0.push(Receipt { worker: report.worker.clone(), replies, open });
        Vec::new()
    }

    /// Settles a bout; returns where reports are now to be acknowledged.
    pub(super) fn settle(&mut self, bout: BoutId) -> Vec<String> {
        self.0.iter_mut().for_each(|it| _ = it.open.remove(&bout));
        self.0.extract_if(.., |it| it.open.is_empty()).flat_map(|it| it.replies).collect()
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
        let replies = vec!["reply".to_owned()];
        assert_eq!(Receipts::default().take(replies.clone(), &report), replies);
    }

    #[test]
    fn what_a_worker_says_once_more_is_acknowledged_at_once() {
        let (_, result) = joust_testkit::made_up::bout("league", ["anna", "bert"], 1);
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
        let mut take =
            |worker, bouts| receipts.take(vec!["reply".to_owned()], &report(worker, bouts));
        assert_eq!(take("one", &[1, 2]), [""; 0]);
        for _ in 0..1000 {
            assert_eq!(take("one", &[1]), ["reply"]);
        }
        assert_eq!(take("one", &[2, 3]), [""; 0], "one of them is new");
        assert_eq!(take("two", &[1]), [""; 0], "it may be what counts");
        assert_eq!(receipts.0.len(), 3);
    }

    #[test]
    fn a_report_is_acknowledged_when_its_last_bout_is_settled() {
        let receipt = |reply: &str, bouts: &[u64]| Receipt {
            worker: "one".to_owned(),
            replies: vec![reply.to_owned()],
            open: bouts.iter().copied().map(bout).collect(),
        };
        let mut receipts = Receipts(vec![receipt("a", &[1, 2]), receipt("b", &[2])]);
        assert_eq!(receipts.settle(bout(2)), ["b"]);
        assert_eq!(receipts.settle(bout(2)), [""; 0]);
        assert_eq!(receipts.settle(bout(1)), ["a"]);
        assert!(receipts.0.is_empty());
    }
}
