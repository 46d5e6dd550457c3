//! The table `documents`: JSON texts that many rows share.

use std::collections::HashMap;

use serde::Serialize;
use sqlx::{Sqlite, Transaction};

/// A text that is stored.
#[derive(Clone, Debug)]
pub(super) struct Document {
    pub(super) number: i64,
    pub(super) text: String,
}

/// The numbers of texts that were met during one change.
#[derive(Default)]
pub(super) struct Documents(HashMap<String, i64>);

impl Documents {
    /// Returns a value's JSON text, which is stored when it is new.
    pub(super) async fn put(
        &mut self,
        change: &mut Transaction<'_, Sqlite>,
        value: &impl Serialize,
    ) -> Result<Document, sqlx::Error> {
        let text = serde_json::to_string(value).expect("plain data is JSON");
        if let Some(number) = self.0.get(&text) {
            return Ok(Document { number: *number, text });
        }
        sqlx::query("INSERT OR IGNORE INTO documents (text) VALUES (?)")
            .bind(&text)
            .execute(&mut **change)
            .await?;
        let number = sqlx::query_scalar("SELECT id FROM documents WHERE text = ?")
            .bind(&text)
            .fetch_one(&mut **change)
            .await?;
        self.0.insert(text.clone(), number);
        Ok(Document { number, text })
    }
}
