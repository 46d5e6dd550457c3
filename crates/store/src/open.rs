//! Opening a database: its version, its settings, its connections.

mod reading;

use async_recursion::async_recursion as boxed;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteSynchronous,
};
use sqlx::{Connection as _, Sqlite, Transaction};

use super::migrations::MIGRATIONS;
use super::place::Moment;
use super::settle::settle_what_was_left;
use super::{Settled, StoreError, making, place};
pub(super) use reading::connect_to_read;

/// How long another connection is waited for.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What a database is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading and writing; made when it is not there.
    CreateOrOpen,
    /// Reading and writing; an error when it is not there.
    MustExist,
    /// Reading; nothing is written, not even a newer version of the tables.
    ReadOnly,
}

/// An open database. Cheap to clone; clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    path: Arc<Path>,
    readers: SqlitePool,
    writer: Option<SqlitePool>,
    /// What the file was when it was opened, where nothing is seen of what is stored later.
    as_it_was: Option<Moment>,
}

impl Store {
    /// Opens the database at `path` and brings its tables up to date.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it is not there, not a database of Joust, damaged, of
    /// another version, or cannot be read or written.
    #[boxed]
    pub async fn open(path: &Path, access: Access) -> Result<Self, StoreError> {
        // The lock is beside the file itself, whatever links lead to it.
        let path = &place::followed(path.to_owned());
        match access {
            Access::ReadOnly => Self::open_to_read(path).await,
            Access::CreateOrOpen | Access::MustExist => {
                Self::open_to_write(path, options(path), access).await
            }
        }
    }

    /// Opens or makes a database that may not grow above `pages` pages of 8 KiB,
    /// as if its disk were that small.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    #[boxed]
    pub async fn open_with_at_most(path: &Path, pages: u32) -> Result<Self, StoreError> {
        let options = options(path).pragma("max_page_count", pages.to_string());
        Self::open_to_write(path, options, Access::CreateOrOpen).await
    }

    /// SQLite does not wait for another that is just making the same database
    /// or giving it its journal, whatever the busy timeout says.
    async fn open_to_write(
        path: &Path,
        options: SqliteConnectOptions,
        access: Access,
    ) -> Result<Self, StoreError> {
        let patient_until = Instant::now() + PATIENCE;
        loop {
            match Self::try_open_to_write(path, options.clone(), access).await {
                Err(StoreError::Busy { .. }) if Instant::now() < patient_until => {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                other => return other,
            }
        }
    }

    async fn try_open_to_write(
        path: &Path,
        options: SqliteConnectOptions,
        access: Access,
    ) -> Result<Self, StoreError> {
        if place::is_new(path, access)? {
            making::make(path, &options).await?;
        }
        making::sweep_second_name(path);
        settle_what_was_left(path).await;
        refuse_foreign(path, options.clone().read_only(true), access).await?;
        let store = Self::connect_to_write(path, options, SqliteJournalMode::Wal).await?;
        store.refuse_damage_of_a_small_one().await?;
        Ok(store)
    }

    /// Opens with all tables up to date.
    async fn connect_to_write(
        path: &Path,
        options: SqliteConnectOptions,
        journal: SqliteJournalMode,
    ) -> Result<Self, StoreError> {
        let options = options.synchronous(SqliteSynchronous::Full);
        let wal = options.journal_mode(journal);
        let writer = connect(path, for_much(wal.clone()), 1).await?;
        migrate(path, &writer).await?;
        let readers = connect(path, wal.create_if_missing(false).read_only(true), 4).await?;
        Ok(Self::of_pools(path, readers, Some(writer)))
    }

    fn of_pools(path: &Path, readers: SqlitePool, writer: Option<SqlitePool>) -> Self {
        Self { path: path.into(), readers, writer, as_it_was: None }
    }

    /// Makes a database of all its tables at the place that `options` name, and closes it;
    /// errors speak of `path`.
    pub(super) async fn make_whole(
        path: &Path,
        options: SqliteConnectOptions,
    ) -> Result<(), StoreError> {
        // Half of it is thrown away: a journal would only take room.
        let made = options.clone().create_if_missing(true);
        let store = Self::connect_to_write(path, made, SqliteJournalMode::Memory).await?;
        let settled = store.close().await;
        let wal = options.create_if_missing(false).journal_mode(SqliteJournalMode::Wal);
        connect(path, wal, 1).await?.close().await;
        match settled {
            Settled::InTheFile => Ok(()),
            Settled::Beside => Err(StoreError::Io {
                path: path.to_owned(),
                source: Arc::new(std::io::Error::other("it could not be written whole")),
            }),
        }
    }

    async fn open_to_read(path: &Path) -> Result<Self, StoreError> {
        making::sweep_second_name(path);
        settle_what_was_left(path).await;
        let options = options(path).read_only(true);
        refuse_foreign(path, options.clone(), Access::ReadOnly).await?;
        let (readers, as_it_was) = connect_to_read(path, options).await?;
        let store = Self { as_it_was, ..Self::of_pools(path, readers, None) };
        store.refuse_older().await?;
        Ok(store)
    }

    /// Damage is better met before anything is played than in the middle; a big
    /// file would keep everybody waiting.
    async fn refuse_damage_of_a_small_one(&self) -> Result<(), StoreError> {
        let size = std::fs::metadata(&self.path).map(|data| data.len()).unwrap_or(0);
        if size > CHECKED_BYTES { Ok(()) } else { self.quick_check().await }
    }

    async fn refuse_older(&self) -> Result<(), StoreError> {
        let newest: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&self.readers)
            .await
            .map_err(|error| self.error(error))?;
        let (version, known) = (newest.unwrap_or(0), newest_known());
        match version.cmp(&known) {
            std::cmp::Ordering::Less => {
                Err(StoreError::Older { path: self.path.to_path_buf(), version, known })
            }
            std::cmp::Ordering::Equal => Ok(()),
            std::cmp::Ordering::Greater => {
                Err(StoreError::Newer { path: self.path.to_path_buf(), version, known })
            }
        }
    }

