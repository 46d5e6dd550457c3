//! Checks of the results that workers send, with a record of the refused ones, and the
//! failure rates of workers, for a warning about one that fails more often than the others.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use joust_model::{BoutId, BoutResult};
use joust_play::executor::Assignment;
use tokio::runtime::{Handle, RuntimeFlavor};

use super::ResultValidator;
use crate::notice::CoordinatorNotice;

/// Number of refused results after which a bout fails, while only one worker is present.
const MOST_REFUSALS: u32 = 3;
/// Number of refused results after which a worker is excluded: judging one may take seconds.
const MOST_OF_WORKER: u32 = 8;

/// Results of a bout that were refused.
struct RefusedResults {
    /// The worker that sent the first refused result.
    worker: String,
    times: u32,
}

/// Checks of results.
pub(super) struct ResultChecks<I> {
    validator: Arc<I>,
    rates: FailureRates,
    /// Bouts with refused results.
    refused: HashMap<BoutId, RefusedResults>,
    /// Number of results of each worker that were refused, and whose bouts were handed out again.
    charges: HashMap<String, u32>,
}

impl<I: ResultValidator> ResultChecks<I> {
    pub(super) fn new(validator: Arc<I>) -> Self {
        Self {
            validator,
            rates: FailureRates::default(),
            refused: HashMap::new(),
            charges: HashMap::new(),
        }
    }

    /// Returns the results that `worker` sent, unless they do not follow from their plans.
    pub(super) fn validate(
        &self,
        worker: &str,
        assignment: &Assignment,
        results: Vec<BoutResult>,
    ) -> Result<Vec<BoutResult>, String> {
        let wanted = assignment.plans().count();
        let mut both = assignment.plans().zip(&results);
        let why = match results.len() == wanted {
            true => run_blocking(|| {
                both.find_map(|(plan, result)| self.validator.find_fault(plan, result))
            }),
            false => Some(format!("it has {} results of {wanted} bouts", results.len())),
        };
        let Some(why) = why else { return Ok(results) };
        self.validator.notify(CoordinatorNotice::ResultRefused {
            worker: worker.to_owned(),
            why: why.clone(),
        });
        Err(why)
    }

    /// Counts a bout of `worker`, and warns when far more of its bouts fail than others'.
    pub(super) fn record_outcome(&mut self, worker: &str, has_failed: bool) {
        if let Some((failed, of)) = self.rates.count(worker, has_failed) {
            self.validator.notify(CoordinatorNotice::WorkerFailsOften {
                worker: worker.to_owned(),
                failed,
                of,
            });
        }
    }

    /// Counts a refused result of `bout`; returns whether another play may help. It cannot when
    /// results of two workers were refused, or several results of the only worker.
    pub(super) fn may_be_played_again(
        &mut self,
        bout: BoutId,
        worker: &str,
        workers: usize,
    ) -> bool {
        let first = || RefusedResults { worker: worker.to_owned(), times: 0 };
        let refused = self.refused.entry(bout).or_insert_with(first);
        refused.times += 1;
        refused.worker == worker && !(workers <= 1 && refused.times >= MOST_REFUSALS)
    }

    /// Charges `worker` with a refused result; returns whether it must be excluded.
    pub(super) fn charge(&mut self, worker: &str) -> bool {
        let refused = self.charges.entry(worker.to_owned()).or_default();
        *refused += 1;
        let (worker, refused) = (worker.to_owned(), *refused);
        if refused == MOST_OF_WORKER {
            self.validator.notify(CoordinatorNotice::WorkerExcluded { worker, refused });
        }
        refused >= MOST_OF_WORKER
    }

    /// Removes the record of a bout's refused results.
    pub(super) fn forget(&mut self, bout: BoutId) {
        self.refused.remove(&bout);
    }
}

/// Runs a long computation without blocking the other tasks of a runtime with several threads.
fn run_blocking<T>(compute: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::MultiThread => tokio::task::block_in_place(compute),
        _ => compute(),
    }
}

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
