//! Reading a few columns of every bout: thousands of rows at a time, each column
//! as one JSON list.
//!
//! Reading row by row costs ten times what SQLite needs to find the rows, and a big league has a
//! million of them.

use std::borrow::Cow;
use std::path::PathBuf;
use std::str::FromStr;

use serde::Deserialize;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row as _, Sqlite, Transaction};

use super::{Store, StoreError};
use joust_model::{ParseHashError, on_one_line};

/// Number of rows of `bouts` in a page.
const ROWS: i64 = 4096;

/// Rows of `bouts` by their numbers, the first and the last.
pub(super) type Range = (i64, i64);

/// All bouts as they are at one moment, in the order of their rows.
pub(super) struct BoutScan {
    path: PathBuf,
    snapshot: Transaction<'static, Sqlite>,
    last: i64,
}

impl Store {
    /// Begins to read all bouts. Later commits are not visible to it.
    pub(super) async fn scan_bouts(&self) -> Result<BoutScan, StoreError> {
        let snapshot = self.snapshot().await?;
        Ok(BoutScan { path: self.path().to_owned(), snapshot, last: i64::MIN })
    }
}

impl BoutScan {
    /// Returns the next rows; `None` when there are no more.
    pub(super) async fn next(&mut self) -> Result<Option<Range>, StoreError> {
        let found = sqlx::query_as(
            "SELECT min(number), max(number) FROM \
             (SELECT number FROM bouts WHERE number > ? ORDER BY number LIMIT ?)",
        )
        .bind(self.last)
        .bind(ROWS)
        .fetch_one(&mut *self.snapshot)
        .await;
        let (first, last): (Option<i64>, Option<i64>) = found.map_err(|error| self.error(error))?;
        self.last = last.unwrap_or(self.last);
        Ok(first.zip(last))
    }

    /// Reads columns of the next rows of `table` at once; `None` when there are no more. The query
    /// returns one row of JSON lists and the number of their `last` row. Its parameters are the row
    /// after which it begins, the maximum number of rows, and the event.
    pub(super) async fn read_next(
        &mut self,
        table: &'static str,
        query: &'static str,
        event: &str,
    ) -> Result<Option<ColumnLists>, StoreError> {
        let query = sqlx::query(query).bind(self.last).bind(ROWS).bind(event);
        let row = query.fetch_one(&mut *self.snapshot).await.map_err(|error| self.error(error))?;
        let last: Option<i64> = row.try_get("last").map_err(|error| self.error(error))?;
        let Some(last) = last else { return Ok(None) };
        let before = std::mem::replace(&mut self.last, last);
        let rows = (before.saturating_add(1).max(1), last);
        Ok(Some(ColumnLists { table, rows, row }))
    }

    /// Reads columns of `table`. The query returns one row of JSON lists; its parameters are the
    /// range and the event.
    pub(super) async fn read(
        &mut self,
        table: &'static str,
        query: &'static str,
        (rows, event): (Range, &str),
    ) -> Result<ColumnLists, StoreError> {
        let query = sqlx::query(query).bind(rows.0).bind(rows.1).bind(event);
        let row = query.fetch_one(&mut *self.snapshot).await.map_err(|error| self.error(error))?;
        Ok(ColumnLists { table, rows, row })
    }

    fn error(&self, error: sqlx::Error) -> StoreError {
        StoreError::from_sqlx(&self.path, error)
    }
}

/// Some columns of some rows of a table.
pub(super) struct ColumnLists {
    table: &'static str,
    rows: Range,
    row: SqliteRow,
}

/// A text of a list.
#[derive(Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

impl ColumnLists {
    /// Splits a row of JSON lists into the columns of `table`, for the rows in a range.
    pub(super) fn of(table: &'static str, rows: Range, row: SqliteRow) -> Self {
        Self { table, rows, row }
    }

    /// Returns a column, with one value for each row.
    pub(super) fn list<'a, T: Deserialize<'a>>(
        &'a self,
        column: &'static str,
    ) -> Result<Vec<T>, StoreError> {
        serde_json::from_str(self.text(column)?).map_err(|error| self.broken(column, &error))
    }

    /// Returns a column as it was read.
    pub(super) fn text(&self, column: &'static str) -> Result<&str, StoreError> {
        self.row.try_get(column).map_err(|error| self.broken(column, &error))
    }

    /// Returns whether there are no rows.
    pub(super) fn is_empty(&self, column: &'static str) -> Result<bool, StoreError> {
        Ok(self.text(column)? == "[]")
    }

    fn broken(&self, column: &'static str, problem: &dyn std::fmt::Display) -> StoreError {
        StoreError::ImpossibleRow {
            table: self.table,
            column,
            row: format!("{} to {}", self.rows.0, self.rows.1),
            problem: on_one_line(&problem.to_string()),
        }
    }

    /// Returns a column of hashes, written as hexadecimal digits, of the rows with these numbers.
    pub(super) fn hashes<T>(&self, column: &'static str, rows: &[i64]) -> Result<Vec<T>, StoreError>
    where
        T: FromStr<Err = ParseHashError>,
    {
        let digits: Vec<&str> = self.list(column)?;
        let read = |(row, digits): (&i64, &str)| {
            digits.parse::<T>().map_err(|error| self.impossible(column, *row, &error))
        };
        rows.iter().zip(digits).map(read).collect()
    }

    /// Returns a column of `rows` hashes that are concatenated as bytes: SQLite takes longer to
    /// write them as a list of digits.
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

    /// Converts a number of row `row` to its type.
    pub(super) fn number<T: TryFrom<i64>>(
        &self,
        column: &'static str,
        (row, value): (i64, i64),
    ) -> Result<T, StoreError> {
        T::try_from(value)
            .map_err(|_| self.impossible(column, row, &format!("`{value}` is out of range")))
    }

    /// Returns a number that is at most `most` away from 0.
    pub(super) fn bounded(
        &self,
        column: &'static str,
        (row, value): (i64, i64),
        most: i64,
    ) -> Result<i64, StoreError> {
        match value.unsigned_abs() <= most.unsigned_abs() {
            true => Ok(value),
            false => Err(self.impossible(column, row, &format!("`{value}` is out of range"))),
        }
    }

    fn impossible(
        &self,
        column: &'static str,
        row: i64,
        problem: &dyn std::fmt::Display,
    ) -> StoreError {
        let (table, row, problem) =
            (self.table, row.to_string(), on_one_line(&problem.to_string()));
        StoreError::ImpossibleRow { table, column, row, problem }
    }
}
