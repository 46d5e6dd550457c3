//! Hashes and checks of results before they are stored, which need no database.

use std::sync::Arc;

use super::StoreError;
use super::columns::{Cell, hashing};
use super::hasher::{Digest, Hasher};
use super::rows::BoutColumns;
use super::seats::SeatColumns;
use joust_model::{BoutPlan, BoutResult, SeatResult, Verdict};

/// A result that belongs to its plan, with its hash and documents.
#[derive(Clone, Copy, Debug)]
pub(super) struct HashedResult<'a> {
    pub(super) plan: &'a BoutPlan,
    pub(super) result: &'a BoutResult,
    pub(super) hash: &'a ResultHash,
}

/// The documents that a bout's rows refer to, and the hash of the rows.
#[derive(Debug)]
pub(super) struct ResultHash {
    /// The documents of the bout's row, in the order of their columns.
    pub(super) documents: Vec<Arc<str>>,
    /// The calibration of each seat.
    pub(super) calibrations: Vec<Arc<str>>,
    pub(super) digest: Digest,
}

impl ResultHash {
    /// Hashes a result that is about to be stored.
    ///
    /// # Errors
    ///
    /// [`StoreError::Misfit`] when it does not belong to its plan, or is void.
    pub(super) fn of(plan: &BoutPlan, result: &BoutResult) -> Result<Self, StoreError> {
        refuse_misfit(plan, result)?;
        Ok(Self::of_unchecked(plan, result))
    }

    /// Hashes a result from another database, without checks.
    pub(super) fn of_unchecked(plan: &BoutPlan, result: &BoutResult) -> Self {
        let documents = vec![plan.options.json().clone(), plan.limits.json().clone()];
        let json = |seat: &SeatResult| serde_json::to_string(&seat.calibration);
        let calibrations = result.seats.iter().map(|seat| json(seat).expect("plain data is JSON"));
        let calibrations: Vec<Arc<str>> = calibrations.map(Arc::from).collect();
        let mut hasher = Hasher::new("joust-result-1");
        BoutColumns::write(plan, result, &mut hashing(&mut hasher, &documents));
        let mut sink = hashing(&mut hasher, &calibrations);
        for (number, seat) in (0..).zip(&result.seats) {
            sink(Cell::Number(number));
            SeatColumns::write(seat, &mut sink);
        }
        sink(Cell::Bytes(&result.action_log));
        sink(Cell::Bytes(&result.turn_log));
        drop(sink);
        Self { digest: hasher.finish(), documents, calibrations }
    }
}

/// Refuses a result that does not belong to its plan, or that an internal error has voided: neither
/// may be recorded as the bout's result.
///
/// # Errors
///
/// [`StoreError::Misfit`], which names the difference.
pub fn refuse_misfit(plan: &BoutPlan, result: &BoutResult) -> Result<(), StoreError> {
    let same_bots = plan.seats.len() == result.seats.len()
        && plan.seats.iter().zip(&result.seats).all(|(planned, played)| {
            planned.bot == played.bot && planned.occupant == played.occupant
        });
    let void = result.seats.iter().any(|seat| seat.verdicts.of(Verdict::InfrastructureError) > 0);
    let problem = match () {
        () if plan.bout != result.bout => "its id is another",
        () if plan.key() != result.key => "its key is another",
        () if !same_bots => "its bots or builds are others",
        () if void => "it holds an infrastructure error, which makes it void",
        () => return Ok(()),
    };
    Err(StoreError::Misfit { bout: plan.bout, problem })
}
