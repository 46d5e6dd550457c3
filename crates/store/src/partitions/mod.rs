//! Partitions: closed files beside a database, each with bouts that were moved out of it.
//!
//! A league of millions of bouts does not stay one file. When a database has so many bouts,
//! they go with their seats, logs and links of the chain into a file of their own
//! (`results-0001.db` beside `results.db`), which is never written again. What is left is the
//! head: field, builds, history, decisions, the newest link, and the list of partitions.
//!
//! 1. A partition is a database of Joust with the same tables, and rows keep their numbers.
//! 2. What has to change in one is lifted first: its row is copied to the head, and its number
//!    is written into `lifted`, so that the partition's own row is not seen any more. All else
//!    happens to the copy, as if there were no partitions.
//! 3. Whoever reads goes through the partitions in order, then through the head.
//!
//! Where nothing was closed there is one file, and nothing here does anything.

mod close;
mod fill;
mod filter;
mod filters;
mod lift;
mod lookups;
mod strange;

use async_recursion::async_recursion as boxed;
use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{ConnectOptions as _, Sqlite, SqliteConnection, query::Query};

pub(super) use close::BOUTS;
use filter::Filter;
pub(super) use lift::Searched;
pub(super) use strange::refuse_before_making;

use super::open::options;
use super::row::Reader;
use super::{Store, StoreError};

/// Bytes at the beginning of a database that change whenever it is written.
const HEADER: usize = 100;

/// What `user_version` says of a closed one, which nobody writes.
pub(super) const CLOSED: i64 = 2;

/// What queries see of a partition of which rows were lifted: names of temporary tables come
/// before those of the file.
const VIEWS: [&str; 3] = [
    "CREATE TEMP VIEW bouts AS SELECT * FROM main.bouts \
     WHERE number NOT IN (SELECT number FROM temp.hidden)",
    "CREATE TEMP VIEW seats AS SELECT * FROM main.seats \
     WHERE bout NOT IN (SELECT number FROM temp.hidden)",
    "CREATE TEMP VIEW logs AS SELECT * FROM main.logs \
     WHERE bout NOT IN (SELECT number FROM temp.hidden)",
];

/// A part of a database: one of its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The closed partition of this number.
    Partition(i64),
    /// What is in none.
    Head,
}

/// A closed partition.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) number: i64,
    path: PathBuf,
    /// Rows of `bouts`.
    pub(super) rows: RangeInclusive<i64>,
    /// Links of the chain.
    pub(super) links: RangeInclusive<i64>,
    /// The hash of the last link.
    head: Vec<u8>,
    bytes: i64,
    header: Vec<u8>,
    /// Rows that are not seen any more.
    pub(super) lifted: Vec<i64>,
}

/// Returns the file of partition `number` of the database at `path`: `results-0001.db`.
fn file_of(path: &Path, number: i64) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let end = path.extension().map(|end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number:04}{}", end.unwrap_or_default()))
}

/// Returns the beginning of a file, as far as there is one.
fn header_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(HEADER);
    File::open(path)?.take(HEADER as u64).read_to_end(&mut header)?;
    Ok(header)
}

/// Says whether two files are one and the same closed partition, as far as their size and
/// beginning tell.
pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    let size = |path| std::fs::metadata(path).ok().map(|data| data.len());
    let header = |path| header_of(path).ok();
    size(one).is_some() && size(one) == size(other) && header(one) == header(other)
}

impl Closed {
    fn read(head: &Path, row: &SqliteRow) -> Result<Self, StoreError> {
        let reader = Reader::new("partitions", "number", row);
        let file: String = reader.get("file")?;
        Ok(Self {
            number: reader.get("number")?,
            path: head.with_file_name(file),
            rows: reader.get("first_row")?..=reader.get("last_row")?,
            links: reader.get("first_link")?..=reader.get("last_link")?,
            head: reader.get("head")?,
            bytes: reader.get("bytes")?,
            header: reader.get("header")?,
            lifted: reader.json("lifted")?,
        })
    }

    /// Says that the file is there, with the size and the beginning with which it was closed.
    pub(super) fn refuse_changed(&self, head: &Path) -> Result<(), StoreError> {
        let (head, file) = (head.to_owned(), self.path.clone());
        let Ok(data) = std::fs::metadata(&self.path) else {
            return Err(StoreError::PartitionGone { head, file });
        };
        let is_same = i64::try_from(data.len()) == Ok(self.bytes)
            && header_of(&self.path).is_ok_and(|header| header == self.header);
        if is_same { Ok(()) } else { Err(self.changed(&head)) }
    }

    /// Opens the file to read what is not lifted.
    pub(super) async fn open(&self, head: &Path) -> Result<SqliteConnection, StoreError> {
        self.refuse_changed(head)?;
        let options = options(&self.path).create_if_missing(false).read_only(true);
        let options = options.immutable(true).pragma("temp_store", "MEMORY");
        let opened = options.connect().await;
        let mut connection = opened.map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        let is_its_own = self.has_its_chain(&mut connection).await;
        if !is_its_own.map_err(|error| StoreError::from_sqlx(&self.path, error))? {
            return Err(self.changed(head));
        }
        if !self.lifted.is_empty() {
            let hidden = self.hide(&mut connection).await;
            hidden.map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        }
        Ok(connection)
    }

