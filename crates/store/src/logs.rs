//! The table `logs`: apart from the bouts, so that scans of those stay fast.

use rusqlite::Connection;

use super::StoreError;
use super::insert::Insert;
use super::rows::Numbered;

static LOGS: Insert = Insert::of("logs (bout, action_log, turn_log)");

/// Writes the logs of bouts.
pub(super) fn write(file: &Connection, rows: &[Numbered<'_>]) -> rusqlite::Result<()> {
    LOGS.write(file, rows, |values, Numbered { number, row }| {
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
