//! Checkpoints: what waits in the `-wal` file beside a database goes into the file itself,
//! so that a copy of that one file has everything.
//!
//! While somebody stores, the header's `user_version` is [`UNFINISHED`], so that a copy
//! without its `-wal` is recognised.

use std::time::Duration;

use sqlx::SqlitePool;

use super::{Store, StoreError, database_path};

/// Time for which readers are waited for at the end.
const READERS_MAY_TAKE: Duration = Duration::from_secs(5);

/// Value of `user_version` while newer rows may be beside the file.
const UNFINISHED: i64 = 1;

/// Place of everything that was stored.
#[derive(Clone, Debug)]
pub enum CheckpointOutcome {
    /// In the database file.
    Complete,
    /// Partly in the `-wal` file beside it, which belongs to it: somebody reads older rows.
    HeldByReaders,
    /// Partly in the `-wal` file beside it, because the file could not be written.
    Failed(StoreError),
}

impl Store {
    /// Notes in the file itself that newer rows may be beside it.
    pub(super) async fn mark_unfinished(&self) {
        if let Some(writer) = self.writer() {
            self.mark(writer, UNFINISHED).await;
        }
    }

    /// Moves what is beside the file into it as far as nobody reads older rows; waits
    /// for nobody.
    pub(super) async fn checkpoint_some(&self) {
        if let Some(writer) = self.writer() {
            self.checkpoint(writer, "PRAGMA wal_checkpoint(PASSIVE)").await;
        }
    }

    /// Moves everything into the file, and waits a while for those who read.
    pub(super) async fn checkpoint_all(&self) -> CheckpointOutcome {
        const ALL: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
        let Some(writer) = self.writer() else { return CheckpointOutcome::Complete };
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

    /// Returns whether newer rows were beside the file and are not: a copy of a database
    /// that was being written, without its `-wal`.
    pub async fn lacks_newer_rows(&self) -> bool {
        let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(self.readers()).await;
        version.is_ok_and(|version: i64| version == UNFINISHED)
            && database_path::is_empty(&database_path::with_suffix(self.path(), "-wal"))
    }

    /// Writes the mark, and takes it into the file.
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
