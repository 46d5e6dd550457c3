//! Settling: what waits in the `-wal` file beside a database goes into the file itself,
//! so that a copy of that one file has everything.
//!
//! While somebody stores, the header's `user_version` is [`UNSETTLED`], so that a copy
//! without its `-wal` can be told.

use async_recursion::async_recursion as boxed;
use std::path::Path;
use std::time::Duration;

use sqlx::SqlitePool;
use sqlx::sqlite::SqlitePoolOptions;

use super::open::options;
use super::{Store, lock, place};

/// How long those who read are waited for at the end.
const READERS_MAY_TAKE: Duration = Duration::from_secs(5);

/// What `user_version` says while newer rows may be beside the file.
const UNSETTLED: i64 = 1;

/// Where everything that was stored is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// In the database file.
    InTheFile,
    /// Partly in the `-wal` file beside it, which belongs to it.
    Beside,
}

impl Store {
    /// Notes in the file itself that newer rows may be beside it.
    pub(super) async fn begin_storing(&self) {
        if let Some(writer) = self.writer() {
            mark(writer, UNSETTLED).await;
        }
    }

    /// Moves what is beside the file into it as far as nobody reads older rows; waits
    /// for nobody.
    pub(super) async fn settle_some(&self) {
        if let Some(writer) = self.writer() {
            checkpoint(writer, "PRAGMA wal_checkpoint(PASSIVE)").await;
        }
    }

    /// Moves everything into the file, and waits a while for those who read.
    pub(super) async fn settle(&self) -> Settled {
        let Some(writer) = self.writer() else { return Settled::InTheFile };
        let patience = format!("PRAGMA busy_timeout = {}", READERS_MAY_TAKE.as_millis());
        let patience = sqlx::query(sqlx::AssertSqlSafe(patience)).execute(writer).await;
        if let Err(error) = patience {
            tracing::debug!(%error, "no patience for readers");
        }
        settle(writer, "PRAGMA wal_checkpoint(TRUNCATE)").await
    }

    /// Says whether newer rows were beside the file and are not: a copy of a database
    /// that was being written, without its `-wal`.
    #[boxed]
    pub async fn lacks_newer_rows(&self) -> bool {
        let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(self.readers()).await;
        let is_unsettled = version.is_ok_and(|version: i64| version == UNSETTLED);
        is_unsettled && place::is_empty(&place::with_suffix(self.path(), "-wal"))
    }
}

/// Settles a database that somebody who was killed has left, and heals one whose last
/// change was cut off; where that cannot be done nothing is.
pub(super) async fn settle_what_was_left(path: &Path) {
    let left = ["-wal", "-journal"].map(|suffix| place::with_suffix(path, suffix));
    let is_left = left.iter().any(|file| !place::is_empty(file));
    if !is_left || place::is_empty(path) || lock::is_held(path) {
        return;
    }
    let options = options(path).create_if_missing(false).busy_timeout(Duration::from_millis(500));
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await;
    if let Ok(pool) = pool {
        settle(&pool, "PRAGMA wal_checkpoint(PASSIVE)").await;
        pool.close().await;
    }
}

async fn settle(writer: &SqlitePool, pragma: &'static str) -> Settled {
    let settled = checkpoint(writer, pragma).await;
    let version = sqlx::query_scalar("PRAGMA user_version").fetch_one(writer).await;
    if settled == Settled::InTheFile && version.is_ok_and(|version: i64| version == UNSETTLED) {
        mark(writer, 0).await;
        return checkpoint(writer, pragma).await;
    }
    settled
}

/// Writes the mark, and takes it into the file.
async fn mark(writer: &SqlitePool, version: i64) {
    let pragma = format!("PRAGMA user_version = {version}");
    let marked = sqlx::query(sqlx::AssertSqlSafe(pragma)).execute(writer).await;
    if let Err(error) = marked {
        tracing::debug!(%error, "the file is not marked");
    }
    checkpoint(writer, "PRAGMA wal_checkpoint(PASSIVE)").await;
}

async fn checkpoint(writer: &SqlitePool, pragma: &'static str) -> Settled {
    let done: Result<(i64, i64, i64), _> = sqlx::query_as(pragma).fetch_one(writer).await;
    match done {
        Ok((_, waiting, moved)) if waiting == moved => Settled::InTheFile,
        Ok(_) => Settled::Beside,
        Err(error) => {
            tracing::debug!(%error, "what is beside the database stays there");
            Settled::Beside
        }
    }
}
