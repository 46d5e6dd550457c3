//! Rows of the history and of decisions, hashed.

use sqlx::sqlite::SqliteRow;

use super::super::StoreError;
use super::super::hasher::{Digest, Hasher};
use super::super::row::Reader;
use super::{LinkKind, NewLink};

const HISTORY: [&str; 8] =
    ["number", "bout", "change", "reason", "at", "document", "action_log", "turn_log"];

const DECISION: [&str; 6] = ["number", "event", "bot", "decision", "reason", "at"];

/// Hashes a row of the table `history`.
pub(crate) fn history_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let mut hasher = Hasher::new("joust-history-1");
    Reader::new("history", "number", row).hash_columns(HISTORY, &mut hasher)?;
    Ok(hasher.finish())
}

/// Hashes a row of the table `decisions`.
pub(crate) fn decision_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let mut hasher = Hasher::new("joust-decision-1");
    Reader::new("decisions", "number", row).hash_columns(DECISION, &mut hasher)?;
    Ok(hasher.finish())
}

/// Returns the link of a row of the table `decisions`.
pub(crate) fn decision_link(row: &SqliteRow) -> Result<NewLink, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    let number: i64 = reader.get("number")?;
    Ok(NewLink {
        kind: LinkKind::Decision,
        subject: reader.get("event")?,
        digest: decision_digest(row)?,
        detail: number.to_le_bytes().to_vec(),
    })
}
