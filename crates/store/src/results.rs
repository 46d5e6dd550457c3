//! The results of an event, without their logs.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use sqlx::sqlite::SqliteRow;
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::bounds::{MOST_COUNTED, MOST_MILLIONTHS};
use super::bout_scan::{BoutScan, ColumnLists, Text};
use super::bouts::{bout_id, id_number};
use super::columns::{VERDICTS, faults as faults_in_sql};
use super::row::{LONGEST_TEXT, Reader};
use super::{BoutSummary, SeatSummary, Store, StoreError};
use joust_model::{BoutId, Score, Seed, VerdictCounts};

/// Columns of bouts; tier D means without isolation.
pub(super) const BOUT_LISTS: &str = "json_group_array(number) AS number, \
    json_group_array(id) AS id, json_group_array(match_number) AS match_number, \
    json_group_array(bout_number) AS bout_number, json_group_array(seed) AS seed, \
    json_group_array(rounds) AS rounds, json_group_array(tier = 'D') AS tier";

/// The bouts of an event that count and have a winner or a draw.
static BOUTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {BOUT_LISTS} FROM bouts WHERE number BETWEEN ?1 AND ?2 AND +event = ?3 AND counts \
         AND ended NOT LIKE 'referee-error%'"
    )
});

/// Columns of seats. The verdicts are listed only for seats with faults.
pub(super) static SEAT_LISTS: LazyLock<String> = LazyLock::new(|| {
    format!(
        "json_group_array(bout) AS bout, json_group_array(seat) AS seat, \
         json_group_array(bot) AS bot, json_group_array(rank) AS rank, \
         json_group_array(score_millionths) AS score, json_group_array(ok) AS ok, \
         json_group_array(json_array(bout, seat, {})) FILTER (WHERE {} <> 0) AS faults",
        VERDICTS.join(", "),
        faults_in_sql(),
    )
});

/// The seats of all bouts.
static SEATS: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {} FROM seats WHERE bout BETWEEN ?1 AND ?2 AND ?3 IS NOT NULL", *SEAT_LISTS)
});

/// Some bouts and their seats, as the database returns them.
pub(super) struct ResultPage {
    pub(super) bouts: ColumnLists,
    pub(super) seats: ColumnLists,
}

/// Number of kinds of verdicts.
const COUNTS: usize = VERDICTS.len();

/// Number of pages that may wait to be decoded.
const PAGES: usize = 2;

/// A bout that its referee could not finish.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnjudgedBout {
    /// The bout's identity.
    pub bout: BoutId,
    /// The error, `referee-error: …`.
    pub reason: String,
}

