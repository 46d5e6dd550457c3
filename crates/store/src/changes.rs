//! Noticing that somebody has changed the database, without reading it.

use sqlx::Sqlite;
use sqlx::pool::PoolConnection;

use super::{Store, StoreError};

/// Tells whether anything was committed since it was last asked.
#[derive(Debug)]
pub struct Changes {
    store: Store,
    connection: PoolConnection<Sqlite>,
    seen: Option<i64>,
}

impl Store {
    /// Begins to notice changes that others commit, also other programs.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        let connection = self.readers().acquire().await.map_err(|error| self.error(error))?;
        Ok(Changes { store: self.clone(), connection, seen: None })
    }
}

impl Changes {
    /// Returns whether there is anything that the last call did not know of; the
    /// first call always says so.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn has_news(&mut self) -> Result<bool, StoreError> {
        // Changes whenever another connection has committed.
        let version: i64 = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut *self.connection)
            .await
            .map_err(|error| self.store.error(error))?;
        Ok(self.seen.replace(version) != Some(version))
    }
}
