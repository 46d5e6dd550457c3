//! The table `documents`: JSON texts that many rows share.

use std::collections::HashMap;

use sqlx::{Sqlite, Transaction};

/// The numbers of texts that were met during one change.
#[derive(Default)]
pub(super) struct Documents(HashMap<String, i64>);

impl Documents {
    /// Returns the number of a text, which is stored when it is new.
    pub(super) async fn put(
        &mut self,
        change: &mut Transaction<'_, Sqlite>,
        text: &str,
    ) -> Result<i64, sqlx::Error> {
        if let Some(number) = self.0.get(text) {
            return Ok(*number);
        }
        sqlx::query("INSERT OR IGNORE INTO documents (text) VALUES (?)")
            .bind(text)
            .execute(&mut **change)
            .await?;
        let number = sqlx::query_scalar("SELECT id FROM documents WHERE text = ?")
            .bind(text)
            .fetch_one(&mut **change)
            .await?;
        self.0.insert(text.to_owned(), number);
        Ok(number)
    }
}
