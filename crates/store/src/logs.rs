//! The table `logs`: apart from the bouts, so that scans of those stay fast.

use super::StoreError;
use super::insert::{Insert, Statement};
use super::rows::Numbered;

static LOGS: Insert = Insert::of("logs (bout, action_log, turn_log)");

/// Returns the statements that write the logs of bouts.
pub(super) fn insert<'a>(rows: &'a [Numbered<'a>]) -> impl Iterator<Item = Statement> + Send + 'a {
    LOGS.rows(rows, |values, Numbered { number, row }| {
        values.number(*number).bytes(&row.result.action_log).bytes(&row.result.turn_log);
    })
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
