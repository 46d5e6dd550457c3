//! The results of an event in schedule order, from all files at once.
//!
//! Each file gives its bouts in that order, a page at a time, by its index of the schedule; the
//! next bout is the first of those that files have next. So bouts that were stored in whatever
//! order are met in that of the schedule, and memory holds a page of each file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::LazyLock;

use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::bouts::id_number;
use super::results::{Page, Results, SEAT_LISTS};
use super::sweep::Columns;
use super::{BoutSummary, Store, StoreError};

/// Bouts of a file that are read at once.
const BOUTS: i64 = 1024;

/// The next bouts of an event that count and have a winner or a draw. Ids are in the order of
/// their bytes.
const NEXT: &str = "SELECT json_group_array(number) AS number, json_group_array(id) AS id, \
    json_group_array(match_number) AS match_number, json_group_array(bout_number) AS bout_number, \
    json_group_array(seed) AS seed, json_group_array(rounds) AS rounds, \
    json_group_array(tier = 'D') AS tier FROM (\
    SELECT number, id, match_number, bout_number, seed, rounds, tier FROM bouts \
    WHERE event = ?1 AND match_number >= ?2 \
    AND (match_number, bout_number, id < 0, id) > (?2, ?3, ?4 < 0, ?4) \
    AND counts AND ended NOT LIKE 'referee-error%' \
    ORDER BY match_number, bout_number, id < 0, id LIMIT ?5)";

/// The seats of some bouts, by the numbers of their rows.
static SEATS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {} FROM json_each(?1) AS page CROSS JOIN seats ON seats.bout = page.value",
        *SEAT_LISTS
    )
});

/// A bout's place in the schedule, its number in the match, and its id.
type At = (u64, u32, [u8; 8]);

/// Where bouts are read from.
enum Source {
    Partition(SqliteConnection),
    Head(Transaction<'static, Sqlite>),
}

/// A file whose bouts are read in order.
struct Ordered {
    path: PathBuf,
    source: Source,
    /// Bouts that were read, the next one last.
    waiting: Vec<BoutSummary>,
    /// The last one that was read: its match, its number there, and its id.
    last: [i64; 3],
    results: Results,
}

impl Store {
    /// Takes the bouts of an event that count one after the other, in schedule order, so that
    /// millions need no memory; returns what was made of them. [`Store::fold_results`] is faster
    /// where the order says nothing.
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
        let mut made = start;
        let mut files = self.in_order().await?;
        let mut next = BinaryHeap::new();
        for (place, file) in files.iter_mut().enumerate() {
            file.read_on(event).await?;
            next.extend(file.at().map(|at| Reverse((at, place))));
        }
        while let Some(Reverse((_, place))) = next.pop() {
            let file = &mut files[place];
            if let Some(bout) = file.waiting.pop() {
                take(&mut made, bout);
            }
            if file.waiting.is_empty() {
                file.read_on(event).await?;
            }
            next.extend(file.at().map(|at| Reverse((at, place))));
        }
        Ok(made)
    }

    async fn in_order(&self) -> Result<Vec<Ordered>, StoreError> {
        let mut snapshot = self.readers().begin().await.map_err(|error| self.error(error))?;
        let mut files = Vec::new();
        for closed in self.closed(&mut snapshot).await? {
            let connection = closed.open(self.path()).await?;
            files.push(Ordered::new(closed.path().to_owned(), Source::Partition(connection)));
        }
        files.push(Ordered::new(self.path().to_owned(), Source::Head(snapshot)));
        Ok(files)
    }
}

impl Source {
    fn connection(&mut self) -> &mut SqliteConnection {
        match self {
            Self::Partition(connection) => connection,
            Self::Head(snapshot) => snapshot,
        }
    }
}

impl Ordered {
    fn new(path: PathBuf, source: Source) -> Self {
        let (waiting, results) = (Vec::new(), Results::default());
        Self { path, source, waiting, last: [i64::MIN, 0, 0], results }
    }

    /// Returns where the next bout is; `None` when there is none.
    fn at(&self) -> Option<At> {
        self.waiting.last().map(|bout| (bout.match_number, bout.number, bout.bout.0))
    }

    /// Reads on until there is a next bout, or no more.
    async fn read_on(&mut self, event: &str) -> Result<(), StoreError> {
        while self.waiting.is_empty() && self.read_page(event).await? {}
        Ok(())
    }

    /// Reads the bouts after the last one; says whether there were any.
    async fn read_page(&mut self, event: &str) -> Result<bool, StoreError> {
        let [match_number, number, id] = self.last;
        let file = self.source.connection();
        let bouts = sqlx::query(NEXT)
            .bind(event)
            .bind(match_number)
            .bind(number)
            .bind(id)
            .bind(BOUTS)
            .fetch_one(&mut *file)
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        let bouts = Columns::of("bouts", (match_number, i64::MAX), bouts);
        if bouts.is_empty("number")? {
            return Ok(false);
        }
        let seats = sqlx::query(SEATS.as_str())
            .bind(bouts.text("number")?)
            .fetch_one(file)
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        let seats = Columns::of("seats", (match_number, i64::MAX), seats);
        self.results.add(&Page { bouts, seats })?;
        let Some(last) = self.results.bouts.last() else { return Ok(false) };
        let id = id_number(last.bout);
        self.last = [last.match_number.cast_signed(), last.number.into(), id];
        let bouts = self.results.bouts.drain(..).rev().filter(|bout| !bout.seats.is_empty());
        self.waiting.extend(bouts);
        Ok(true)
    }
}
