//! Bouts with everything stored about them, in pages, for readers of a whole database with little
//! memory.

use std::sync::LazyLock;

use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use super::bounds::READ_BY_ROWS;
use super::bouts::{bout_id, id_number};
use super::hasher::{Digest, Hasher};
use super::row::{Reader, refused};
use super::rows::{BoutColumns, BoutPlacing, Logs, SeatsAndLogs};
use super::seats::SeatColumns;
use super::{Store, StoreError, StoredBout, rows, seats};
use joust_model::BoutId;

/// Number of bouts per page.
const AT_ONCE: i64 = 256;

/// Bytes of texts and logs that bouts have together which are read at once, unless it is only one.
const BYTES_AT_ONCE: i64 = 64 << 20;

/// The most bytes of texts and logs that one bout has.
const MOST_BYTES: i64 = 512 << 20;

/// A bout as it stands in the tables.
#[derive(Clone, Debug)]
pub struct RecordedBout {
    /// The row's number; rows are numbered in the order in which they were inserted.
    pub number: i64,
    /// The values that are compared with the chain.
    pub mark: ChainMark,
    /// The bout, or the error about a row that Joust never writes.
    pub stored: Result<StoredBout, StoreError>,
}

/// Values of a bout's rows that the chain records, too.
#[derive(Clone, Debug)]
pub struct ChainMark {
    pub(super) placing: BoutPlacing,
    /// The link of the chain that the row refers to.
    pub(super) link: i64,
    /// The hash of the rows.
    pub(super) digest: Result<Digest, StoreError>,
}

impl RecordedBout {
    /// Returns the bout's id.
    pub fn bout(&self) -> BoutId {
        self.mark.placing.bout
    }
}

impl Store {
    /// Returns the bouts that follow row number `last`, in the order of their rows; an empty list
    /// at the end. Begin with `i64::MIN`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn bouts_after(&self, last: i64) -> Result<Vec<RecordedBout>, StoreError> {
        self.page_after(last).await?.assemble()
    }

    /// Reads the rows of the bouts that follow row number `last`, in order; an empty page at the
    /// end. Begin with `i64::MIN`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn page_after(&self, last: i64) -> Result<BoutPage, StoreError> {
        let Some(first) = last.checked_add(1) else { return Ok(BoutPage::default()) };
        let mut moment = self.snapshot().await?;
        let rows = RowRange { first, last: i64::MAX, most: AT_ONCE };
        let page = self.between(&mut moment, rows).await?;
        match page.newest.is_some_and(|newest| newest < first) {
            true => Err(self.damaged("rows of `bouts` are not in order".to_owned())),
            false => Ok(page),
        }
    }

    /// Returns a bout as stored in the tables; `None` when it is not stored.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn recorded_bout(&self, bout: BoutId) -> Result<Option<RecordedBout>, StoreError> {
        let mut moment = self.snapshot().await?;
        let number = sqlx::query_scalar("SELECT number FROM bouts WHERE id = ?");
        let number = number.bind(id_number(bout)).fetch_optional(&mut *moment).await;
        match number.map_err(|error| self.error(error))? {
            Some(number) => self.recorded(&mut moment, number).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the bout in row `number`.
    pub(super) async fn recorded(
        &self,
        connection: &mut SqliteConnection,
        number: i64,
    ) -> Result<RecordedBout, StoreError> {
        let rows = RowRange { first: number, last: number, most: 1 };
        let found = self.between(connection, rows).await?.assemble()?.pop();
        found.ok_or_else(|| self.error(sqlx::Error::RowNotFound))
    }

    async fn between(
        &self,
        connection: &mut SqliteConnection,
        rows: RowRange,
    ) -> Result<BoutPage, StoreError> {
        let most = self.rows_at_once(connection, rows).await?;
        let bouts = sqlx::query(BOUTS.as_str())
            .bind(rows.first)
            .bind(rows.last)
            .bind(most)
            .fetch_all(&mut *connection)
            .await
            .map_err(|error| self.error(error))?;
        let number = |row: &SqliteRow| Reader::new("bouts", "number", row).get::<i64>("number");
        let (Some(low), Some(high)) = (bouts.first(), bouts.last()) else {
            return Ok(BoutPage::default());
        };
        let (low, high) = (number(low)?, number(high)?);
        let seats = self.of_range(connection, &SEATS, (low, high)).await?;
        let logs = self.of_range(connection, LOGS, (low, high)).await?;
        Ok(BoutPage { bouts, seats, logs, newest: Some(high) })
    }

    /// Returns how many rows are read at once: rows of a stranger's database may share what they
    /// are long of, and a copy of all of them is kept.
    async fn rows_at_once(
        &self,
        connection: &mut SqliteConnection,
        rows: RowRange,
    ) -> Result<i64, StoreError> {
        let sizes: Vec<(i64, i64)> = sqlx::query_as(SIZES.as_str())
            .bind(rows.first)
            .bind(rows.last)
            .bind(rows.most)
            .fetch_all(connection)
            .await
            .map_err(|error| self.error(error))?;
        let (mut most, mut sum) = (0, 0_i64);
        for (number, bytes) in sizes {
            if bytes > MOST_BYTES {
                let problem = format!("row `{number}` of `bouts` has {bytes} bytes");
                return Err(self.damaged(problem));
            }
            sum = sum.saturating_add(bytes);
            if most > 0 && sum > BYTES_AT_ONCE {
                break;
            }
            most += 1;
        }
        Ok(most)
    }

    async fn of_range(
        &self,
        connection: &mut SqliteConnection,
        query: &'static str,
        (low, high): (i64, i64),
    ) -> Result<Vec<SqliteRow>, StoreError> {
        let mut last = None;
        let rows = sqlx::query(query).bind(low).bind(high).try_map(|row: SqliteRow| {
            let key: (i64, i64) = (row.try_get("bout")?, row.try_get("seat").unwrap_or(0));
            // Pages that a tree shares stand for the same rows without end.
            if last.replace(key).is_some_and(|last| last >= key) {
                let problem = format!("the rows of bout row `{}` are not in order", key.0);
                return Err(refused(self.damaged(problem)));
            }
            Ok(row)
        });
        rows.fetch_all(connection).await.map_err(|error| self.reason(error))
    }
}

