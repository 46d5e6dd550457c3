//! The bouts of an event in schedule order, read in pages through the schedule's index.

use std::path::PathBuf;
use std::sync::LazyLock;

use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use super::bout_scan::ColumnLists;
use super::bouts::{bout_id, id_number};
use super::results::{BOUT_LISTS, ResultPage, Results, SEAT_LISTS};
use super::row::Reader;
use super::{BoutSummary, Store, StoreError};
use joust_model::BoutId;

/// Number of bouts per page.
const BOUTS: i64 = 1024;

/// The next bouts of an event that count and have a winner or a draw. Equal places are ordered by
/// the bytes of their ids.
static NEXT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {BOUT_LISTS} FROM (\
         SELECT number, id, match_number, bout_number, seed, rounds, tier FROM bouts \
         WHERE event = ?1 AND match_number >= ?2 \
         AND (match_number, bout_number, id < 0, id) > (?2, ?3, ?4 < 0, ?4) \
         AND counts AND ended NOT LIKE 'referee-error%' \
         ORDER BY match_number, bout_number, id < 0, id LIMIT ?5)"
    )
});

/// The seats of some bouts, by the numbers of their rows.
static SEATS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {} FROM json_each(?1) AS page CROSS JOIN seats ON seats.bout = page.value",
        *SEAT_LISTS
    )
});

/// Sort key of bouts: the match, the bout's number in it, and its id.
type At = (i64, i64, [u8; 8]);

/// Reader of the bouts of an event that count, in schedule order, from a snapshot.
pub struct ResultsInOrder {
    path: PathBuf,
    event: String,
    snapshot: Transaction<'static, Sqlite>,
    /// The key of the last bout that was read.
    last: Option<At>,
    results: Results,
    /// The rest of the page, in reverse order.
    waiting: Vec<BoutSummary>,
}

impl Store {
    /// Begins to read the bouts of an event that count, in schedule order. [`Store::fold_results`]
    /// is faster where the order does not matter.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn results_in_order(&self, event: &str) -> Result<ResultsInOrder, StoreError> {
        let snapshot = self.snapshot().await?;
        let (path, event) = (self.path().to_owned(), event.to_owned());
        let (results, waiting) = (Results::default(), Vec::new());
        Ok(ResultsInOrder { path, event, snapshot, last: None, results, waiting })
    }

    /// Returns the ids of an event's bouts in schedule order, including bouts that no longer count.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn bouts_in_order(&self, event: &str) -> Result<Vec<BoutId>, StoreError> {
        let query = "SELECT id FROM bouts WHERE event = ? \
             ORDER BY match_number, bout_number, id < 0, id";
        let id = |row: &SqliteRow| Ok(bout_id(Reader::new("bouts", "id", row).get("id")?));
        self.all_rows(sqlx::query(query).bind(event), id).await
    }

    /// Passes the bouts of an event that count to a function, in schedule order, and returns the
    /// folded value. Memory does not grow with the number of bouts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn fold_in_order<T: Send>(
        &self,
        event: &str,
        start: T,
        mut take: impl FnMut(&mut T, BoutSummary) + Send,
    ) -> Result<T, StoreError> {
        let (mut made, mut bouts) = (start, self.results_in_order(event).await?);
        while let Some(bout) = bouts.next().await? {
            take(&mut made, bout);
        }
        Ok(made)
    }
}

impl ResultsInOrder {
    /// Returns the next bout; `None` when there are no more.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn next(&mut self) -> Result<Option<BoutSummary>, StoreError> {
        while self.waiting.is_empty() {
            let bouts = self.next_bouts().await?;
            if bouts.is_empty("number")? {
                return Ok(None);
            }
            let seats = self.seats(&bouts).await?;
            self.results.add(&ResultPage { bouts, seats })?;
            let at = |bout: &BoutSummary| {
                (bout.match_number.cast_signed(), bout.number.into(), bout.bout.0)
            };
            self.last = self.results.bouts.last().map(at);
            let bouts = self.results.bouts.drain(..).rev();
            self.waiting.extend(bouts.filter(|bout| !bout.seats.is_empty()));
        }
        Ok(self.waiting.pop())
    }

    /// Reads columns of the bouts that follow the last one.
    async fn next_bouts(&mut self) -> Result<ColumnLists, StoreError> {
        let (match_number, number, id) = self.last.unwrap_or((i64::MIN, 0, [0; 8]));
        let row = sqlx::query(NEXT.as_str())
            .bind(&self.event)
            .bind(match_number)
            .bind(number)
            .bind(id_number(BoutId(id)))
            .bind(BOUTS)
            .fetch_one(&mut *self.snapshot)
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        Ok(ColumnLists::of("bouts", (match_number, i64::MAX), row))
    }

    /// Reads the seats of some bouts.
    async fn seats(&mut self, bouts: &ColumnLists) -> Result<ColumnLists, StoreError> {
        let row = sqlx::query(SEATS.as_str())
            .bind(bouts.text("number")?)
            .fetch_one(&mut *self.snapshot)
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        Ok(ColumnLists::of("seats", (i64::MIN, i64::MAX), row))
    }
}
