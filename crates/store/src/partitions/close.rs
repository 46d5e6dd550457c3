//! Closing: the bouts of the head become a partition.
//!
//! In this order, so that whoever is killed at any moment loses nothing: the file is made whole
//! under another name; one change of the head begins to list it and to delete what it has; the file
//! reaches the disk and is given its own name; the change is made. Before that the file is not part
//! of the database, and the next who closes writes it anew. When the chain has grown meanwhile
//! nothing is closed.

use async_recursion::async_recursion as boxed;
use std::fs::{self, File};
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};
use tokio::sync::oneshot;

use super::super::direct;
use super::super::making;
use super::super::open::{CACHE_KIB, PATIENCE, PENDING_PAGES};
use super::super::place::{self, with_suffix};
use super::super::row::Reader;
use super::{Filter, HEADER, Store, StoreError, file_of, fill, header_of};
use joust_model::panics;

/// How many bouts a database has before they are moved to a partition, unless somebody says
/// another number.
pub(in super::super) const BOUTS: u64 = 1_000_000;

/// What of the head goes into a partition.
#[derive(Clone, Debug)]
struct Span {
    number: i64,
    rows: RangeInclusive<i64>,
    links: RangeInclusive<i64>,
    /// The newest link of the chain, which stays: the next one follows from it.
    newest: i64,
}

/// A partition in the making.
struct Making {
    /// The database.
    head: PathBuf,
    /// The file, under the name that it has while it is made,
    begun: PathBuf,
    /// and its own.
    path: PathBuf,
    span: Span,
}

/// What goes from the head where other bouts stay in it; a row before that which it refers to.
const DELETED: [&str; 3] = [
    "DELETE FROM logs WHERE bout BETWEEN ? AND ?",
    "DELETE FROM seats WHERE bout BETWEEN ? AND ?",
    "DELETE FROM bouts WHERE number BETWEEN ? AND ?",
];

/// What goes where none stay: tables that SQLite drops at once.
const EMPTIED: &str = "DELETE FROM logs; DELETE FROM seats; DELETE FROM bouts";

/// What stays of the chain then: the newest link.
const CHAIN_KEPT: &str =
    "CREATE TEMP TABLE kept AS SELECT * FROM chain WHERE number NOT BETWEEN ? AND ?";

/// What goes of it.
const CHAIN_EMPTIED: &str =
    "DELETE FROM chain; INSERT INTO chain SELECT * FROM kept; DROP TABLE kept";

impl Store {
    /// Moves the bouts of the head to a partition of their own; says whether there were any,
    /// and nobody else wrote meanwhile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a file cannot be written; then everything is as before.
    #[boxed]
    pub async fn close_partition(&self) -> Result<bool, StoreError> {
        let is_closed = self.close_partition_without_totals().await?;
        if is_closed {
            self.renew_totals_if_possible().await;
        }
        Ok(is_closed)
    }

    /// Moves the bouts of the head as [`Store::close_partition`] does. Their totals are for
    /// whoever has time.
    pub(in super::super) async fn close_partition_without_totals(
        &self,
    ) -> Result<bool, StoreError> {
        match self.span().await? {
            Some(span) => self.close_span(&span).await,
            None => Ok(false),
        }
    }

    /// Moves the bouts of a head that has many times as many as a partition, as after joining
    /// databases, to partitions of [`Store::with_partitions_of`] bouts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a file cannot be written; then the bouts that are left stay.
    #[boxed]
    pub async fn close_full_partitions(&self) -> Result<(), StoreError> {
        while self.bouts_in_head().await? >= self.most_in_head() {
            let Some(span) = self.span().await? else { return Ok(()) };
            let span = self.cut(span).await?;
            if !self.close_span(&span).await? {
                return Ok(());
            }
            self.renew_totals_if_possible().await;
        }
        Ok(())
    }