    /// Returns where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes what is pending into the database file and closes it; says where
    /// everything is then. Clones are closed too.
    #[boxed]
    pub async fn close(&self) -> Settled {
        self.readers.close().await;
        let settled = self.settle().await;
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        settled
    }

    pub(super) fn writer(&self) -> Option<&SqlitePool> {
        self.writer.as_ref()
    }

    pub(super) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Begins a change that is made whole or not at all.
    pub(super) async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        let Some(writer) = &self.writer else {
            return Err(StoreError::ReadOnly { path: self.path.to_path_buf() });
        };
        writer.begin_with("BEGIN IMMEDIATE").await.map_err(|error| self.error(error))
    }

    pub(super) async fn commit(&self, change: Transaction<'_, Sqlite>) -> Result<(), StoreError> {
        change.commit().await.map_err(|error| self.error(error))
    }

    pub(super) fn error(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sqlx(&self.path, error)
    }
}

pub(super) fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        .page_size(PAGE_BYTES)
}

/// Pages of new databases: larger ones take fewer calls of the system to write and to read much,
/// and more bytes to write little.
const PAGE_BYTES: u32 = 8192;

/// Bouts come in no order of their ids, so that their index is written all over:
/// it stays in memory, and reaches the file only now and then.
fn for_much(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options.pragma("cache_size", CACHE_KIB).pragma("wal_autocheckpoint", PENDING_PAGES)
}

/// What of a database the one who writes holds in memory, negative KiB.
const CACHE_KIB: &str = "-32768";

/// How many pages of 8 KiB wait beside the database file before they go there.
const PENDING_PAGES: &str = "8192";

pub(super) async fn connect(
    path: &Path,
    options: SqliteConnectOptions,
    most: u32,
) -> Result<SqlitePool, StoreError> {
    let pool = connections(most).after_release(|connection, _| Box::pin(is_at_rest(connection)));
    let pool = pool.connect_with(options).await;
    pool.map_err(|error| StoreError::from_sqlx(path, error))
}

/// A file needs no new connection after some time, and a moment would be lost with its own.
fn connections(most: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new().max_connections(most).idle_timeout(None).max_lifetime(None)
}

/// Says whether a connection is in no change. After some failures, as of a full disk, SQLite undoes a
/// change by itself; what counts changes here does not hear of it, and would begin none any more.
async fn is_at_rest(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    // Undoing a change that was given up is waited for.
    connection.ping().await?;
    Ok(!connection.is_in_transaction())
}

/// Looks at a file before anything is written to it.
pub(super) async fn refuse_foreign(
    path: &Path,
    options: SqliteConnectOptions,
    access: Access,
) -> Result<(), StoreError> {
    if place::is_new(path, access)? {
        return Ok(());
    }
    let (pool, _) = connect_to_read(path, options.create_if_missing(false)).await?;
    let found = look(&pool).await.map_err(|error| StoreError::from_sqlx(path, error));
    pool.close().await;
    let (application, tables) = found?;
    let ours = application == APPLICATION || (tables == 0 && access == Access::CreateOrOpen);
    if ours { Ok(()) } else { Err(StoreError::NotOurs { path: path.to_owned() }) }
}

/// The largest file that is checked whenever it is opened for writing.
const CHECKED_BYTES: u64 = 32 << 20;

/// The mark in the header of every database of Joust: `Jous`.
const APPLICATION: i64 = 0x4a6f_7573;

/// Returns the mark and the number of tables, as they were at one moment: another may be just
/// making them.
async fn look(pool: &SqlitePool) -> Result<(i64, i64), sqlx::Error> {
    let mut moment = pool.begin().await?;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE name NOT IN ('_sqlx_migrations', 'sqlite_autoindex__sqlx_migrations_1')";
    let tables = sqlx::query_scalar(tables).fetch_one(&mut *moment).await?;
    let mark = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *moment).await?;
    Ok((mark, tables))
}

/// Whoever makes a database at the same moment may be faster, at worst at every
/// migration anew; the next look finds what was made.
async fn migrate(path: &Path, writer: &SqlitePool) -> Result<(), StoreError> {
    for _ in MIGRATIONS.iter() {
        if MIGRATIONS.run(writer).await.is_ok() {
            return Ok(());
        }
    }
    MIGRATIONS.run(writer).await.map_err(|error| migration_error(path, error))
}

fn newest_known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

fn migration_error(path: &Path, error: sqlx::migrate::MigrateError) -> StoreError {
    use sqlx::migrate::MigrateError as Problem;
    let path: PathBuf = path.to_owned();
    match error {
        Problem::VersionMissing(version) => {
            StoreError::Newer { path, version, known: newest_known() }
        }
        Problem::VersionMismatch(version) => StoreError::Foreign { path, version },
        Problem::Execute(error) | Problem::ExecuteMigration(error, _) => {
            StoreError::from_sqlx(&path, error)
        }
        other => StoreError::Sql { path, source: Arc::new(other) },
    }
}
