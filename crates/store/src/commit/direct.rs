//! Connection of its own for groups of new bouts: a group is one piece of work on one thread,
//! and waits for the disk while the next one is written.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use sqlx::error::DatabaseError;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::super::direct::refused;
use super::super::open::{CACHE_KIB, PATIENCE, PENDING_PAGES};
use super::super::place::with_suffix;
use super::super::put::insert_directly;
use super::super::seal::Sealed;
use super::super::{Store, StoreError};
use super::Group;
use super::groups::sealed;
use joust_model::panics;

/// A thread with a connection that stores groups of new bouts, one for all clones of a store. It
/// ends when this is dropped.
#[derive(Debug)]
pub(in super::super) struct Direct {
    jobs: mpsc::Sender<Job>,
    thread: thread::JoinHandle<()>,
}

/// A group to be stored, and who waits for it.
struct Job {
    group: Group,
    answer: oneshot::Sender<Result<Put, StoreError>>,
}

struct Writer {
    store: Store,
    file: Connection,
    runtime: Handle,
}

/// What a group came to.
pub(super) enum Put {
    /// All is written, and reaches the disk with [`Journal::sync`].
    Written(Journal),
    /// Nothing is changed: a bout is there already, or its event is not.
    Refused,
}

/// The file beside a database that has what was written last.
pub(super) struct Journal(PathBuf);

impl Direct {
    /// Opens a connection. One thread has it for good: what SQLite holds in memory would lie in
    /// that of many otherwise, and be given back by none.
    pub(super) async fn open(store: &Store) -> Result<Self, StoreError> {
        let opened = open(store.path(), store.most_pages().await?);
        let file = opened.map_err(|error| store.error(refused(error)))?;
        // It would be held by itself.
        let store = store.without_direct();
        let mut writer = Writer { store: store.clone(), file, runtime: Handle::current() };
        let (jobs, arrivals) = mpsc::channel();
        let thread = thread::Builder::new().name("store".to_owned());
        let thread = thread.spawn(move || writer.store_all(&arrivals));
        let thread = thread.map_err(|error| store.error(sqlx::Error::Io(error)))?;
        Ok(Self { jobs, thread })
    }

    /// Closes the connection.
    pub(in super::super) async fn close(self) {
        drop(self.jobs);
        let ended = tokio::task::spawn_blocking(move || self.thread.join()).await;
        tracing::debug!(is_ended = ended.is_ok_and(|ended| ended.is_ok()), "the writer has ended");
    }

    /// Stores a group in one change, if none of its bouts is there.
    pub(super) async fn put(&self, group: &Group) -> Option<Result<Put, StoreError>> {
        let (answer, put) = oneshot::channel();
        self.jobs.send(Job { group: Arc::clone(group), answer }).ok()?;
        put.await.ok()
    }
}

impl Writer {
    fn store_all(&mut self, jobs: &mpsc::Receiver<Job>) {
        for Job { group, answer } in jobs {
            let put = panics::caught(|| self.put(&sealed(group.iter().map(Vec::as_slice))));
            let path = || self.store.path().to_owned();
            let put = put.unwrap_or_else(|text| Err(StoreError::Panicked { path: path(), text }));
            // Whoever waits has it for itself.
            drop(group);
            drop(answer.send(put));
        }
    }

    /// Stores bouts in one change, if none of them is there.
    fn put(&mut self, bouts: &[Sealed<'_>]) -> Result<Put, StoreError> {
        let failed = |error| self.store.error(refused(error));
        let change = self.file.transaction_with_behavior(TransactionBehavior::Immediate);
        let change = change.map_err(failed)?;
        let newest = change.query_row("SELECT max(number) FROM partitions", (), |row| row.get(0));
        let newest: Option<i64> = newest.map_err(failed)?;
        let ids: Vec<_> = bouts.iter().map(|bout| bout.plan.bout).collect();
        let are_closed = self.runtime.block_on(self.store.are_closed(&ids, newest))?;
        if are_closed || !has_events(&change, bouts).map_err(failed)? {
            return Ok(Put::Refused);
        }
        match insert_directly(&change, bouts).map_err(refused) {
            Ok(()) => change.commit().map_err(failed)?,
            Err(error) if is_met(&error) => return Ok(Put::Refused),
            Err(error) => return Err(self.store.error(error)),
        }
        Ok(Put::Written(Journal(with_suffix(self.store.path(), "-wal"))))
    }
}

impl Journal {
    /// Waits until everything in it is on the disk.
    pub(super) async fn sync(self, database: &Path) -> Result<(), StoreError> {
        let synced = tokio::task::spawn_blocking(move || sync(&self.0)).await;
        let synced = synced.unwrap_or_else(|error| Err(io::Error::other(error)));
        synced.map_err(|error| match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                StoreError::DiskFull { path: database.to_owned() }
            }
            _ => StoreError::Io { path: database.to_owned(), source: Arc::new(error) },
        })
    }
}

fn open(path: &Path, most_pages: i64) -> rusqlite::Result<Connection> {
    let file = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    file.busy_timeout(PATIENCE)?;
    // What rows name is put before them, or looked for once for all of them.
    file.pragma_update(None, "foreign_keys", false)?;
    file.pragma_update(None, "cache_size", CACHE_KIB)?;
    file.pragma_update(None, "wal_autocheckpoint", PENDING_PAGES)?;
    // The journal is waited for beside the next group.
    file.pragma_update(None, "synchronous", "NORMAL")?;
    file.pragma_update(None, "max_page_count", most_pages)?;
    Ok(file)
}

/// Says whether the events of all bouts are there.
fn has_events(file: &Connection, bouts: &[Sealed<'_>]) -> rusqlite::Result<bool> {
    let events: BTreeSet<&str> = bouts.iter().map(|bout| bout.plan.event.as_str()).collect();
    let mut found = file.prepare("SELECT 1 FROM events WHERE id = ?")?;
    for event in events {
        if !found.exists([event])? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Says whether SQLite refused a row because its bout is there already.
fn is_met(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(DatabaseError::is_unique_violation)
}

fn sync(journal: &Path) -> io::Result<()> {
    match File::open(journal) {
        Ok(journal) => journal.sync_data(),
        // All of it is in the database file, which had to be on the disk before.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
