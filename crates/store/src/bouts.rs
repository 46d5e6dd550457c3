//! The table `bouts`: every bout with its newest result, earlier bouts of an event with rounds, and
//! the numbers that each bout reports of its seats.

use std::collections::HashMap;

use joust_model::{BoutId, PlanKey, SeatNumbers, StoredBout};
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

use super::bounds::MOST_COUNTED;
use super::document::Document;
use super::row::{LONGEST_TEXT, Reader};
use super::{Store, StoreError};

/// The bouts of an event with their keys.
const KEYS: &str = "SELECT json_group_array(number) AS number, json_group_array(id) AS id, \
    json_group_array(hex(key)) AS key \
    FROM bouts WHERE number BETWEEN ?1 AND ?2 AND +event = ?3";

/// Bout with the moment at which it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedBout {
    /// The bout.
    pub bout: BoutId,
    /// Milliseconds since 1970.
    pub at: i64,
}

impl Document for Vec<PastSeat> {}

/// A stored bout, whether or not it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PastBout {
    /// The bout.
    pub bout: BoutId,
    /// The match, with its number when the bout was played or last counted.
    pub match_number: u64,
    /// True when its referee could finish it.
    pub is_judged: bool,
    /// Its seats.
    pub seats: Vec<PastSeat>,
}

/// A seat of a bout on record.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct PastSeat {
    /// The bot.
    pub bot: String,
    /// 1 is best; equal ranks are a draw.
    pub rank: u8,
}

/// Numbers of a seat of a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedSeat {
    /// The bout.
    pub bout: BoutId,
    /// The bot that sat there.
    pub bot: String,
    /// Its numbers; never empty.
    pub numbers: SeatNumbers,
}

