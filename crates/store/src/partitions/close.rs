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
use std::path::Path;
use std::sync::Arc;

use sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection};

use super::super::direct::refused;
use super::super::making;
use super::super::open::{CACHE_KIB, PENDING_PAGES, options};
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

/// The file of a partition, under the name that it has while it is made, and its own.
#[derive(Clone, Copy)]
struct Made<'a> {
    begun: &'a Path,
    path: &'a Path,
}

/// What goes from the head where other bouts stay in it; a row before that which it refers to.
const DELETED: [&str; 3] = [
    "DELETE FROM logs WHERE bout BETWEEN ? AND ?",
    "DELETE FROM seats WHERE bout BETWEEN ? AND ?",
    "DELETE FROM bouts WHERE number BETWEEN ? AND ?",
];

/// What goes where none stay: tables that SQLite drops at once.
const EMPTIED: [&str; 3] = ["DELETE FROM logs", "DELETE FROM seats", "DELETE FROM bouts"];

/// What stays of the chain then: the newest link.
const CHAIN_KEPT: &str =
    "CREATE TEMP TABLE kept AS SELECT * FROM chain WHERE number NOT BETWEEN ? AND ?";

/// What goes of it.
const CHAIN_EMPTIED: [&str; 3] =
    ["DELETE FROM chain", "INSERT INTO chain SELECT * FROM kept", "DROP TABLE kept"];

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
        let path = file_of(self.path(), span.number);
        self.refuse_strange_partition().await?;
        let begun = with_suffix(&path, ".making");
        making::sweep(&begun);
        let closed = match self.fill(&begun, span).await {
            Ok(filter) => self.list(span, &filter, Made { begun: &begun, path: &path }).await,
            Err(error) => Err(error),
        };
        making::sweep(&begun);
        closed
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

    /// Makes the file of a partition, and the filter of its ids.
    async fn fill(&self, begun: &Path, span: &Span) -> Result<Filter, StoreError> {
        let (head, path, span) = (self.path().to_owned(), begun.to_owned(), span.clone());
        let filled =
            tokio::task::spawn_blocking(move || fill::fill(&head, &path, &span.rows, &span.links));
        match filled.await {
            Ok(filled) => filled.map_err(|error| StoreError::from_sqlx(begun, refused(error))),
            Err(error) => Err(StoreError::Panicked {
                path: self.path().to_owned(),
                text: panics::of_task(error),
            }),
        }
    }

    /// Gives a partition its place, lists it, and deletes from the head what it has; not when
    /// somebody else has written since. The disk is waited for while rows are deleted.
    async fn list(&self, span: &Span, filter: &Filter, made: Made<'_>) -> Result<bool, StoreError> {
        let begun = made.begun.to_owned();
        let synced = tokio::task::spawn_blocking(move || File::open(begun)?.sync_all());
        let header = header_of(made.begun).map_err(|error| failed(made.begun, error))?;
        let bytes = fs::metadata(made.begun).map_err(|error| failed(made.begun, error))?.len();
        let file = made.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        debug_assert_eq!(header.len(), HEADER);
        let mut head = self.open_without_lookups().await?;
        let change = head.begin_with("BEGIN IMMEDIATE").await;
        let mut change = change.map_err(|error| self.error(error))?;
        let newest: i64 = sqlx::query_scalar("SELECT max(number) FROM chain")
            .fetch_one(&mut *change)
            .await
            .map_err(|error| self.error(error))?;
        if newest != span.newest {
            return Ok(false);
        }
        let listed = sqlx::query(
            "INSERT INTO partitions (number, file, first_row, last_row, first_link, last_link, head, \
             bytes, header, ids) VALUES (?1, ?2, ?3, ?4, ?5, ?6, \
             coalesce((SELECT hash FROM chain WHERE number = ?6), x''), ?7, ?8, ?9)",
        )
        .bind(span.number)
        .bind(file)
        .bind(span.rows.start())
        .bind(span.rows.end())
        .bind(span.links.start())
        .bind(span.links.end())
        .bind(i64::try_from(bytes).unwrap_or(i64::MAX))
        .bind(header)
        .bind(filter.bytes())
        .execute(&mut *change)
        .await;
        listed.map_err(|error| self.error(error))?;
        let deleted = delete(&mut change, span).await;
        deleted.map_err(|error| self.error(error))?;
        let synced = synced.await.unwrap_or_else(|error| Err(io::Error::other(error)));
        let placed = synced.and_then(|()| made.put_in_place());
        placed.map_err(|error| failed(made.path, error))?;
        self.commit(change).await?;
        // Whoever waits for this one no more is not held up.
        drop(head.close().await);
        Ok(true)
    }

    /// Opens the head to delete much: SQLite would look for what refers to each row, which
    /// took as long as storing it.
    async fn open_without_lookups(&self) -> Result<SqliteConnection, StoreError> {
        let options = options(self.path()).foreign_keys(false);
        let options = options.pragma("wal_autocheckpoint", PENDING_PAGES);
        let options = options.create_if_missing(false).journal_mode(SqliteJournalMode::Wal);
        let head = options.synchronous(SqliteSynchronous::Full).connect().await;
        head.map_err(|error| self.error(error))
    }

    /// Returns how many bouts of the head are in no partition.
    pub(in super::super) async fn bouts_in_head(&self) -> Result<u64, StoreError> {
        let span = self.span().await?;
        Ok(span.map_or(0, |span| span.rows.end().abs_diff(*span.rows.start()) + 1))
    }
}

/// Says whether the head has bouts that are not of a span.
async fn has_others(head: &mut SqliteConnection, span: &Span) -> Result<bool, sqlx::Error> {
    // Two ends of the table are looked at, and none of its rows.
    let ends = "SELECT (SELECT min(number) FROM bouts), (SELECT max(number) FROM bouts)";
    let ends = sqlx::query_as(ends).fetch_one(head).await?;
    let (first, last): (Option<i64>, Option<i64>) = ends;
    Ok([first, last].into_iter().flatten().any(|number| !span.rows.contains(&number)))
}

/// Deletes what a partition has.
async fn delete(head: &mut SqliteConnection, span: &Span) -> Result<(), sqlx::Error> {
    let has_others = has_others(head, span).await?;
    if has_others {
        // Indexes are written all over; tables that go whole are only gone through.
        sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA cache_size = {CACHE_KIB}")))
            .execute(&mut *head)
            .await?;
    }
    for place in 0..DELETED.len() {
        let query = match has_others {
            true => sqlx::query(DELETED[place]).bind(span.rows.start()).bind(span.rows.end()),
            false => sqlx::query(EMPTIED[place]),
        };
        query.execute(&mut *head).await?;
    }
    let (first, rest) = match has_others {
        true => ("DELETE FROM chain WHERE number BETWEEN ? AND ?", [].as_slice()),
        false => (CHAIN_KEPT, CHAIN_EMPTIED.as_slice()),
    };
    let of_span = sqlx::query(first).bind(span.links.start()).bind(span.links.end());
    of_span.execute(&mut *head).await?;
    for query in rest {
        sqlx::query(*query).execute(&mut *head).await?;
    }
    Ok(())
}

impl Made<'_> {
    /// Gives the whole file its name, in place of one that a killed run may have left.
    fn put_in_place(&self) -> io::Result<()> {
        fs::rename(self.begun, self.path)?;
        File::open(place::folder_of(self.path))?.sync_all()
    }
}

fn failed(path: &Path, error: io::Error) -> StoreError {
    StoreError::Io { path: path.to_owned(), source: Arc::new(error) }
}
