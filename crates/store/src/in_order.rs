//! The bouts of an event in schedule order, from all files at once.
//!
//! Each file gives its bouts in that order, a page at a time, by its index of the schedule; the
//! next bout is the first of those that files have next. So bouts that were stored in whatever
//! order are met in that of the schedule, and memory holds a page of each file.

use async_recursion::async_recursion as boxed;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::sync::LazyLock;

use sqlx::{Sqlite, SqliteConnection, Transaction};

use super::bouts::{bout_id, id_number};
use super::results::{Page, Results, SEAT_LISTS};
use super::sweep::Columns;
use super::{BoutSummary, Store, StoreError};
use joust_model::BoutId;

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

/// The next bouts of an event, whether they count or not.
const NEXT_IDS: &str = "SELECT json_group_array(match_number) AS match_number, \
    json_group_array(bout_number) AS bout_number, json_group_array(id) AS id FROM (\
    SELECT id, match_number, bout_number FROM bouts \
    WHERE event = ?1 AND match_number >= ?2 \
    AND (match_number, bout_number, id < 0, id) > (?2, ?3, ?4 < 0, ?4) \
    ORDER BY match_number, bout_number, id < 0, id LIMIT ?5)";

/// A bout's match, its number there, and its id: what bouts are in the order of.
type At = (i64, i64, [u8; 8]);

/// Where bouts are read from.
enum Source {
    Partition(SqliteConnection),
    Head(Transaction<'static, Sqlite>),
}

/// A file whose bouts are read in order.
struct Ordered {
    path: PathBuf,
    source: Source,
    /// The place of the last one that was read.
    last: Option<At>,
    results: Results,
}

/// What is read of a bout.
trait Placed: Sized {
    /// Returns the bout's place.
    fn at(&self) -> At;

    /// Reads the bouts after the last one, the first one last; `None` when there are no more.
    fn page(
        file: &mut Ordered,
        event: &str,
    ) -> impl Future<Output = Result<Option<Vec<Self>>, StoreError>> + Send;
}

/// Some files of a database, and what was read of the next bouts of each.
struct Files<T> {
    event: String,
    files: Vec<(Ordered, Vec<T>)>,
    next: BinaryHeap<Reverse<(At, usize)>>,
}

/// Bouts of an event that count, in schedule order, as they are at one moment.
pub struct ResultsInOrder(Files<BoutSummary>);

/// Names of an event's bouts in schedule order, those included that no longer count.
pub struct BoutsInOrder(Files<At>);

impl Store {
    /// Begins to read the bouts of an event that count, in schedule order.
    /// [`Store::fold_results`] is faster where the order says nothing.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn results_in_order(&self, event: &str) -> Result<ResultsInOrder, StoreError> {
        Files::open(self, event).await.map(ResultsInOrder)
    }

    /// Begins to name the bouts of an event in schedule order, those included that no longer
    /// count.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn bouts_in_order(&self, event: &str) -> Result<BoutsInOrder, StoreError> {
        Files::open(self, event).await.map(BoutsInOrder)
    }

    /// Takes the bouts of an event that count one after the other, in schedule order, so that
    /// millions need no memory; returns what was made of them.
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

impl ResultsInOrder {
    /// Returns the next bout; `None` when there are no more.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<BoutSummary>, StoreError> {
        self.0.next().await
    }
}

impl BoutsInOrder {
    /// Returns the id of the next bout; `None` when there are no more.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<BoutId>, StoreError> {
        Ok(self.0.next().await?.map(|(.., id)| BoutId(id)))
    }
}

impl<T: Placed + Send> Files<T> {
    async fn open(store: &Store, event: &str) -> Result<Self, StoreError> {
        let (event, next) = (event.to_owned(), BinaryHeap::new());
        let files = store.in_order().await?.into_iter().map(|file| (file, Vec::new())).collect();
        let mut all = Self { event, files, next };
        for place in 0..all.files.len() {
            all.read_on(place).await?;
        }
        Ok(all)
    }

    async fn next(&mut self) -> Result<Option<T>, StoreError> {
        let Some(Reverse((_, place))) = self.next.pop() else { return Ok(None) };
        let bout = self.files[place].1.pop();
        self.read_on(place).await?;
        Ok(bout)
    }

    /// Reads on in a file until there is a next bout, or no more.
    async fn read_on(&mut self, place: usize) -> Result<(), StoreError> {
        let (file, waiting) = &mut self.files[place];
        while waiting.is_empty() {
            match T::page(file, &self.event).await? {
                Some(page) => *waiting = page,
                None => return Ok(()),
            }
        }
        self.next.extend(waiting.last().map(|bout| Reverse((bout.at(), place))));
        Ok(())
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
        Self { path, source, last: None, results: Results::default() }
    }

    /// Reads columns of the bouts after the last one.
    async fn columns(&mut self, query: &'static str, event: &str) -> Result<Columns, StoreError> {
        let (match_number, number, id) = self.last.unwrap_or((i64::MIN, 0, [0; 8]));
        let row = sqlx::query(query)
            .bind(event)
            .bind(match_number)
            .bind(number)
            .bind(id_number(BoutId(id)))
            .bind(BOUTS)
            .fetch_one(self.source.connection())
            .await
            .map_err(|error| StoreError::from_sqlx(&self.path, error))?;
        Ok(Columns::of("bouts", (match_number, i64::MAX), row))
    }
}

impl Placed for BoutSummary {
    fn at(&self) -> At {
        (self.match_number.cast_signed(), self.number.into(), self.bout.0)
    }

    async fn page(file: &mut Ordered, event: &str) -> Result<Option<Vec<Self>>, StoreError> {
        let bouts = file.columns(NEXT, event).await?;
        if bouts.is_empty("number")? {
            return Ok(None);
        }
        let seats = sqlx::query(SEATS.as_str())
            .bind(bouts.text("number")?)
            .fetch_one(file.source.connection())
            .await
            .map_err(|error| StoreError::from_sqlx(&file.path, error))?;
        let seats = Columns::of("seats", (i64::MIN, i64::MAX), seats);
        file.results.add(&Page { bouts, seats })?;
        file.last = file.results.bouts.last().map(Self::at);
        let bouts = file.results.bouts.drain(..).rev();
        Ok(Some(bouts.filter(|bout| !bout.seats.is_empty()).collect()))
    }
}

impl Placed for At {
    fn at(&self) -> At {
        *self
    }

    async fn page(file: &mut Ordered, event: &str) -> Result<Option<Vec<Self>>, StoreError> {
        let bouts = file.columns(NEXT_IDS, event).await?;
        let matches: Vec<i64> = bouts.list("match_number")?;
        let (numbers, ids): (Vec<i64>, Vec<i64>) = (bouts.list("bout_number")?, bouts.list("id")?);
        let places = matches.into_iter().zip(numbers).zip(ids);
        let mut page: Vec<At> =
            places.map(|((one, number), id)| (one, number, bout_id(id).0)).collect();
        file.last = page.last().copied().or(file.last);
        page.reverse();
        Ok((!page.is_empty()).then_some(page))
    }
}
