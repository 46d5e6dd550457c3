//! Reading a few columns of every bout: thousands of rows at a time, each column
//! as one JSON list.
//!
//! A row that is handed over by itself costs ten times what SQLite needs to find
//! it, and a big league has a million.

use async_recursion::async_recursion as boxed;
use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;

use serde::Deserialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, Sqlite, SqliteConnection, Transaction};

use super::partitions::{Closed, Part};
use super::{Store, StoreError};
use joust_model::NotAHash;

/// How many rows of `bouts` are in a page.
const ROWS: i64 = 4096;

/// Rows of `bouts` by their numbers, the first and the last.
pub(super) type Range = (i64, i64);

/// All bouts as they are at one moment: those of each partition in the order of their rows,
/// then those of the head.
pub(super) struct Sweep {
    store: Store,
    snapshot: Transaction<'static, Sqlite>,
    /// Partitions that are not begun, the last one first.
    closed: Vec<Closed>,
    reading: Reading,
    last: i64,
    /// Whether nothing more is in the file that is read.
    is_at_end: bool,
    /// Whether bouts of the head are left out.
    is_without_head: bool,
}

/// All bouts as they are at one moment, for whoever reads them while more are stored.
pub struct Snapshot(pub(super) Sweep);

/// What is read.
enum Reading {
    /// Nothing yet.
    Nothing,
    Partition(OpenPartition),
    Head,
}

/// A partition that is read.
struct OpenPartition {
    number: i64,
    path: PathBuf,
    connection: SqliteConnection,
}

impl Store {
    /// Returns all bouts as they are now.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn snapshot(&self) -> Result<Snapshot, StoreError> {
        self.sweep().await.map(Snapshot)
    }

    /// Begins to read all bouts. What is committed meanwhile is not seen.
    pub(super) async fn sweep(&self) -> Result<Sweep, StoreError> {
        let mut snapshot = self.readers().begin().await.map_err(|error| self.error(error))?;
        let mut closed = self.closed(&mut snapshot).await?;
        closed.reverse();
        Ok(Sweep {
            store: self.clone(),
            snapshot,
            closed,
            reading: Reading::Nothing,
            last: i64::MIN,
            is_at_end: true,
            is_without_head: false,
        })
    }
}

impl Sweep {
    /// Returns the store that is read.
    pub(super) fn store(&self) -> Store {
        self.store.clone()
    }

    /// Returns a connection to the head that sees what the sweep sees.
    pub(super) fn head(&mut self) -> &mut SqliteConnection {
        &mut self.snapshot
    }

    /// Leaves a partition out that is there and was not changed.
    pub(super) fn leave_out(&mut self, partition: i64) -> Result<(), StoreError> {
        if let Some(place) = self.closed.iter().position(|closed| closed.number == partition) {
            self.closed.remove(place).refuse_changed(self.store.path())?;
        }
        Ok(())
    }

    /// Leaves all out but one partition.
    pub(super) fn read_only(&mut self, closed: Closed) {
        self.closed = vec![closed];
        self.is_without_head = true;
    }

    /// Returns the next rows; `None` when there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<Range>, StoreError> {
        while self.is_open().await? {
            let range = self.next_of_file().await?;
            if range.is_some() {
                return Ok(range);
            }
            self.is_at_end = true;
        }
        Ok(None)
    }

    /// Reads columns of the next rows of `table` in one go; `None` when there are no more. The
    /// query has one row of lists, and the number of the `last` row in them; it is given the row
    /// after which it begins, how many it lists at most, and the event.
    pub(super) async fn read_next(
        &mut self,
        table: &'static str,
        query: &'static str,
        event: &str,
    ) -> Result<Option<Columns>, StoreError> {
        while self.is_open().await? {
            let query = sqlx::query(query).bind(self.last).bind(ROWS).bind(event);
            let row = query.fetch_one(self.file()).await;
            let row = row.map_err(|error| self.error(error))?;
            let last: Option<i64> = row.try_get("last").map_err(|error| self.error(error))?;
            if let Some(last) = last {
                let before = std::mem::replace(&mut self.last, last);
                let rows = (before.saturating_add(1).max(1), last);
                return Ok(Some(Columns { table, rows, row }));
            }
            self.is_at_end = true;
        }
        Ok(None)
    }

    /// Opens the next file at the end of one; says whether there is any.
    async fn is_open(&mut self) -> Result<bool, StoreError> {
        if !self.is_at_end {
            return Ok(true);
        }
        let is_over =
            matches!(self.reading, Reading::Head) || self.closed.is_empty() && self.is_without_head;
        if !is_over {
            self.open_next().await?;
            self.is_at_end = false;
        }
        Ok(!is_over)
    }

    /// Says whether the rows are of a closed partition.
    pub(super) fn is_closed(&self) -> bool {
        matches!(self.reading, Reading::Partition(_))
    }

    /// Returns the part of the database that the rows are of.
    pub(super) fn part(&self) -> Part {
        match &self.reading {
            Reading::Partition(open) => Part::Partition(open.number),
            Reading::Nothing | Reading::Head => Part::Head,
        }
    }

    async fn open_next(&mut self) -> Result<(), StoreError> {
        self.last = i64::MIN;
        self.reading = match self.closed.pop() {
            None => Reading::Head,
            Some(closed) => {
                let connection = closed.open(self.store.path()).await?;
                let (number, path) = (closed.number, closed.path().to_owned());
                Reading::Partition(OpenPartition { number, path, connection })
            }
        };
        Ok(())
    }

    async fn next_of_file(&mut self) -> Result<Option<Range>, StoreError> {
        let query = sqlx::query_as(
            "SELECT min(number), max(number) FROM \
             (SELECT number FROM bouts WHERE number > ? ORDER BY number LIMIT ?)",
        )
        .bind(self.last)
        .bind(ROWS);
        let found = query.fetch_one(self.file()).await;
        let (first, last): (Option<i64>, Option<i64>) = found.map_err(|error| self.error(error))?;
        let range = first.zip(last);
        self.last = last.unwrap_or(self.last);
        Ok(range)
    }

    /// Reads columns of `table`. The query has one row of JSON lists; it is given
    /// the range, and the event.
    pub(super) async fn read(
        &mut self,
        table: &'static str,
        query: &'static str,
        (rows, event): (Range, &str),
    ) -> Result<Columns, StoreError> {
        let query = sqlx::query(query).bind(rows.0).bind(rows.1).bind(event);
        let row = query.fetch_one(self.file()).await;
        let row = row.map_err(|error| self.error(error))?;
        Ok(Columns { table, rows, row })
    }

    /// Returns the file that is read.
    fn file(&mut self) -> &mut SqliteConnection {
        match &mut self.reading {
            Reading::Partition(open) => &mut open.connection,
            Reading::Nothing | Reading::Head => &mut self.snapshot,
        }
    }

    /// Returns an error of the file that is read.
    fn error(&self, error: sqlx::Error) -> StoreError {
        let path = match &self.reading {
            Reading::Partition(open) => &open.path,
            Reading::Nothing | Reading::Head => self.store.path(),
        };
        StoreError::from_sqlx(path, error)
    }
}

