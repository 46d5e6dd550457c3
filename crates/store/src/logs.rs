//! The table `logs`: apart from the bouts, so that scans of those stay fast.

use super::StoreError;
use super::insert::{Insert, Values};
use super::rows::Numbered;

pub(super) static LOGS: Insert = Insert::of("logs (bout, action_log, turn_log)");

pub(super) fn push(values: &mut Values, Numbered { number, row }: &Numbered<'_>) {
    values.number(*number).bytes(&row.result.action_log).bytes(&row.result.turn_log);
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
