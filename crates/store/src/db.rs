//! Opening a database: its settings, its connections, and the limits on files from strangers.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use sqlx::pool::PoolConnection;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Connection as _, Sqlite};

use super::bounds::QueryLimits;
use super::database_path::{self, Fingerprint, Occupied};
use super::error::primary_code;
use super::schema::{create, migrate};
use super::{CheckpointOutcome, StoreError};

/// Busy timeout: the longest wait for another connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Purpose for which a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// For reading and writing; made when it does not exist.
    CreateOrOpen,
    /// For reading and writing; an error when it does not exist.
    MustExist,
    /// For reading; nothing is written, not even a migration.
    ReadOnly,
}

/// An open database. Cheap to clone; clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    path: Arc<Path>,
    pub(super) readers: SqlitePool,
    pub(super) writer: Option<SqlitePool>,
    /// Metadata of the file when it was opened, if the store reads an immutable snapshot of it.
    as_it_was: Option<Fingerprint>,
    is_interrupted: Arc<AtomicBool>,
}

/// Detects commits since the last call.
#[derive(Debug)]
pub struct Changes {
    store: Store,
    connection: PoolConnection<Sqlite>,
    seen: Option<i64>,
}

impl Store {
    /// Opens the database at `path` and brings its tables up to date.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it is not there, not a database of Joust, damaged, of
    /// another version, or cannot be read or written.
    pub async fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        Self::open_with(path, options(path), access).await
    }

    /// Opens or makes a database that may not grow above `pages` pages of 8 KiB,
    /// as if its disk were that small.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub async fn open_with_at_most(path: &Path, pages: u32) -> Result<Self, StoreError> {
        let options = options(path).pragma("max_page_count", pages.to_string());
        Self::open_with(path, options, Access::CreateOrOpen).await
    }

    /// SQLite does not wait for another process that is making the same database or setting its
    /// journal mode, whatever the busy timeout is.
    async fn open_with(
        path: &Path,
        options: SqliteConnectOptions,
        access: Access,
    ) -> Result<Self, StoreError> {
        // The lock file is beside the file itself, not beside the links to it.
        let path = &database_path::resolve_link(path.to_owned());
        let patient_until = Instant::now() + PATIENCE;
        loop {
            match Self::try_open(path, options.clone().filename(path), access).await {
                Err(StoreError::Busy { .. }) if Instant::now() < patient_until => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                other => return other,
            }
        }
    }

    async fn try_open(
        path: &Path,
        options: SqliteConnectOptions,
        access: Access,
    ) -> Result<Self, StoreError> {
        let is_there = match (database_path::occupied(path)?, access) {
            (Occupied::File, _) => true,
            (Occupied::Nothing { is_file }, Access::CreateOrOpen) => {
                if !is_file {
                    create(path, options.clone()).await?;
                }
                false
            }
            (Occupied::Nothing { is_file: true }, _) => {
                let is = "an empty file, not a database";
                return Err(StoreError::NotADatabase { path: path.to_owned(), is });
            }
            (Occupied::Nothing { is_file: false }, _) => {
                return Err(StoreError::NotThere(path.to_owned()));
            }
        };
        if is_there {
            let reader = || Self::open_reader(path, options.clone(), access);
            let mut opened = in_time(path, OPENING_TAKES, reader()).await;
            if access != Access::ReadOnly && matches!(opened, Err(StoreError::Unfinished { .. })) {
                undo_change(path, options.clone()).await?;
                opened = in_time(path, OPENING_TAKES, reader()).await;
            }
            let reader = opened?;
            if access == Access::ReadOnly {
                return Ok(reader);
            }
            reader.readers.close().await;
        }
        let store = Self::open_writer(path, options).await?;
        if !is_there {
            store.checkpoint_some().await;
        }
        store.refuse_damage_of_a_small_one().await?;
        Ok(store)
    }

    /// Opens a database for reading, after checking that it is one of Joust. In a folder without
    /// write permission the files that readers share cannot be made; then the store reads a
    /// snapshot of the file.
    async fn open_reader(
        path: &Path,
        options: SqliteConnectOptions,
        access: Access,
    ) -> Result<Self, StoreError> {
        let options = options.read_only(true);
        let patient_until = Instant::now() + SHARED_FILES_TAKE;
        loop {
            let as_it_was = Fingerprint::of(path);
            let store = Self::of_reader(path, options.clone()).await?;
            let tried = sqlx::query("SELECT count(*) FROM sqlite_schema").execute(&store.readers);
            let Err(error) = tried.await else {
                store.check_schema(access).await?;
                return Ok(store);
            };
            store.readers.close().await;
            let has_no_place = matches!(primary_code(&error), Some(8 | 14))
                && database_path::is_empty(&database_path::with_suffix(path, "-wal"))
                && database_path::is_empty(&database_path::with_suffix(path, "-journal"));
            if !has_no_place {
                return Err(StoreError::from_sqlx(path, error));
            }
            if !database_path::is_in_a_folder_to_write(path) || Instant::now() >= patient_until {
                let store = Self::of_reader(path, options.immutable(true)).await?;
                store.check_schema(access).await?;
                return Ok(Self { as_it_was: Some(as_it_was), ..store });
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn of_reader(path: &Path, options: SqliteConnectOptions) -> Result<Self, StoreError> {
        let is_interrupted = Arc::default();
        let limits = QueryLimits::new(path, &is_interrupted);
        let readers = connect(path, options, limits.apply_to(connections(4))).await?;
        let (path, writer, as_it_was) = (path.into(), None, None);
        Ok(Self { path, readers, writer, as_it_was, is_interrupted })
    }

    /// Opens a database with all tables up to date; makes it when it is not there.
    async fn open_writer(path: &Path, options: SqliteConnectOptions) -> Result<Self, StoreError> {
        let options = options
            .create_if_missing(true)
            .synchronous(SqliteSynchronous::Full)
            .journal_mode(SqliteJournalMode::Wal);
        let many = options.clone().pragma("cache_size", CACHE_KIB);
        let writer =
            connect(path, many.pragma("wal_autocheckpoint", PENDING_PAGES), connections(1));
        let writer = writer.await?;
        migrate(path, &writer).await?;
        let readers = options.create_if_missing(false).read_only(true);
        let store = Self::of_reader(path, readers).await?;
        Ok(Self { writer: Some(writer), ..store })
    }

    /// Checks a small database for damage, so that the error comes before anything is played. A big
    /// file is not checked because that takes too long.
    async fn refuse_damage_of_a_small_one(&self) -> Result<(), StoreError> {
        match database_path::bytes_of(&self.path) > CHECKED_BYTES {
            true => Ok(()),
            false => self.check_structure("PRAGMA quick_check(1)").await,
        }
    }

    /// Opens the database again as a snapshot of this moment: later commits are not visible, so
    /// everything read from it is consistent. It runs one query at a time.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn at_one_moment(&self) -> Result<Self, StoreError> {
        let options = self.readers.connect_options().as_ref().clone();
        let limits = QueryLimits::new(&self.path, &self.is_interrupted);
        // The connection stays in one transaction, so it has no `after_release` that would drop it.
        let readers = limits.apply_to(SqlitePoolOptions::new().max_connections(1));
        let readers = readers.idle_timeout(None).max_lifetime(None).connect_with(options).await;
        let readers = readers.map_err(|error| self.error(error))?;
        let begun = begin_for_good(&readers).await;
        begun.map_err(|error| self.error(error))?;
        Ok(Self { readers, writer: None, ..self.clone() })
    }

    /// Copies the database at `from` to the new file `to`, with the rows in the `-wal` file.
    /// Nothing is written to `from`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when `from` is not there or not a database of Joust, or `to`
    /// cannot be written; then there is no `to`.
    pub async fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
        let source = Self::open(from, Access::ReadOnly).await?;
        source.refuse_growth().await?;
        let begun = database_path::with_suffix(to, ".new");
        _ = std::fs::remove_file(&begun);
        let copied = sqlx::query("VACUUM INTO ?")
            .bind(begun.to_string_lossy().into_owned())
            .execute(&source.readers)
            .await
            .map_err(|error| StoreError::from_sqlx(to, error));
        source.close().await;
        let renamed = copied
            .and_then(|_| std::fs::rename(&begun, to).map_err(|error| StoreError::io(to, error)));
        if renamed.is_err() {
            _ = std::fs::remove_file(&begun);
        }
        renamed
    }

    /// Returns whether the store reads a snapshot and the file has changed since, so that it has to
    /// be opened again. Stores are snapshots where their folder cannot be written.
    pub fn is_outdated(&self) -> bool {
        self.as_it_was.as_ref().is_some_and(|before| Fingerprint::of(&self.path) != *before)
    }

    /// Ends current and future reads with [`StoreError::Stopped`].
    pub fn interrupt(&self) {
        self.is_interrupted.store(true, Ordering::Relaxed);
    }

    /// Returns the path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Moves pending rows into the database file and closes it; returns where the rows are then.
    /// Clones are closed too.
    pub async fn close(&self) -> CheckpointOutcome {
        self.readers.close().await;
        let outcome = self.checkpoint_all().await;
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        outcome
    }

    pub(super) fn error(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sqlx(&self.path, error)
    }

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

/// The longest time that an examination of a database may take when it is opened, without waits for
/// other processes.
const OPENING_TAKES: Duration = Duration::from_secs(30);

/// Gives up an examination that takes too long. SQLite reads its statistics (`sqlite_stat1`) before
/// any of our statements, and a stranger's file can define them as computed columns. One step of
/// such a computation may never end, and the limit on steps is only checked between steps.
async fn in_time<T>(
    path: &Path,
    most: Duration,
    examined: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    let stopped = |_| Err(StoreError::Stopped(path.to_owned()));
    tokio::time::timeout(most, examined).await.unwrap_or_else(stopped)
}

/// The longest wait for another process that is making or removing the files that readers share.
const SHARED_FILES_TAKE: Duration = Duration::from_secs(1);

/// Page size of new databases. Larger pages need fewer system calls for large reads and writes, and
/// more bytes for small writes.
const PAGE_BYTES: u32 = 8192;

/// Cache of the connection that writes, in negative KiB. It fits the index of ids of two million
/// bouts, which is accessed in random order.
const CACHE_KIB: &str = "-65536";

/// Number of pages of 8 KiB that wait in the `-wal` file before a checkpoint.
const PENDING_PAGES: &str = "8192";

/// Limit of SQLite's memory in this process, bytes: a database of a few KiB can compute a text of
/// any length.
const HEAP_BYTES: &str = "1073741824";

/// The largest file that is checked whenever it is opened for writing.
const CHECKED_BYTES: u64 = 32 << 20;

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .page_size(PAGE_BYTES)
        .pragma("trusted_schema", "OFF")
        .pragma("cell_size_check", "ON")
        .pragma("hard_heap_limit", HEAP_BYTES)
}