impl Store {
    /// Returns the bouts of an event that count, in schedule order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn results(&self, event: &str) -> Result<Vec<BoutSummary>, StoreError> {
        self.results_that(event, |_| true).await
    }

    /// Returns the bouts of an event that count and that a predicate selects, in schedule order.
    /// The other bouts take no memory.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn results_that(
        &self,
        event: &str,
        mut is_wanted: impl FnMut(&BoutSummary) -> bool + Send + 'static,
    ) -> Result<Vec<BoutSummary>, StoreError> {
        let keep = move |bouts: &mut Vec<BoutSummary>, bout: BoutSummary| {
            bouts.extend(Some(bout).filter(|bout| is_wanted(bout)));
        };
        let mut bouts = self.fold_results(event, Vec::new(), keep).await?;
        bouts.sort_unstable_by_key(|bout| (bout.match_number, bout.number, id_number(bout.bout)));
        Ok(bouts)
    }

    /// Passes the bouts of an event that count to a function, in the order in which they were
    /// stored, and returns the folded value. Memory does not grow with the number of bouts.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn fold_results<T: Send + 'static>(
        &self,
        event: &str,
        start: T,
        take: impl FnMut(&mut T, BoutSummary) + Send + 'static,
    ) -> Result<T, StoreError> {
        let sweep = self.scan_bouts().await?;
        let (sender, pages) = mpsc::channel(PAGES);
        let gathering = tokio::task::spawn_blocking(move || gather(pages, start, take));
        let (read, gathered) = tokio::join!(read_results(sweep, event, sender), gathering);
        read?;
        match gathered {
            Ok(made) => made,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// Returns the average duration of the bouts of an event, also of those that no longer count;
    /// `None` when none was played.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn mean_duration(&self, event: &str) -> Result<Option<Duration>, StoreError> {
        let query = sqlx::query_scalar("SELECT avg(took_ns) / 1e9 FROM bouts WHERE event = ?");
        let mean: Option<f64> = self.scalar(query.bind(event)).await?;
        Ok(mean.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()))
    }

    /// Returns the bouts of an event that its referee could not finish, with the reason.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn referee_errors(&self, event: &str) -> Result<Vec<UnjudgedBout>, StoreError> {
        let query = "SELECT id, match_number, bout_number, ended FROM bouts WHERE event = ?1 AND counts \
                     AND ended LIKE 'referee-error%'";
        let read = |row: &SqliteRow| {
            let reader = Reader::new("bouts", "id", row);
            let place: (i64, i64) = (reader.get("match_number")?, reader.get("bout_number")?);
            let (bout, reason) = (bout_id(reader.get("id")?), reader.text("ended", LONGEST_TEXT)?);
            Ok((place, UnjudgedBout { bout, reason }))
        };
        let mut unjudged = self.all_rows(sqlx::query(query).bind(event), read).await?;
        unjudged.sort_by_key(|(place, one)| (*place, one.bout));
        Ok(unjudged.into_iter().map(|(_, one)| one).collect())
    }

    /// Counts the bouts of an event that its referee could not finish.
    pub(super) async fn count_referee_errors(&self, event: &str) -> Result<u64, StoreError> {
        // Only games with an external referee can have such errors, and every bout records whether
        // it has one.
        let own = "SELECT id, referee IS NOT NULL AS is_own FROM bouts WHERE event = ? LIMIT 1";
        let is_own = |row: &SqliteRow| Reader::new("bouts", "id", row).get::<bool>("is_own");
        if self.one_row(sqlx::query(own).bind(event), is_own).await? == Some(true) {
            Ok(self.referee_errors(event).await?.len() as u64)
        } else {
            Ok(0)
        }
    }
}

/// Reads page after page until the end, or until the receiver is dropped.
async fn read_results(
    mut sweep: BoutScan,
    event: &str,
    pages: Sender<ResultPage>,
) -> Result<(), StoreError> {
    while let Some(rows) = sweep.next().await? {
        let bouts = sweep.read("bouts", &BOUTS, (rows, event)).await?;
        if bouts.is_empty("number")? {
            continue;
        }
        let seats = sweep.read("seats", &SEATS, (rows, event)).await?;
        if pages.send(ResultPage { bouts, seats }).await.is_err() {
            break;
        }
    }
    Ok(())
}

fn gather<T>(
    mut pages: Receiver<ResultPage>,
    mut made: T,
    mut take: impl FnMut(&mut T, BoutSummary),
) -> Result<T, StoreError> {
    let mut results = Results::default();
    while let Some(page) = pages.blocking_recv() {
        results.add(&page)?;
        let bouts = results.bouts.drain(..).filter(|bout| !bout.seats.is_empty());
        bouts.for_each(|bout| take(&mut made, bout));
    }
    Ok(made)
}

/// Bouts decoded from pages.
#[derive(Default)]
pub(super) struct Results {
    /// In the order in which they were read.
    pub(super) bouts: Vec<BoutSummary>,
    names: HashMap<String, Arc<str>>,
    /// The verdicts of seats without faults, by the number of `ok` verdicts.
    faultless: HashMap<u32, Arc<VerdictCounts>>,
}

/// The row of a bout, and the place of its summary.
type SummaryRow = (i64, usize);

/// A seat's bout row, its number there, and its summary.
type SummarySeat = (i64, i64, SeatSummary);

impl Results {
    pub(super) fn add(&mut self, page: &ResultPage) -> Result<(), StoreError> {
        let rows = self.add_bouts(&page.bouts)?;
        let mut seats = self.seats(&page.seats)?.into_iter().peekable();
        for (row, place) in &rows {
            while seats.next_if(|(bout, ..)| bout < row).is_some() {}
            while let Some((.., seat)) = seats.next_if(|(bout, ..)| bout == row) {
                self.bouts[*place].seats.push(seat);
            }
        }
        Ok(())
    }

