//! Reading columns. Errors name the row whose value Joust never writes.

use sqlx::query::{Query, QueryScalar};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Decode, FromRow, Row as _, Sqlite, Transaction, Type, TypeInfo as _, ValueRef as _};

use super::bounds::{LATEST_MS, LONGEST_NS};
use super::database_path::bytes_of;
use super::document::Document;
use super::hasher::Hasher;
use super::{Store, StoreError};
use std::str::FromStr;
use std::time::Duration;

use joust_model::clock::UnixMillis;
use joust_model::{SeatNumbers, on_one_line};

/// The longest name, bytes: pages repeat it, and a table of bots has one for each pair.
pub(super) const LONGEST_NAME: usize = 1 << 10;

/// The longest of other texts that pages repeat, bytes: as long as a line of an external referee.
pub(super) const LONGEST_TEXT: usize = 1 << 20;

/// One row of `table`; errors identify it by its column `key`.
pub(super) struct Reader<'a> {
    pub(super) table: &'static str,
    pub(super) key: &'static str,
    pub(super) row: &'a SqliteRow,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'static str, key: &'static str, row: &'a SqliteRow) -> Self {
        Self { table, key, row }
    }

    /// Reads a column without checks of its value.
    pub(super) fn get<T>(&self, column: &'static str) -> Result<T, StoreError>
    where
        T: Decode<'a, Sqlite> + Type<Sqlite>,
    {
        self.row.try_get(column).map_err(|error| self.impossible(column, &error))
    }

    /// Reads a text of at most `most` bytes.
    pub(super) fn text(&self, column: &'static str, most: usize) -> Result<String, StoreError> {
        let text: &str = self.get(column)?;
        match text.len() <= most {
            true => Ok(text.to_owned()),
            false => Err(self.impossible(column, &format!("it has more than {most} bytes"))),
        }
    }

    /// Reads a whole number that fits `T`.
    pub(super) fn number<T: TryFrom<i64>>(&self, column: &'static str) -> Result<T, StoreError> {
        let value: i64 = self.get(column)?;
        T::try_from(value)
            .map_err(|_| self.impossible(column, &format!("`{value}` is out of range")))
    }

    /// Reads a number between `-most` and `most`, so that sums over many rows do not overflow.
    pub(super) fn bounded(&self, column: &'static str, most: i64) -> Result<i64, StoreError> {
        let value: i64 = self.get(column)?;
        match value.unsigned_abs() <= most.unsigned_abs() {
            true => Ok(value),
            false => Err(self.impossible(column, &format!("`{value}` is out of range"))),
        }
    }

    /// Reads a moment stored in milliseconds since 1970.
    pub(super) fn timestamp(&self, column: &'static str) -> Result<UnixMillis, StoreError> {
        self.bounded(column, LATEST_MS)
    }

    /// Reads a duration stored in nanoseconds.
    pub(super) fn duration(&self, column: &'static str) -> Result<Duration, StoreError> {
        let nanos = u64::try_from(self.bounded(column, LONGEST_NS)?);
        nanos.map(Duration::from_nanos).map_err(|_| self.impossible(column, &"it is negative"))
    }

    /// Reads a name.
    pub(super) fn named<T: FromStr>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        text.parse().map_err(|_| self.impossible(column, &format!("`{text}` is not known")))
    }

    /// Reads a JSON text.
    pub(super) fn json<T: Document>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        let read: T =
            serde_json::from_str(text).map_err(|error| self.impossible(column, &error))?;
        match read.out_of_range() {
            None => Ok(read),
            Some(what) => Err(self.impossible(column, &format!("{what} is out of range"))),
        }
    }

    /// Reads the numbers of a seat.
    pub(super) fn seat_numbers(&self, column: &'static str) -> Result<SeatNumbers, StoreError> {
        let numbers = SeatNumbers::from_text(self.get(column)?);
        numbers.ok_or_else(|| self.impossible(column, &"these are no numbers"))
    }

    /// Reads a hash of `N` bytes.
    pub(super) fn hash<const N: usize>(&self, column: &'static str) -> Result<[u8; N], StoreError> {
        let bytes: &[u8] = self.get(column)?;
        bytes
            .try_into()
            .map_err(|_| self.impossible(column, &format!("{} bytes instead of {N}", bytes.len())))
    }

    /// Reads a column with `read`, unless it is `NULL`.
    pub(super) fn optional<T>(
        &self,
        column: &'static str,
        read: impl FnOnce(&Self, &'static str) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let raw = self.row.try_get_raw(column);
        let is_null = raw.map_err(|error| self.impossible(column, &error))?.is_null();
        if is_null { Ok(None) } else { read(self, column).map(Some) }
    }

    /// Adds columns to a hash, without checks of their values.
    pub(super) fn hash_columns(
        &self,
        columns: impl IntoIterator<Item = &'static str>,
        hasher: &mut Hasher,
    ) -> Result<(), StoreError> {
        for column in columns {
            let raw = self.row.try_get_raw(column);
            let raw = raw.map_err(|error| self.impossible(column, &error))?;
            match raw.type_info().name() {
                _ if raw.is_null() => hasher.add_null(),
                "INTEGER" => hasher.add_number(self.get(column)?),
                "TEXT" => hasher.add_text(self.get(column)?),
                "BLOB" => hasher.add_bytes(self.get(column)?),
                other => return Err(self.impossible(column, &format!("it is of type {other}"))),
            }
        }
        Ok(())
    }

    pub(super) fn impossible(
        &self,
        column: &'static str,
        problem: &dyn std::fmt::Display,
    ) -> StoreError {
        StoreError::ImpossibleRow {
            table: self.table,
            column,
            // Texts of a stranger's database may have any characters and any length.
            row: on_one_line(&self.name()),
            problem: on_one_line(&problem.to_string()),
        }
    }

    fn name(&self) -> String {
        let number = self.row.try_get::<i64, _>(self.key).map(|number| number.to_string());
        let text = number.or_else(|_| self.row.try_get::<String, _>(self.key));
        text.unwrap_or_else(|_| "?".to_owned())
    }
}

