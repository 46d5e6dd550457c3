//! Detection of changes to the database without reading its tables.

use sqlx::Sqlite;
use sqlx::pool::PoolConnection;

use super::{Store, StoreError};

/// Detects commits since the last call.
#[derive(Debug)]
pub struct Changes {
    store: Store,
    connection: PoolConnection<Sqlite>,
    seen: Option<i64>,
}

impl Store {
    /// Begins to detect changes that other connections commit, including other programs'
    /// connections.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn changes(&self) -> Result<Changes, StoreError> {
        let connection = self.readers.acquire().await.map_err(|error| self.error(error))?;
        Ok(Changes { store: self.clone(), connection, seen: None })
    }
}

impl Changes {
    /// Returns whether anything was committed since the last call; the first call always returns
    /// true.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn has_news(&mut self) -> Result<bool, StoreError> {
        // `data_version` changes whenever another connection has committed.
        let version: i64 = sqlx::query_scalar("PRAGMA data_version")
            .fetch_one(&mut *self.connection)
            .await
            .map_err(|error| self.store.error(error))?;
        Ok(self.seen.replace(version) != Some(version))
    }
}
