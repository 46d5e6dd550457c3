//! The table `documents`: JSON texts that many rows share.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::{Sqlite, Transaction};

/// Cache of the numbers of documents, for one change.
#[derive(Default)]
pub(super) struct Documents {
    known: HashMap<Arc<str>, i64>,
}

impl Documents {
    /// Returns the numbers of texts, and stores the texts that are new.
    pub(super) async fn put_all(
        &mut self,
        change: &mut Transaction<'_, Sqlite>,
        texts: &[Arc<str>],
    ) -> Result<Vec<i64>, sqlx::Error> {
        let mut numbers = Vec::with_capacity(texts.len());
        for text in texts {
            let number = match self.known.get(text) {
                Some(number) => *number,
                None => store(change, text).await?,
            };
            self.known.insert(Arc::clone(text), number);
            numbers.push(number);
        }
        Ok(numbers)
    }
}

async fn store(change: &mut Transaction<'_, Sqlite>, text: &str) -> Result<i64, sqlx::Error> {
    sqlx::query("INSERT OR IGNORE INTO documents (text) VALUES (?)")
        .bind(text)
        .execute(&mut **change)
        .await?;
    sqlx::query_scalar("SELECT id FROM documents WHERE text = ?")
        .bind(text)
        .fetch_one(&mut **change)
        .await
}
