//! Numbers of an event's seats: counters that each bout reports.

use super::bouts::bout_id;
use super::row::{LONGEST_TEXT, Reader};
use super::{Store, StoreError};
use joust_model::{BoutId, SeatNumbers};

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