impl Store {
    /// Returns every stored bout of an event with the key of its result, whether or not it still
    /// counts: a plan with that key is finished.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn finished(&self, event: &str) -> Result<HashMap<BoutId, PlanKey>, StoreError> {
        let mut sweep = self.scan_bouts().await?;
        let mut finished = HashMap::new();
        while let Some(rows) = sweep.next().await? {
            let bouts = sweep.read("bouts", KEYS, (rows, event)).await?;
            let numbers: Vec<i64> = bouts.list("number")?;
            let ids: Vec<i64> = bouts.list("id")?;
            let keys: Vec<PlanKey> = bouts.hashes("key", &numbers)?;
            finished.extend(ids.into_iter().map(bout_id).zip(keys));
        }
        Ok(finished)
    }

    /// Returns how many bouts are stored, whether or not they count.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn all_bouts(&self) -> Result<u64, StoreError> {
        // Where nothing is asked of rows SQLite counts them without a look at its limits.
        let query = sqlx::query_scalar("SELECT count(*) FROM bouts WHERE number >= ?");
        let count: i64 = self.scalar(query.bind(i64::MIN)).await?;
        Ok(count.unsigned_abs())
    }

    /// Returns whether a bout of an event counts and has a winner or a draw.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn has_result(&self, event: &str, bout: BoutId) -> Result<bool, StoreError> {
        let query = sqlx::query(
            "SELECT 1 FROM bouts WHERE id = ?1 AND event = ?2 AND counts \
                 AND ended NOT LIKE 'referee-error%'",
        )
        .bind(id_number(bout))
        .bind(event);
        Ok(self.one_row(query, |_| Ok(())).await?.is_some())
    }

    /// Returns the bouts of an event whose newest results ended after `moment` (milliseconds since
    /// 1970), with the time of each end.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn ended_after(
        &self,
        event: &str,
        moment: i64,
    ) -> Result<Vec<EndedBout>, StoreError> {
        let query = sqlx::query(
            "SELECT number, id, started_at + took_ns / 1000000 AS ended_at FROM bouts \
                 WHERE event = ?1 AND started_at + took_ns / 1000000 > ?2",
        )
        .bind(event)
        .bind(moment);
        self.all_rows(query, |row| {
            let reader = Reader::new("bouts", "number", row);
            Ok(EndedBout { bout: bout_id(reader.get("id")?), at: reader.timestamp("ended_at")? })
        })
        .await
    }

    /// Returns the bout whose id begins with `prefix`, in either case of letters.
    ///
    /// # Errors
    ///
    /// [`StoreError::Ambiguous`] when several do; otherwise when the database
    /// cannot be read.
    pub async fn bout(&self, prefix: &str) -> Result<Option<StoredBout>, StoreError> {
        let query = "SELECT id FROM bouts WHERE id BETWEEN ? AND ? LIMIT 5";
        let Some(bout) = self.only_bout(prefix, query).await? else { return Ok(None) };
        self.recorded_bout(bout).await?.map(|found| found.stored).transpose()
    }

    /// Returns the only bout whose id begins with `prefix`. The parameters of the query are the
    /// first and the last such id, and it returns the ids of some bouts.
    pub(super) async fn only_bout(
        &self,
        prefix: &str,
        query: &'static str,
    ) -> Result<Option<BoutId>, StoreError> {
        let Some((low, high)) = range(prefix) else { return Ok(None) };
        let id = |row: &SqliteRow| Ok(bout_id(Reader::new("bouts", "id", row).get("id")?));
        let bouts = self.all_rows(sqlx::query(query).bind(low).bind(high), id).await?;
        match bouts[..] {
            [] => Ok(None),
            [bout] => Ok(Some(bout)),
            _ => Err(StoreError::Ambiguous { prefix: prefix.to_owned(), bouts }),
        }
    }

    /// Returns the stored bouts of an event whose match numbers are at least `first`, in no
    /// particular order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn past(&self, event: &str, first: u64) -> Result<Vec<PastBout>, StoreError> {
        let query = "SELECT bouts.id AS id, match_number, \
            ended NOT LIKE 'referee-error%' AS is_judged, \
            json_group_array(json_object('bot', bot, 'rank', rank)) AS seats \
            FROM bouts JOIN seats ON seats.bout = bouts.number \
            WHERE event = ?1 AND match_number >= ?2 GROUP BY bouts.number";
        let query = sqlx::query(query).bind(event).bind(first.cast_signed());
        self.all_rows(query, |row| {
            let reader = Reader::new("bouts", "id", row);
            let number = reader.bounded("match_number", MOST_COUNTED)?;
            Ok(PastBout {
                bout: bout_id(reader.get("id")?),
                match_number: number.unsigned_abs(),
                is_judged: row.get("is_judged"),
                seats: reader.json("seats")?,
            })
        })
        .await
    }

    /// Passes every seat with numbers to a function, for the bouts of an event that count, in no
    /// particular order, and returns the folded value. Memory does not grow with the number of
    /// seats.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn fold_seat_numbers<T: Send>(
        &self,
        event: &str,
        start: T,
        mut take: impl FnMut(&mut T, CountedSeat) + Send,
    ) -> Result<T, StoreError> {
        let query = "SELECT bouts.id, bouts.match_number, bouts.bout_number, \
             seats.bout, seats.bot, seats.numbers \
             FROM bouts JOIN seats ON seats.bout = bouts.number \
             WHERE bouts.event = ?1 AND bouts.counts AND seats.numbers IS NOT NULL \
             AND bouts.ended NOT LIKE 'referee-error%'";
        let mut made = start;
        self.each_row(sqlx::query(query).bind(event), |row| {
            let reader = Reader::new("seats", "bout", row);
            let seat = CountedSeat {
                bout: bout_id(reader.get("id")?),
                bot: reader.text("bot", LONGEST_TEXT)?,
                numbers: reader.seat_numbers("numbers")?,
            };
            take(&mut made, seat);
            Ok(())
        })
        .await?;
        Ok(made)
    }
}

/// A bout's id as SQLite keeps it.
pub(super) fn id_number(bout: BoutId) -> i64 {
    i64::from_be_bytes(bout.0)
}

/// The id that a number stands for.
pub(super) fn bout_id(number: i64) -> BoutId {
    BoutId(number.to_be_bytes())
}

/// The first and the last id, as numbers, that begin with some digits.
fn range(prefix: &str) -> Option<(i64, i64)> {
    let digits = prefix.len();
    if digits == 0 || digits > 16 || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let low = u64::from_str_radix(&format!("{prefix:0<16}"), 16).ok()?;
    let high = u64::from_str_radix(&format!("{prefix:f<16}"), 16).ok()?;
    Some((low.cast_signed(), high.cast_signed()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_stands_for_the_ids_that_begin_with_it() {
        let (low, high) = range("F0a").expect("hexadecimal digits");
        assert_eq!(bout_id(low).to_string(), "f0a0000000000000");
        assert_eq!(bout_id(high).to_string(), "f0afffffffffffff");
        assert!(low <= high);
    }

    #[test]
    fn what_is_no_hexadecimal_number_is_no_prefix() {
        assert_eq!(["", "g", "+1", "-1", "0 ", "00000000000000000"].map(range), [None; 6]);
    }
}
