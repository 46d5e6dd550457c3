//! Failure rates of workers, for a warning about one that fails more often than the others.

use std::collections::BTreeMap;

/// Number of a worker's bouts at which it is first compared with the others.
const FIRST_LOOK: u64 = 32;
/// The fewest failures for a warning.
const FEWEST: u64 = 8;
/// Multiple of the others' failure rate from which a worker is reported.
const TIMES: u64 = 4;

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    bouts: u64,
    failed: u64,
    looked: u64,
}

/// Bouts and failures of each worker.
#[derive(Debug, Default)]
pub(crate) struct FailureRates(BTreeMap<String, Tally>);

impl FailureRates {
    /// Counts a bout of `worker`. Returns its failures and bouts when its failure rate is far above
    /// that of the others. A worker is compared each time its number of bouts has doubled.
    pub(crate) fn count(&mut self, worker: &str, has_failed: bool) -> Option<(u64, u64)> {
        let own = self.0.entry(worker.to_owned()).or_default();
        own.bouts += 1;
        own.failed += u64::from(has_failed);
        if own.bouts < FIRST_LOOK.max(2 * own.looked) {
            return None;
        }
        own.looked = own.bouts;
        let own = *own;
        let others = self.0.iter().filter(|(name, _)| *name != worker);
        let (bouts, failed) =
            others.fold((0, 0), |(all, bad), (_, it)| (all + it.bouts, bad + it.failed));
        let is_more = own.failed * bouts > TIMES * failed * own.bouts;
        (bouts > 0 && own.failed >= FEWEST && is_more).then_some((own.failed, own.bouts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_that_fails_far_more_often_than_the_others_is_named_once_a_doubling() {
        let mut rates = FailureRates::default();
        for bout in 0..64 {
            assert_eq!(rates.count("good", bout % 16 == 0), None);
        }
        let found: Vec<_> = (0..64).filter_map(|bout| rates.count("bad", bout % 2 == 0)).collect();
        assert_eq!(found, [(16, 32), (32, 64)]);
        assert_eq!(FailureRates::default().count("alone", true), None);
    }
}