/// Rows of `bouts`: the first, the last, and the maximum number of rows.
#[derive(Clone, Copy, Debug)]
struct RowRange {
    first: i64,
    last: i64,
    most: i64,
}

/// Raw rows of many bouts. Decoding them into bouts needs no database.
#[derive(Default)]
pub struct BoutPage {
    bouts: Vec<SqliteRow>,
    /// In the order of their bouts.
    seats: Vec<SqliteRow>,
    logs: Vec<SqliteRow>,
    /// The number of the newest row.
    pub newest: Option<i64>,
}

impl BoutPage {
    /// Decodes the rows into bouts, in order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a row has no number.
    pub fn assemble(&self) -> Result<Vec<RecordedBout>, StoreError> {
        let (mut seats, mut logs) = (&self.seats[..], &self.logs[..]);
        let recorded = |row| {
            let number = Reader::new("bouts", "number", row).get("number")?;
            let seats = first_of(&mut seats, number)?;
            assemble(row, seats, first_of(&mut logs, number)?.first())
        };
        self.bouts.iter().map(recorded).collect()
    }
}

/// Splits off the rows that belong to bout row `number`, and skips rows before them that belong to
/// no bout. `rows` are in the order of their bouts.
fn first_of<'a>(rows: &mut &'a [SqliteRow], number: i64) -> Result<&'a [SqliteRow], StoreError> {
    let until = |most: i64| -> Result<usize, StoreError> {
        for (place, row) in rows.iter().enumerate() {
            if Reader::new("seats", "bout", row).get::<i64>("bout")? > most {
                return Ok(place);
            }
        }
        Ok(rows.len())
    };
    let (first, end) = (until(number.saturating_sub(1))?, until(number)?);
    let own = &rows[first..end];
    *rows = &rows[end..];
    Ok(own)
}