    /// Adds bouts without their seats; returns their rows in ascending order.
    fn add_bouts(&mut self, bouts: &ColumnLists) -> Result<Vec<SummaryRow>, StoreError> {
        let numbers: Vec<i64> = bouts.list("number")?;
        let ids: Vec<i64> = bouts.list("id")?;
        let matches: Vec<i64> = bouts.list("match_number")?;
        let within: Vec<i64> = bouts.list("bout_number")?;
        let seeds: Vec<i64> = bouts.list("seed")?;
        let rounds: Vec<i64> = bouts.list("rounds")?;
        let unisolated: Vec<u8> = bouts.list("tier")?;
        let first = self.bouts.len();
        for (index, number) in numbers.iter().enumerate() {
            self.bouts.push(BoutSummary {
                bout: bout_id(ids[index]),
                match_number: bouts
                    .bounded("match_number", (*number, matches[index]), MOST_COUNTED)?
                    .unsigned_abs(),
                number: bouts.number("bout_number", (*number, within[index]))?,
                seed: Seed(seeds[index].cast_unsigned()),
                rounds: bouts.number("rounds", (*number, rounds[index]))?,
                is_isolated: unisolated[index] == 0,
                seats: Vec::with_capacity(2),
            });
        }
        let mut rows: Vec<SummaryRow> = numbers.into_iter().zip(first..).collect();
        rows.sort_unstable();
        Ok(rows)
    }

    /// Returns seats, ordered by bout row and seat number.
    fn seats(&mut self, seats: &ColumnLists) -> Result<Vec<SummarySeat>, StoreError> {
        let bouts: Vec<i64> = seats.list("bout")?;
        let numbers: Vec<i64> = seats.list("seat")?;
        let names: Vec<Text<'_>> = seats.list("bot")?;
        let ranks: Vec<i64> = seats.list("rank")?;
        let scores: Vec<i64> = seats.list("score")?;
        let oks: Vec<i64> = seats.list("ok")?;
        let faults = faults(seats)?;
        let mut found = Vec::with_capacity(bouts.len());
        for (index, (bout, number)) in bouts.into_iter().zip(numbers).enumerate() {
            let verdicts = match faults.get(&(bout, number)) {
                Some(counts) => Arc::new(*counts),
                None => self.without_faults(seats.number("ok", (bout, oks[index]))?),
            };
            let summary = SeatSummary {
                bot: self.name(&names[index].0),
                rank: seats.number("rank", (bout, ranks[index]))?,
                score: Score::millionths(seats.bounded(
                    "score",
                    (bout, scores[index]),
                    MOST_MILLIONTHS,
                )?),
                verdicts,
            };
            found.push((bout, number, summary));
        }
        found.sort_by_key(|(bout, number, _)| (*bout, *number));
        Ok(found)
    }

    /// Returns verdicts with only `oks`; thousands of seats share each of them.
    fn without_faults(&mut self, oks: u32) -> Arc<VerdictCounts> {
        Arc::clone(self.faultless.entry(oks).or_insert_with(|| VerdictCounts::of_oks(oks).into()))
    }

    /// Returns a shared copy of a name, which thousands of bouts have.
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let shared: Arc<str> = name.into();
        self.names.insert(name.to_owned(), shared.clone());
        shared
    }
}

/// Returns the counts of the seats that have faults.
fn faults(seats: &ColumnLists) -> Result<HashMap<(i64, i64), VerdictCounts>, StoreError> {
    let rows: Vec<[i64; 2 + COUNTS]> = seats.list("faults")?;
    let mut faults = HashMap::with_capacity(rows.len());
    for [bout, seat, values @ ..] in rows {
        let mut counts = VerdictCounts::default();
        for ((count, value), column) in counts.0.iter_mut().zip(values).zip(VERDICTS) {
            *count = seats.number(column, (bout, value))?;
        }
        faults.insert((bout, seat), counts);
    }
    Ok(faults)
}
