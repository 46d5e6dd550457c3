//! Rows of the history and of decisions, hashed.

use sqlx::sqlite::SqliteRow;

use super::super::StoreError;
use super::super::facts::{Digest, Hasher};
use super::super::row::Reader;
use super::{Kind, NewLink};

/// Hashes a row of the table `history`.
pub(crate) fn history_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let reader = Reader::new("history", "number", row);
    Ok(Hasher::new("joust-history-1")
        .number(reader.get("number")?)
        .number(reader.get("bout")?)
        .text(reader.get("change")?)
        .text(reader.get("reason")?)
        .number(reader.get("at")?)
        .optional_text(reader.get("document")?)
        .optional_bytes(reader.get("action_log")?)
        .optional_bytes(reader.get("turn_log")?)
        .finish())
}

/// Hashes a row of the table `decisions`.
pub(crate) fn decision_digest(row: &SqliteRow) -> Result<Digest, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    Ok(Hasher::new("joust-decision-1")
        .number(reader.get("number")?)
        .text(reader.get("event")?)
        .text(reader.get("bot")?)
        .text(reader.get("decision")?)
        .text(reader.get("reason")?)
        .number(reader.get("at")?)
        .finish())
}

/// Returns the link of a row of the table `decisions`.
pub(crate) fn decision_link(row: &SqliteRow) -> Result<NewLink, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    let number: i64 = reader.get("number")?;
    Ok(NewLink {
        kind: Kind::Decision,
        subject: reader.get("event")?,
        digest: decision_digest(row)?,
        detail: number.to_le_bytes().to_vec(),
    })
}