/// Numbers of rows of `bouts`, with the bytes of the texts and logs of each bout.
static SIZES: LazyLock<String> = LazyLock::new(|| {
    let sum = |table: &str| {
        let (_, columns) = READ_BY_ROWS.iter().find(|(name, _)| *name == table).expect("a table");
        let bytes = columns.iter().map(|column| format!("coalesce(octet_length({column}), 0)"));
        bytes.collect::<Vec<_>>().join(" + ")
    };
    format!(
        "SELECT number, {} + (SELECT coalesce(sum({}), 0) FROM seats WHERE bout = number) \
         + coalesce((SELECT {} FROM logs WHERE bout = number), 0) \
         FROM bouts WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?",
        sum("bouts"),
        sum("seats"),
        sum("logs"),
    )
});

static BOUTS: LazyLock<String> = LazyLock::new(|| {
    format!("{} WHERE number BETWEEN ? AND ? ORDER BY number LIMIT ?", *rows::SELECT)
});
static SEATS: LazyLock<String> =
    LazyLock::new(|| format!("{} WHERE bout BETWEEN ? AND ? ORDER BY bout, seat", *seats::SELECT));
const LOGS: &str = "SELECT bout, action_log, turn_log FROM logs \
                    WHERE bout BETWEEN ? AND ? ORDER BY bout";

fn assemble(
    row: &SqliteRow,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<RecordedBout, StoreError> {
    let reader = Reader::new("bouts", "number", row);
    Ok(RecordedBout {
        number: reader.get("number")?,
        mark: ChainMark {
            placing: BoutPlacing {
                bout: bout_id(reader.get("id")?),
                match_number: reader.get("match_number")?,
                counts: reader.get("counts")?,
            },
            link: reader.get("link")?,
            digest: digest(row, seats, logs),
        },
        stored: stored(&reader, seats, logs),
    })
}

fn digest(
    row: &SqliteRow,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<Digest, StoreError> {
    let mut hasher = Hasher::new("joust-result-1");
    let columns = BoutColumns::list().iter().map(|column| column.name);
    Reader::new("bouts", "number", row).hash_columns(columns, &mut hasher)?;
    for seat in seats {
        let columns = SeatColumns::list().iter().map(|column| column.name);
        let columns = std::iter::once("seat").chain(columns);
        Reader::new("seats", "bout", seat).hash_columns(columns, &mut hasher)?;
    }
    match logs {
        Some(logs) => Reader::new("logs", "bout", logs)
            .hash_columns(["action_log", "turn_log"], &mut hasher)?,
        None => (0..2).for_each(|_| hasher.add_null()),
    }
    Ok(hasher.finish())
}

fn stored(
    reader: &Reader<'_>,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<StoredBout, StoreError> {
    let seats = seats.iter().map(seats::read).collect::<Result<Vec<_>, _>>()?;
    let Some(logs) = logs else {
        return Err(StoreError::ImpossibleRow {
            table: "logs",
            column: "bout",
            row: reader.get::<i64>("number")?.to_string(),
            problem: "the bout has no logs".to_owned(),
        });
    };
    let logs = Reader::new("logs", "bout", logs);
    let logs = Logs { actions: logs.get("action_log")?, turns: logs.get("turn_log")? };
    BoutColumns::read(reader, SeatsAndLogs { seats, logs })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Access;

    #[tokio::test]
    async fn rows_with_long_texts_are_read_a_few_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
        let rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20) \
            INSERT INTO logs SELECT i, zeroblob(12000000), x'' FROM n; \
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) \
            INSERT INTO bouts SELECT i, i, '', 0, 0, 0, x'', '', 0, '', 0, 0, 0, '', 0, '', '', '', \
            '', 0, 0, 0, 0, NULL, 0, NULL, 0 FROM n";
        let mut connection =
            store.writer.as_ref().expect("it writes").acquire().await.expect("one");
        let off = "PRAGMA foreign_keys = OFF";
        sqlx::query(off).execute(&mut *connection).await.expect("changed");
        sqlx::raw_sql(rows).execute(&mut *connection).await.expect("written");
        let (mut pages, mut last) = (Vec::new(), 0);
        while let Some(newest) = store.page_after(last).await.expect("it is read").newest {
            pages.push(newest - last);
            last = newest;
        }
        assert_eq!(pages, [5, 5, 5, 256, 29]);
    }
}