    /// Returns the part of a span that has as many bouts as a partition.
    async fn cut(&self, whole: Span) -> Result<Span, StoreError> {
        let row: (Option<i64>, Option<i64>) = sqlx::query_as(
            "SELECT max(number), max(link) FROM \
             (SELECT number, link FROM bouts WHERE number >= ? ORDER BY number LIMIT ?)",
        )
        .bind(whole.rows.start())
        .bind(i64::try_from(self.most_in_head()).unwrap_or(i64::MAX))
        .fetch_one(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        let (Some(last_row), Some(last_link)) = row else { return Ok(whole) };
        let links = *whole.links.start()..=last_link.min(*whole.links.end());
        Ok(Span { rows: *whole.rows.start()..=last_row, links, ..whole })
    }

    async fn close_span(&self, span: &Span) -> Result<bool, StoreError> {
        self.refuse_strange_partition().await?;
        let path = file_of(self.path(), span.number);
        let (head, begun) = (self.path().to_owned(), with_suffix(&path, ".making"));
        let making = Making { head, begun, path, span: span.clone() };
        // A thread of the moment leaves its memory to the next one; one of those that do
        // anything would keep it.
        let (answer, closed) = oneshot::channel();
        let thread = thread::Builder::new().name("store:closing".to_owned());
        let thread = thread.spawn(move || drop(answer.send(panics::caught(|| making.close()))));
        thread.map_err(|error| self.error(sqlx::Error::Io(error)))?;
        let closed = closed.await.unwrap_or_else(|_| Err("the thread has ended".to_owned()));
        let path = || self.path().to_owned();
        closed.unwrap_or_else(|text| Err(StoreError::Panicked { path: path(), text }))
    }

    /// Returns what of the head would go into the next partition.
    async fn span(&self) -> Result<Option<Span>, StoreError> {
        let row = sqlx::query(
            "SELECT p.number AS number, p.first_row AS first_row, p.first_link AS first_link, \
             (SELECT max(number) FROM bouts) AS last_row, (SELECT max(number) FROM chain) AS last_link \
             FROM (SELECT coalesce(max(number), 0) + 1 AS number, \
             coalesce(max(last_row), 0) + 1 AS first_row, coalesce(max(last_link), -1) + 1 AS first_link \
             FROM partitions) AS p",
        )
        .fetch_one(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        let reader = Reader::new("partitions", "number", &row);
        let first: i64 = reader.get("first_row")?;
        let last: Option<i64> = reader.get("last_row")?;
        let Some(last) = last.filter(|last| *last >= first) else { return Ok(None) };
        let newest: i64 = reader.get("last_link")?;
        let links = reader.get("first_link")?..=newest - 1;
        Ok(Some(Span { number: reader.get("number")?, rows: first..=last, links, newest }))
    }

    /// Returns how many bouts of the head are in no partition.
    pub(in super::super) async fn bouts_in_head(&self) -> Result<u64, StoreError> {
        let span = self.span().await?;
        Ok(span.map_or(0, |span| span.rows.end().abs_diff(*span.rows.start()) + 1))
    }
}

impl Making {
    /// Makes the file and lists it.
    fn close(&self) -> Result<bool, StoreError> {
        making::sweep(&self.begun);
        let filled = fill::fill(&self.head, &self.begun, &self.span.rows, &self.span.links);
        let closed = match filled {
            Ok(filter) => self.list(&filter),
            Err(error) => Err(StoreError::from_sqlx(&self.begun, direct::refused(error))),
        };
        making::sweep(&self.begun);
        closed
    }

    /// Gives the partition its place, lists it, and deletes from the head what it has; not when
    /// somebody else has written since. The disk is waited for while rows are deleted.
    fn list(&self, filter: &Filter) -> Result<bool, StoreError> {
        let header = header_of(&self.begun).map_err(|error| failed(&self.begun, error))?;
        let bytes = fs::metadata(&self.begun).map_err(|error| failed(&self.begun, error))?.len();
        debug_assert_eq!(header.len(), HEADER);
        let refused = |error| StoreError::from_sqlx(&self.head, direct::refused(error));
        thread::scope(|scope| {
            let synced = scope.spawn(|| File::open(&self.begun)?.sync_all());
            let mut head = open(&self.head).map_err(refused)?;
            let change = head.transaction_with_behavior(TransactionBehavior::Immediate);
            let change = change.map_err(refused)?;
            let newest = change.query_row("SELECT max(number) FROM chain", (), |row| row.get(0));
            let newest: i64 = newest.map_err(refused)?;
            if newest != self.span.newest {
                return Ok(false);
            }
            self.insert(&change, (header, bytes, filter)).map_err(refused)?;
            delete(&change, &self.span).map_err(refused)?;
            let synced =
                synced.join().unwrap_or_else(|panic| Err(io::Error::other(panics::text(&*panic))));
            let placed = synced.and_then(|()| self.put_in_place());
            placed.map_err(|error| failed(&self.path, error))?;
            change.commit().map_err(refused)?;
            Ok(true)
        })
    }

    /// Puts the partition into the list.
    fn insert(
        &self,
        change: &Transaction<'_>,
        (header, bytes, filter): (Vec<u8>, u64, &Filter),
    ) -> rusqlite::Result<()> {
        let Self { path, span, .. } = self;
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        change.execute(
            "INSERT INTO partitions (number, file, first_row, last_row, first_link, last_link, head, \
             bytes, header, ids) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
             coalesce((SELECT hash FROM chain WHERE number = ?6), x''), ?7, ?8, ?9)",
            rusqlite::params![
                span.number,
                file,
                span.rows.start(),
                span.rows.end(),
                span.links.start(),
                span.links.end(),
                i64::try_from(bytes).unwrap_or(i64::MAX),
                header,
                filter.bytes(),
            ],
        )?;
        Ok(())
    }

    /// Gives the whole file its name, in place of one that a killed run may have left.
    fn put_in_place(&self) -> io::Result<()> {
        fs::rename(&self.begun, &self.path)?;
        File::open(place::folder_of(&self.path))?.sync_all()
    }
}

/// Opens the head to delete much: SQLite would look for what refers to each row, which took as
/// long as storing it.
fn open(head: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let head = Connection::open_with_flags(head, flags)?;
    head.busy_timeout(PATIENCE)?;
    head.pragma_update(None, "foreign_keys", false)?;
    head.pragma_update(None, "wal_autocheckpoint", PENDING_PAGES)?;
    head.pragma_update(None, "synchronous", "FULL")?;
    Ok(head)
}

/// Deletes what a partition has.
fn delete(head: &Connection, span: &Span) -> rusqlite::Result<()> {
    let rows = (span.rows.start(), span.rows.end());
    let links = (span.links.start(), span.links.end());
    if !fill::is_all(head, &span.rows)? {
        // Indexes are written all over; tables that go whole are only gone through.
        head.pragma_update(None, "cache_size", CACHE_KIB)?;
        for query in DELETED {
            head.execute(query, rows)?;
        }
        head.execute("DELETE FROM chain WHERE number BETWEEN ? AND ?", links)?;
        return Ok(());
    }
    head.execute_batch(EMPTIED)?;
    head.execute(CHAIN_KEPT, links)?;
    head.execute_batch(CHAIN_EMPTIED)
}

fn failed(path: &Path, error: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source: Arc::new(error) }
}
