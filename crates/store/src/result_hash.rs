//! Facts about results that are to be stored, as far as they take no database to find out.

use std::sync::Arc;

use serde::Serialize;

use super::StoreError;
use super::columns::{Hashing, Sink as _};
use super::hasher::{Digest, Hasher};
use super::rows::BoutColumns;
use super::seats::SeatColumns;
use joust_model::{BoutPlan, BoutResult, Calibration, PlanKey, PlanKeyCache, Verdict};

/// A result that fits its plan, with what takes no database to find out about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HashedResult<'a> {
    pub(super) plan: &'a BoutPlan,
    pub(super) result: &'a BoutResult,
    pub(super) hash: &'a ResultHash,
}

/// The documents that the rows of a bout name, and the hash of what they say.
#[derive(Debug)]
pub(super) struct ResultHash {
    /// Those of the bout, in the order of their columns.
    pub(super) documents: Vec<Arc<str>>,
    /// Each seat's.
    pub(super) calibrations: Vec<Arc<str>>,
    pub(super) digest: Digest,
}

/// Seals results, and remembers the documents that many of them share.
#[derive(Default)]
pub(super) struct ResultHasher {
    calibrations: Texts<Calibration>,
    keys: PlanKeyCache,
}

impl ResultHasher {
    /// Seals a result that is about to be stored.
    ///
    /// # Errors
    ///
    /// [`StoreError::Misfit`] when it is not one of its plan, or void.
    pub(super) fn hash_result(
        &mut self,
        plan: &BoutPlan,
        result: &BoutResult,
    ) -> Result<ResultHash, StoreError> {
        refuse_misfit_of(plan, self.keys.key(plan), result)?;
        Ok(self.hash_unchecked(plan, result))
    }

    /// Seals what another database has.
    pub(super) fn hash_unchecked(&mut self, plan: &BoutPlan, result: &BoutResult) -> ResultHash {
        let documents = vec![plan.options.json().clone(), plan.limits.json().clone()];
        let calibrations = result.seats.iter().map(|seat| self.calibrations.of(&seat.calibration));
        let calibrations: Vec<_> = calibrations.collect();
        let hasher = Hasher::new("joust-result-1");
        let mut sink = Hashing { hasher, documents: documents.iter() };
        BoutColumns::write(plan, result, &mut sink);
        sink.documents = calibrations.iter();
        for (number, seat) in (0..).zip(&result.seats) {
            sink.number(number);
            SeatColumns::write(seat, &mut sink);
        }
        sink.bytes(&result.action_log);
        sink.bytes(&result.turn_log);
        ResultHash { digest: sink.hasher.finish(), documents, calibrations }
    }
}

/// The JSON texts of the last few values.
struct Texts<T>(Vec<(T, Arc<str>)>);

/// Number of values that are remembered.
const MOST_TEXTS: usize = 8;

impl<T> Default for Texts<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone + PartialEq + Serialize> Texts<T> {
    fn of(&mut self, value: &T) -> Arc<str> {
        if let Some((_, text)) = self.0.iter().find(|(known, _)| known == value) {
            return Arc::clone(text);
        }
        let text: Arc<str> = serde_json::to_string(value).expect("plain data is JSON").into();
        if self.0.len() == MOST_TEXTS {
            self.0.remove(0);
        }
        self.0.push((value.clone(), Arc::clone(&text)));
        text
    }
}

/// A result that is not one of its plan, or that an error of ours has voided,
/// must never stand for it.
///
/// # Errors
///
/// [`StoreError::Misfit`] says what does not fit.
pub fn refuse_misfit(plan: &BoutPlan, result: &BoutResult) -> Result<(), StoreError> {
    refuse_misfit_of(plan, plan.key(), result)
}

fn refuse_misfit_of(plan: &BoutPlan, key: PlanKey, result: &BoutResult) -> Result<(), StoreError> {
    let same_bots = plan.seats.len() == result.seats.len()
        && plan.seats.iter().zip(&result.seats).all(|(planned, played)| {
            planned.bot == played.bot && planned.occupant == played.occupant
        });
    let void = result.seats.iter().any(|seat| seat.verdicts.of(Verdict::InfrastructureError) > 0);
    let problem = match () {
        () if plan.bout != result.bout => "its id is another",
        () if key != result.key => "its key is another",
        () if !same_bots => "its bots or builds are others",
        () if void => "it holds an infrastructure error, which makes it void",
        () => return Ok(()),
    };
    Err(StoreError::Misfit { bout: plan.bout, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_own_text_however_many_there_are() {
        let mut texts = Texts::default();
        for round in 0..3 {
            for value in 0..2 * MOST_TEXTS {
                assert_eq!(*texts.of(&value), *value.to_string(), "round {round}");
                assert!(Arc::ptr_eq(&texts.of(&value), &texts.of(&value)), "it is shared");
            }
        }
    }
}