async fn connect(
    path: &Path,
    options: SqliteConnectOptions,
    pool: SqlitePoolOptions,
) -> Result<SqlitePool, StoreError> {
    let pool = pool.connect_with(options).await;
    pool.map_err(|error| StoreError::from_sqlx(path, error))
}

/// Opens the database for writing, so that SQLite rolls back the change of a process that was
/// killed.
async fn undo_change(path: &Path, options: SqliteConnectOptions) -> Result<(), StoreError> {
    let writer = connect(path, options.create_if_missing(false), connections(1)).await?;
    let undone = sqlx::query("SELECT count(*) FROM sqlite_schema").execute(&writer).await;
    writer.close().await;
    undone.map(drop).map_err(|error| StoreError::from_sqlx(path, error))
}

/// Makes pool options without timeouts: a file's connections need not be renewed.
fn connections(most: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(most)
        .idle_timeout(None)
        .max_lifetime(None)
        .after_release(|connection, _| Box::pin(is_at_rest(connection)))
}

/// Returns whether a connection is outside a transaction. After some failures, such as a full disk,
/// SQLite rolls back by itself. sqlx's count of open transactions does not notice, so the
/// connection could not begin another one.
async fn is_at_rest(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // Waits for a pending rollback.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Begins a transaction that lasts as long as the only connection of `readers`; what others begin
/// is a part of it.
async fn begin_for_good(readers: &SqlitePool) -> Result<(), sqlx::Error> {
    let mut connection = readers.acquire().await?;
    std::mem::forget((*connection).begin().await?);
    // SQLite takes the snapshot at the first read.
    sqlx::query("SELECT count(*) FROM sqlite_schema").execute(&mut *connection).await?;
    Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

    async fn made() -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        (folder, Store::open(&path, Access::CreateOrOpen).await.expect("a database"))
    }

    async fn read(store: &Store) -> StoreError {
        let read = sqlx::query(ENDLESS).fetch_all(&store.readers).await;
        store.error(read.expect_err("it never ends"))
    }

    #[tokio::test]
    async fn a_query_that_never_ends_is_given_up() {
        let (_folder, store) = made().await;
        assert!(matches!(read(&store).await, StoreError::Stopped { .. }));
        store.events().await.expect("the next query has its own limit");
        let moment = store.at_one_moment().await.expect("opened");
        assert!(matches!(read(&moment).await, StoreError::Stopped { .. }));
    }

    #[tokio::test]
    async fn memory_of_sqlite_is_bounded() {
        let (_folder, store) = made().await;
        let limit = sqlx::query_scalar("PRAGMA hard_heap_limit").fetch_one(&store.readers).await;
        let limit: i64 = limit.expect("a limit");
        assert_eq!(limit.to_string(), HEAP_BYTES);
        let long = "SELECT length(hex(zeroblob(480000000)))";
        sqlx::query(long).fetch_one(&store.readers).await.expect_err("too long for it");
    }

    #[tokio::test]
    async fn a_step_that_never_ends_is_given_up() {
        let (_folder, store) = made().await;
        // Each row is one step that takes some hundredths of a second.
        let slow = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) \
                    SELECT length(hex(zeroblob(20000000 + i))) FROM n";
        let reading = async {
            let read = sqlx::query(slow).fetch_all(&store.readers).await;
            read.map_err(|error| store.error(error))
        };
        let began = Instant::now();
        let read = in_time(store.path(), Duration::from_millis(200), reading).await;
        assert!(matches!(read, Err(StoreError::Stopped { .. })));
        assert!(began.elapsed() < Duration::from_secs(5));
        store.interrupt();
    }

    #[tokio::test]
    async fn an_interrupt_ends_what_is_being_read() {
        let (_folder, store) = made().await;
        let (began, clone) = (Instant::now(), store.clone());
        let reading = tokio::spawn(async move { read(&clone).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        store.interrupt();
        assert!(matches!(reading.await.expect("no panic"), StoreError::Stopped { .. }));
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}
