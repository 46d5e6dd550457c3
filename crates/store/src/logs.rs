//! The table `logs`: apart from the bouts, so that scans of those stay fast.

use sqlx::SqliteConnection;

use super::StoreError;
use super::insert::{Insert, Statement};
use super::row::Reader;
use super::rows::Numbered;

const LOGS: Insert = Insert("logs (bout, action_log, turn_log)");

/// Returns the statements that write the logs of bouts.
pub(super) fn insert<'a>(rows: &'a [Numbered<'a>]) -> impl Iterator<Item = Statement> + Send + 'a {
    LOGS.rows(rows, |values, (number, row)| {
        values.number(*number).bytes(&row.result.action_log).bytes(&row.result.turn_log);
    })
}

/// A bout's action log and turn log, compressed.
pub(super) type Logs = (Vec<u8>, Vec<u8>);

/// Reads the logs of bout row `bout`.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    bout: i64,
) -> Result<Result<Logs, StoreError>, sqlx::Error> {
    let row = sqlx::query("SELECT bout, action_log, turn_log FROM logs WHERE bout = ?")
        .bind(bout)
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(Err(missing(bout))) };
    let reader = Reader::new("logs", "bout", &row);
    let logs = reader.get("action_log").and_then(|log| Ok((log, reader.get("turn_log")?)));
    Ok(logs)
}

pub(super) fn missing(bout: i64) -> StoreError {
    StoreError::ImpossibleRow {
        table: "logs",
        column: "bout",
        row: bout.to_string(),
        problem: "the bout has no logs".to_owned(),
    }
}