    /// Says whether the last link is the one that it was closed with.
    async fn has_its_chain(&self, connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
        let last = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1";
        Ok(self.ends_with(sqlx::query_as(last).fetch_optional(connection).await?))
    }

    /// Says whether it was closed with this last link.
    fn ends_with(&self, last: Option<(i64, Vec<u8>)>) -> bool {
        match last {
            Some((number, hash)) => number == *self.links.end() && hash == self.head,
            None => self.links.is_empty(),
        }
    }

    fn changed(&self, head: &Path) -> StoreError {
        StoreError::PartitionChanged { head: head.to_owned(), file: self.path.clone() }
    }

    /// Lets queries of this connection see no bouts that were lifted.
    async fn hide(&self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let list = serde_json::to_string(&self.lifted).expect("numbers are JSON");
        let table = "CREATE TEMP TABLE hidden (number INTEGER NOT NULL PRIMARY KEY)";
        sqlx::query(table).execute(&mut *connection).await?;
        sqlx::query("INSERT INTO temp.hidden SELECT value FROM json_each(?)")
            .bind(list)
            .execute(&mut *connection)
            .await?;
        for view in VIEWS {
            sqlx::query(view).execute(&mut *connection).await?;
        }
        Ok(())
    }

    /// Returns the file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

/// The partitions of which a list has the numbers, or all where there is none, each with the rows of
/// it that are lifted.
const PARTITIONS: &str = "SELECT number, file, first_row, last_row, first_link, last_link, head, bytes, \
    header, (SELECT json_group_array(number) FROM lifted \
    WHERE lifted.number BETWEEN first_row AND last_row) AS lifted FROM partitions \
    WHERE ?1 IS NULL OR number IN (SELECT value FROM json_each(?1)) ORDER BY number";

impl Store {
    /// Returns the partitions as `head` sees them, a connection to the head.
    pub(super) async fn closed(
        &self,
        head: &mut SqliteConnection,
    ) -> Result<Vec<Closed>, StoreError> {
        self.closed_of(head, None).await
    }

    /// Returns the partitions of these numbers, or all, as `head` sees them.
    async fn closed_of(
        &self,
        head: &mut SqliteConnection,
        numbers: Option<&[i64]>,
    ) -> Result<Vec<Closed>, StoreError> {
        let numbers = numbers.map(|some| serde_json::to_string(some).expect("numbers are JSON"));
        let rows = sqlx::query(PARTITIONS).bind(numbers).fetch_all(head).await;
        let rows = rows.map_err(|error| self.error(error))?;
        rows.iter().map(|row| Closed::read(self.path(), row)).collect()
    }

    /// Returns the files beside the database that belong to it, in their order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn partition_files(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut head = self.readers().acquire().await.map_err(|error| self.error(error))?;
        Ok(self.closed(&mut head).await?.iter().map(|one| one.path().to_owned()).collect())
    }

    /// Hands each row that a query finds in any partition, then those in the head, to `take`.
    /// The query is of one table with numbered rows, or joins such tables; rows come in its
    /// order file by file.
    pub(super) async fn each_row_of_all<'q>(
        &self,
        query: impl Fn() -> Query<'q, Sqlite, SqliteArguments> + Send,
        mut take: impl FnMut(&SqliteRow) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        let mut snapshot = self.readers().begin().await.map_err(|error| self.error(error))?;
        for closed in self.closed(&mut snapshot).await? {
            let mut connection = closed.open(self.path()).await?;
            let read = each_row(query(), &mut connection, &mut take).await;
            read.map_err(|error| StoreError::from_sqlx(closed.path(), error))??;
        }
        let read = each_row(query(), &mut snapshot, &mut take).await;
        read.map_err(|error| self.error(error))?
    }
}

/// Hands each row to `take` as it comes, until one fails.
pub(super) async fn each_row(
    query: Query<'_, Sqlite, SqliteArguments>,
    file: &mut SqliteConnection,
    take: &mut (impl FnMut(&SqliteRow) -> Result<(), StoreError> + Send),
) -> Result<Result<(), StoreError>, sqlx::Error> {
    let mut taken = Ok(());
    let mut take_unless_failed = |row: SqliteRow| {
        if taken.is_ok() {
            taken = take(&row);
        }
    };
    query.map(&mut take_unless_failed).fetch_all(file).await?;
    Ok(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_named_after_its_head() {
        let named = |path: &str| file_of(Path::new(path), 12).to_string_lossy().into_owned();
        assert_eq!(named("/a/results.db"), "/a/results-0012.db");
        assert_eq!(named("cup"), "cup-0012");
    }
}
