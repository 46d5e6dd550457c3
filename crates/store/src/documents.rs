//! The table `documents`: JSON texts that many rows share.

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::{Sqlite, Transaction};

/// The numbers of texts that were met during one change.
#[derive(Default)]
pub(super) struct Documents {
    known: HashMap<Arc<str>, i64>,
    /// The last few: most rows name what the rows before them do.
    recent: Vec<(Arc<str>, i64)>,
}

/// Number of texts that are looked at before all others.
const RECENT: usize = 8;

impl Documents {
    /// Returns the numbers of texts, each of which is stored when it is new.
    pub(super) async fn put_all(
        &mut self,
        change: &mut Transaction<'_, Sqlite>,
        texts: &[Arc<str>],
    ) -> Result<Vec<i64>, sqlx::Error> {
        let mut numbers = Vec::with_capacity(texts.len());
        for text in texts {
            numbers.push(self.put(change, text).await?);
        }
        Ok(numbers)
    }

    async fn put(
        &mut self,
        change: &mut Transaction<'_, Sqlite>,
        text: &Arc<str>,
    ) -> Result<i64, sqlx::Error> {
        match self.known(text) {
            Some(number) => Ok(number),
            None => Ok(self.remember(text, store(change, text).await?)),
        }
    }

    fn known(&mut self, text: &Arc<str>) -> Option<i64> {
        let is_it = |(recent, _): &&(Arc<str>, i64)| Arc::ptr_eq(recent, text) || recent == text;
        if let Some((_, number)) = self.recent.iter().find(is_it) {
            return Some(*number);
        }
        let number = *self.known.get(text)?;
        Some(self.remember(text, number))
    }

    fn remember(&mut self, text: &Arc<str>, number: i64) -> i64 {
        self.known.insert(Arc::clone(text), number);
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push((Arc::clone(text), number));
        number
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
