//! Checkpoints: rows in the `-wal` file move into the database file, so that a copy of that one
//! file is complete.
//!
//! During writing, the header's `user_version` is [`UNFINISHED`], so that a copy without its `-wal`
//! file is recognised.

use std::time::Duration;

use sqlx::SqlitePool;

use super::{Store, StoreError, database_path};

/// The longest wait for readers when the database is closed.
const READERS_MAY_TAKE: Duration = Duration::from_secs(5);

/// Value of `user_version` while newer rows may be beside the file.
const UNFINISHED: i64 = 1;

/// Location of the stored rows.
#[derive(Clone, Debug)]
pub enum CheckpointOutcome {
    /// In the database file.
    Complete,
    /// Partly in the `-wal` file, because a reader uses older rows.
    HeldByReaders,
    /// Partly in the `-wal` file, because the database file could not be written.
    Failed(StoreError),
}

impl Store {
    /// Marks the database file: newer rows may be in the `-wal` file.
    pub(super) async fn mark_unfinished(&self) {
        if let Some(writer) = &self.writer {
            self.mark(writer, UNFINISHED).await;
        }
    }

    /// Moves rows into the database file, except those that are newer than a reader's snapshot.
    /// Does not wait.
    pub(super) async fn checkpoint_some(&self) {
        if let Some(writer) = &self.writer {
            self.checkpoint(writer, "PRAGMA wal_checkpoint(PASSIVE)").await;
        }
    }

    /// Moves all rows into the database file, and waits some time for readers.
    pub(super) async fn checkpoint_all(&self) -> CheckpointOutcome {
        const ALL: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
        let Some(writer) = &self.writer else { return CheckpointOutcome::Complete };
        let patience = format!("PRAGMA busy_timeout = {}", READERS_MAY_TAKE.as_millis());
        let patience = sqlx::query(sqlx::AssertSqlSafe(patience)).execute(writer).await;
        if let Err(error) = patience {
            tracing::debug!(%error, "no patience for readers");
        }
        let outcome = self.checkpoint(writer, ALL).await;
        let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(writer).await;
        let is_marked = version.is_ok_and(|version: i64| version == UNFINISHED);
        if matches!(outcome, CheckpointOutcome::Complete) && is_marked {
            self.mark(writer, 0).await;
            return self.checkpoint(writer, ALL).await;
        }
        outcome
    }

    /// Returns whether rows of a `-wal` file are missing: the database is a copy that was made
    /// during writing, without its `-wal` file.
    pub async fn lacks_newer_rows(&self) -> bool {
        let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(&self.readers).await;
        version.is_ok_and(|version: i64| version == UNFINISHED)
            && database_path::is_empty(&database_path::with_suffix(self.path(), "-wal"))
    }

    /// Writes the mark and moves it into the database file.
    async fn mark(&self, writer: &SqlitePool, version: i64) {
        let pragma = format!("PRAGMA user_version = {version}");
        let marked = sqlx::query(sqlx::AssertSqlSafe(pragma)).execute(writer).await;
        if let Err(error) = marked {
            tracing::debug!(%error, "the file is not marked");
        }
        self.checkpoint(writer, "PRAGMA wal_checkpoint(PASSIVE)").await;
    }

    async fn checkpoint(&self, writer: &SqlitePool, pragma: &'static str) -> CheckpointOutcome {
        let done: Result<(i64, i64, i64), _> = sqlx::query_as(pragma).fetch_one(writer).await;
        match done {
            Ok((_, waiting, moved)) if waiting == moved => CheckpointOutcome::Complete,
            Ok(_) => CheckpointOutcome::HeldByReaders,
            Err(error) => {
                tracing::debug!(%error, "what is beside the database stays there");
                CheckpointOutcome::Failed(self.error(error))
            }
        }
    }
}