impl Store {
    /// Reads the row that `query` returns, if any.
    pub(super) async fn one_row<T>(
        &self,
        query: Query<'_, Sqlite, SqliteArguments>,
        read: impl FnOnce(&SqliteRow) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let row = query.fetch_optional(&self.readers).await.map_err(|error| self.error(error))?;
        row.as_ref().map(read).transpose()
    }

    /// Reads the only value of the only row that `query` returns.
    pub(super) async fn scalar<T>(
        &self,
        query: QueryScalar<'_, Sqlite, T, SqliteArguments>,
    ) -> Result<T, StoreError>
    where
        (T,): for<'r> FromRow<'r, SqliteRow>,
        T: Send + Unpin,
    {
        query.fetch_one(&self.readers).await.map_err(|error| self.error(error))
    }

    /// Begins a read transaction: later commits are not visible to it.
    pub(super) async fn snapshot(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        self.readers.begin().await.map_err(|error| self.error(error))
    }

    /// Reads every row that `query` finds, in its order. Refuses rows that together are far longer
    /// than the file: they share what it has once.
    pub(super) async fn all_rows<T: Send>(
        &self,
        query: Query<'_, Sqlite, SqliteArguments>,
        mut read: impl FnMut(&SqliteRow) -> Result<T, StoreError> + Send,
    ) -> Result<Vec<T>, StoreError> {
        let mut all = Vec::new();
        let mut left = bytes_of(self.path()).saturating_mul(MOST_TIMES).max(LEAST_BYTES);
        self.each_row(query, |row| {
            left = left
                .checked_sub(bytes_in(row) + LEAST_OF_A_ROW)
                .ok_or_else(|| self.damaged("its rows have more bytes than its file".to_owned()))?;
            all.push(read(row)?);
            Ok(())
        })
        .await?;
        Ok(all)
    }

    /// Passes each row to `take` as it arrives, so that memory does not grow with the number of
    /// rows. Refuses more rows than the file has bytes: pages that a tree shares stand for rows
    /// without end.
    pub(super) async fn each_row(
        &self,
        query: Query<'_, Sqlite, SqliteArguments>,
        mut take: impl FnMut(&SqliteRow) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        let mut left = bytes_of(self.path());
        let taken = query.try_map(|row: SqliteRow| {
            left = left.checked_sub(1).ok_or_else(|| refused(self.more_rows_than_bytes()))?;
            take(&row).map_err(refused)
        });
        taken.fetch_all(&self.readers).await.map(drop).map_err(|error| self.reason(error))
    }

    fn more_rows_than_bytes(&self) -> StoreError {
        self.damaged("it has more rows than bytes".to_owned())
    }

    /// Returns the error of a query, or the one that [`refused`] made.
    pub(super) fn reason(&self, error: sqlx::Error) -> StoreError {
        match error {
            sqlx::Error::Decode(reason) if reason.is::<StoreError>() => {
                *reason.downcast::<StoreError>().expect("it is one")
            }
            error => self.error(error),
        }
    }
}

/// Returns an error that ends a query whose row is refused.
pub(super) fn refused(reason: StoreError) -> sqlx::Error {
    sqlx::Error::Decode(Box::new(reason))
}

/// Bytes that a row has beside its texts and blobs in memory.
const LEAST_OF_A_ROW: u64 = 32;

/// Number of times the bytes of a file that rows may have that are kept together: texts are joined
/// with rows that name them, and made longer as JSON.
const MOST_TIMES: u64 = 16;

/// Bytes that such rows may have however small a file is.
const LEAST_BYTES: u64 = 16 << 20;

/// Returns the bytes of the texts and blobs of a row.
fn bytes_in(row: &SqliteRow) -> u64 {
    let bytes = |column: usize| {
        let value = row.try_get_raw(column).ok()?;
        let is_long = !value.is_null() && matches!(value.type_info().name(), "TEXT" | "BLOB");
        is_long.then(|| <&[u8]>::decode(value).ok()).flatten().map(|bytes| bytes.len() as u64)
    };
    (0..row.len()).filter_map(bytes).sum()
}

/// Returns the nanoseconds of a duration as a column has them: a year at most.
pub(super) fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX).min(LONGEST_NS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;

    #[tokio::test]
    async fn rows_that_are_longer_than_the_file_are_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) \
                    SELECT hex(zeroblob(500000)) AS text FROM n";
        let read = async |most: i64| {
            let text = |row: &SqliteRow| Reader::new("bouts", "text", row).get::<String>("text");
            store.all_rows(sqlx::query(rows).bind(most), text).await
        };
        assert_eq!(read(10).await.expect("they are few").len(), 10);
        let error = read(100).await.expect_err("they are too long").to_string();
        assert!(error.ends_with("is damaged: its rows have more bytes than its file"), "{error}");
    }

    #[tokio::test]
    async fn a_name_of_great_length_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        let read = async |bytes: i64| {
            let text =
                |row: &SqliteRow| Reader::new("bots", "text", row).text("text", LONGEST_NAME);
            let query = sqlx::query("SELECT printf('%*c', ?, 'x') AS text").bind(bytes);
            store.one_row(query, text).await
        };
        assert_eq!(read(1024).await.expect("it is a name").map(|name| name.len()), Some(1024));
        let error = read(1025).await.expect_err("it is too long").to_string();
        assert!(error.contains("more than 1024 bytes"), "{error}");
    }
}
