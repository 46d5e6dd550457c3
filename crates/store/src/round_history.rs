//! Earlier bouts of an event with rounds: their bots and results.

use sqlx::Row as _;

use super::bounds::MOST_COUNTED;
use super::bouts::bout_id;
use super::row::Reader;
use super::{Store, StoreError};
use joust_model::BoutId;

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

impl Store {
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
}
