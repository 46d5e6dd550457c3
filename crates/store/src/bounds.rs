//! Bounds of what is read from a database. The file may come from a stranger: sums over many rows
//! must not overflow, columns may be of any length, and a query may be made to hold its reader for
//! ever.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};
use sqlx::sqlite::{SqliteConnection, SqlitePoolOptions};

use crate::database_path;

/// The end of the year 9999, milliseconds since 1970.
pub(super) const LATEST_MS: i64 = 253_402_300_799_999;

/// A year, in nanoseconds.
pub(super) const LONGEST_NS: i64 = 366 * 24 * 3600 * 1_000_000_000;

/// The most millionths of points that a seat has, either way: those of `Score::MOST`.
pub(super) const MOST_MILLIONTHS: i64 = 9_000_000_000_000_000;

/// Upper bound of every other count, such as bytes or the matches of an event.
pub(super) const MOST_COUNTED: i64 = 1 << 50;

/// Tables that are read whole, with the columns that may be of any length.
pub(super) const READ_WHOLE: [(&str, &[&str]); 10] = [
    ("tournament", &["name"]),
    ("events", &["id", "settings"]),
    ("bots", &["event", "name", "author", "owner", "language", "build", "sits_out"]),
    ("builds", &["hash", "language", "toolchain", "recipe", "log_head", "result"]),
    ("sources", &["build", "hash", "name", "place", "commit_id", "files"]),
    ("calibrations", &["machine", "language", "game"]),
    ("documents", &["text"]),
    ("decisions", &["event", "bot", "decision", "reason"]),
    ("history", &["change", "reason", "document", "action_log", "turn_log"]),
    ("accounts", &["game", "name", "password"]),
];

/// Columns of `bots` that every table and page repeats.
pub(super) const OF_A_BOT: [&str; 4] = ["name", "author", "owner", "language"];

/// The most bytes of such a column: a manifest has no more.
pub(super) const LONGEST_OF_A_BOT: usize = 64 << 10;

/// Tables that are read row by row, with the columns that may be of any length.
pub(super) const READ_BY_ROWS: [(&str, &[&str]); 4] = [
    (
        "bouts",
        &[
            "event",
            "key",
            "game",
            "rules",
            "ended",
            "state_hash",
            "tier",
            "machine",
            "joust_version",
            "clock",
            "referee",
        ],
    ),
    ("seats", &["bot", "build", "numbers"]),
    ("logs", &["action_log", "turn_log"]),
    ("chain", &["kind", "subject", "digest", "detail", "hash"]),
];

/// Limits of what is read: a database that was made to hold its reader for ever is given up.
#[derive(Clone)]
pub(super) struct QueryLimits {
    path: Arc<Path>,
    is_interrupted: Arc<AtomicBool>,
    /// Processor time that SQLite may take however small a database is.
    least_time: Duration,
}

/// Number of steps of SQLite's machine between two checks of the limits.
const STEPS: i32 = 10_000;

/// Number of times as many steps that are taken however small a database is: some seconds.
const LEAST: u64 = 50_000;

/// For how many bytes of a database so many more steps are taken: a bout of 1,200 bytes is read in
/// some hundreds, and gets 20,000.
const BYTES: u64 = 600;

/// Processor time that SQLite may take however small a database is. A step may read a text that
/// many rows share, and takes as long as the text is.
const LEAST_TIME: Duration = Duration::from_secs(60);

/// Number of bytes of a database for which a millisecond more is taken: they are read in some
/// hundredths of it.
const BYTES_IN_A_MILLISECOND: u64 = 4096;

/// Returns the processor time that this thread, which is SQLite's of one connection, has taken.
fn time_of_thread() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

impl QueryLimits {
    pub(super) fn new(path: &Path, is_interrupted: &Arc<AtomicBool>) -> Self {
        let (path, is_interrupted) = (path.into(), Arc::clone(is_interrupted));
        Self { path, is_interrupted, least_time: LEAST_TIME }
    }

    /// Sets the limits whenever a connection is taken.
    pub(super) fn apply_to(self, pool: SqlitePoolOptions) -> SqlitePoolOptions {
        let later = self.clone();
        pool.after_connect(move |connection, _| Box::pin(self.clone().set(connection)))
            .before_acquire(move |connection, _| {
                let limits = later.clone();
                Box::pin(async { limits.set(connection).await.map(|()| true) })
            })
    }

    async fn set(self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let bytes = database_path::bytes_of(&self.path);
        let mut left = LEAST.saturating_add(bytes / BYTES);
        let most = self.least_time + Duration::from_millis(bytes / BYTES_IN_A_MILLISECOND);
        let mut began = None;
        connection.lock_handle().await?.set_progress_handler(STEPS, move || {
            left = left.saturating_sub(1);
            let now = time_of_thread();
            let took = now.saturating_sub(*began.get_or_insert(now));
            left > 0 && took <= most && !self.is_interrupted.load(Ordering::Relaxed)
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::{Access, Store, StoreError};

    #[tokio::test]
    async fn steps_that_take_long_are_bounded_by_their_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        let limits = QueryLimits::new(store.path(), &Arc::default());
        let limits = QueryLimits { least_time: Duration::from_millis(100), ..limits };
        let mut connection = store.readers.acquire().await.expect("a connection");
        limits.set(&mut connection).await.expect("set");
        // 100 million steps would be admitted, and take hours.
        let long = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10000000) \
                    SELECT sum(length(hex(zeroblob(100000 + i % 2)))) FROM n";
        let (began, read) = (Instant::now(), sqlx::query(long).fetch_all(&mut *connection).await);
        let error = store.error(read.expect_err("it takes too long"));
        assert!(matches!(error, StoreError::Stopped { .. }), "{error}");
        assert!(began.elapsed() < Duration::from_secs(60));
    }
}
