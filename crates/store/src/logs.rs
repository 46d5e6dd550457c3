//! The table `logs`, which is separate from `bouts` so that scans of bouts stay fast.

use super::StoreError;
use super::insert::{Insert, Values};
use joust_model::BoutResult;

pub(super) static LOGS: Insert = Insert::of("logs (bout, action_log, turn_log)");

/// Adds the values of the row of bout row `number`.
pub(super) fn push(values: &mut Values, number: i64, result: &BoutResult) {
    values.number(number).bytes(&result.action_log).bytes(&result.turn_log);
}

/// A bout's logs, compressed.
pub(super) struct Logs {
    pub(super) actions: Vec<u8>,
    pub(super) turns: Vec<u8>,
}

pub(super) fn missing(bout: i64) -> StoreError {
    StoreError::ImpossibleRow {
        table: "logs",
        column: "bout",
        row: bout.to_string(),
        problem: "the bout has no logs".to_owned(),
    }
}
