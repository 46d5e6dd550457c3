//! Bouts with all that was kept of them, many at a time: for whoever reads a
//! whole database in little memory.

use std::collections::HashMap;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::bouts::{bout_id, id_number};
use super::chain::Placing;
use super::facts::{BoutFacts, Digest, SeatFacts};
use super::row::Reader;
use super::{Store, StoreError, StoredBout, read as one, seats};
use crate::model::BoutId;

/// How many bouts are read at once.
const BOUTS: i64 = 128;

/// A bout as it stands in the tables.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// The row's number: in which order rows came.
    pub number: i64,
    pub(super) placing: Placing,
    /// The link of the chain that the row names.
    pub(super) link: i64,
    /// The hash of what the rows say.
    pub(super) digest: Result<Digest, StoreError>,
    /// The bout, or which of its rows no Joust can have written.
    pub stored: Result<StoredBout, StoreError>,
}

impl Recorded {
    /// Returns the bout's id.
    #[must_use]
    pub fn bout(&self) -> BoutId {
        self.placing.bout
    }

    /// Says whether the rows are as the chain has them; their place in the
    /// schedule plays no part.
    #[must_use]
    pub fn is_as_recorded(&self, ledger: &super::Ledger) -> bool {
        matches!(&self.digest, Ok(digest) if ledger.digest(self.bout()) == Some(*digest))
    }
}

impl Store {
    /// Returns the next bouts after row number `last`, in the order of their
    /// rows; none when there are no more. Begin with `i64::MIN`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn bouts_after(&self, last: i64) -> Result<Vec<Recorded>, StoreError> {
        let mut reader = self.readers().acquire().await.map_err(|error| self.error(error))?;
        read(self, &mut reader, last).await
    }

    /// Returns a bout as it stands in the tables; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn recorded_bout(&self, bout: BoutId) -> Result<Option<Recorded>, StoreError> {
        let mut reader = self.readers().acquire().await.map_err(|error| self.error(error))?;
        let number: Option<i64> = sqlx::query_scalar("SELECT number FROM bouts WHERE id = ?")
            .bind(id_number(bout))
            .fetch_optional(&mut *reader)
            .await
            .map_err(|error| self.error(error))?;
        let Some(number) = number else { return Ok(None) };
        self.recorded(&mut reader, number).await.map(Some)
    }

    /// Returns the bout in row `number`.
    pub(super) async fn recorded(
        &self,
        connection: &mut SqliteConnection,
        number: i64,
    ) -> Result<Recorded, StoreError> {
        let found = between(self, connection, (number, 1)).await?;
        let none = || self.error(sqlx::Error::RowNotFound);
        found.into_iter().next().filter(|found| found.number == number).ok_or_else(none)
    }
}

/// Reads the bouts that follow row number `last`.
pub(super) async fn read(
    store: &Store,
    connection: &mut SqliteConnection,
    last: i64,
) -> Result<Vec<Recorded>, StoreError> {
    between(store, connection, (last.saturating_add(1), BOUTS)).await
}

async fn between(
    store: &Store,
    connection: &mut SqliteConnection,
    (first, most): (i64, i64),
) -> Result<Vec<Recorded>, StoreError> {
    let bouts = sqlx::query(
        "SELECT bouts.*, options.text AS options_text, limits.text AS limits_text FROM bouts \
         LEFT JOIN documents AS options ON options.id = bouts.options \
         LEFT JOIN documents AS limits ON limits.id = bouts.limits \
         WHERE number >= ? ORDER BY number LIMIT ?",
    )
    .bind(first)
    .bind(most)
    .fetch_all(&mut *connection)
    .await
    .map_err(|error| store.error(error))?;
    let number = |row: &SqliteRow| Reader::new("bouts", "number", row).get::<i64>("number");
    let (Some(low), Some(high)) = (bouts.first(), bouts.last()) else { return Ok(Vec::new()) };
    let range = (number(low)?, number(high)?);
    let seats = of_range(store, connection, SEATS, range).await?;
    let logs = of_range(store, connection, LOGS, range).await?;
    let none = Vec::new();
    let assembled = bouts.iter().map(|row| {
        let number = number(row)?;
        let (seats, logs) = (seats.get(&number), logs.get(&number));
        assemble(row, seats.unwrap_or(&none), logs.and_then(|rows| rows.first()))
    });
    assembled.collect()
}

const SEATS: &str = "SELECT seats.*, text AS calibration_text FROM seats \
                     LEFT JOIN documents ON documents.id = seats.calibration \
                     WHERE bout BETWEEN ? AND ? ORDER BY bout, seat";
const LOGS: &str = "SELECT bout, action_log, turn_log FROM logs WHERE bout BETWEEN ? AND ?";

/// Returns rows by the bout they belong to.
async fn of_range(
    store: &Store,
    connection: &mut SqliteConnection,
    query: &'static str,
    (low, high): (i64, i64),
) -> Result<HashMap<i64, Vec<SqliteRow>>, StoreError> {
    let rows = sqlx::query(query).bind(low).bind(high).fetch_all(connection).await;
    let mut found: HashMap<i64, Vec<SqliteRow>> = HashMap::new();
    for row in rows.map_err(|error| store.error(error))? {
        let bout = Reader::new("seats", "bout", &row).get("bout")?;
        found.entry(bout).or_default().push(row);
    }
    Ok(found)
}

fn assemble(
    row: &SqliteRow,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<Recorded, StoreError> {
    let reader = Reader::new("bouts", "number", row);
    Ok(Recorded {
        number: reader.get("number")?,
        placing: Placing {
            bout: bout_id(reader.get("id")?),
            match_number: reader.get("match_number")?,
            counts: reader.get("counts")?,
        },
        link: reader.get("link")?,
        digest: digest(row, seats, logs),
        stored: stored(&reader, seats, logs),
    })
}

fn digest(
    row: &SqliteRow,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<Digest, StoreError> {
    let mut hasher = BoutFacts::read(row)?.hash();
    for seat in seats {
        hasher = SeatFacts::read(seat)?.hash(hasher);
    }
    let logs = logs.map(|logs| Reader::new("logs", "bout", logs));
    let log = |column| logs.as_ref().map(|logs| logs.get::<&[u8]>(column)).transpose();
    Ok(hasher.optional_bytes(log("action_log")?).optional_bytes(log("turn_log")?).finish())
}

fn stored(
    reader: &Reader<'_>,
    seats: &[SqliteRow],
    logs: Option<&SqliteRow>,
) -> Result<StoredBout, StoreError> {
    let seats = seats.iter().map(seats::read).collect::<Result<Vec<_>, _>>()?;
    let Some(logs) = logs else { return Err(super::logs::missing(reader.get("number")?)) };
    let logs = Reader::new("logs", "bout", logs);
    let logs = (logs.get("action_log")?, logs.get("turn_log")?);
    let plan = one::plan(reader, &seats)?;
    Ok(StoredBout { plan, result: one::result(reader, seats, logs)? })
}