/// Some columns of some rows of a table.
pub(super) struct Columns {
    table: &'static str,
    rows: Range,
    row: SqliteRow,
}

/// A text of a list.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl Columns {
    /// Makes columns of `table` of a row of lists, of the rows in a range.
    pub(super) fn of(table: &'static str, rows: Range, row: SqliteRow) -> Self {
        Self { table, rows, row }
    }

    /// Returns a column, with one value for each row.
    pub(super) fn list<'a, T: Deserialize<'a>>(
        &'a self,
        column: &'static str,
    ) -> Result<Vec<T>, StoreError> {
        let text: &str = self.row.try_get(column).map_err(|error| self.broken(column, &error))?;
        serde_json::from_str(text).map_err(|error| self.broken(column, &error))
    }

    /// Returns a column as it was read.
    pub(super) fn text(&self, column: &'static str) -> Result<&str, StoreError> {
        self.row.try_get(column).map_err(|error| self.broken(column, &error))
    }

    /// Says whether there are no rows.
    pub(super) fn is_empty(&self, column: &'static str) -> Result<bool, StoreError> {
        let text: &str = self.row.try_get(column).map_err(|error| self.broken(column, &error))?;
        Ok(text == "[]")
    }

    fn broken(&self, column: &'static str, problem: &dyn std::fmt::Display) -> StoreError {
        StoreError::ImpossibleRow {
            table: self.table,
            column,
            row: format!("{} to {}", self.rows.0, self.rows.1),
            problem: problem.to_string(),
        }
    }

    /// Returns a column of hashes, written as digits, of the rows with these numbers.
    pub(super) fn hashes<T>(&self, column: &'static str, rows: &[i64]) -> Result<Vec<T>, StoreError>
    where
        T: FromStr<Err = NotAHash>,
    {
        let digits: Vec<&str> = self.list(column)?;
        let read = |(row, digits): (&i64, &str)| {
            digits.parse::<T>().map_err(|error| self.impossible(column, *row, &error))
        };
        rows.iter().zip(digits).map(read).collect()
    }

    /// Returns a column of hashes of so many rows, which stand one after the other as bytes: as
    /// a list of digits they take SQLite longer.
    pub(super) fn joined_hashes<T, const BYTES: usize>(
        &self,
        column: &'static str,
        rows: usize,
        hash: fn([u8; BYTES]) -> T,
    ) -> Result<Vec<T>, StoreError> {
        let bytes: &[u8] = self.row.try_get(column).map_err(|error| self.broken(column, &error))?;
        let (hashes, rest) = bytes.as_chunks::<BYTES>();
        if hashes.len() != rows || !rest.is_empty() {
            return Err(self.broken(column, &"one is not as long as the others"));
        }
        Ok(hashes.iter().map(|bytes| hash(*bytes)).collect())
    }

    /// Returns a number as what it must be in row `row`.
    pub(super) fn number<T: TryFrom<i64>>(
        &self,
        column: &'static str,
        (row, value): (i64, i64),
    ) -> Result<T, StoreError> {
        T::try_from(value)
            .map_err(|_| self.impossible(column, row, &format!("`{value}` is out of range")))
    }

    fn impossible(
        &self,
        column: &'static str,
        row: i64,
        problem: &dyn std::fmt::Display,
    ) -> StoreError {
        let (table, row, problem) = (self.table, row.to_string(), problem.to_string());
        StoreError::ImpossibleRow { table, column, row, problem }
    }
}
