//! The results of an event, without their logs.

use std::collections::HashMap;
use std::sync::Arc;

use super::bouts::bout_id;
use super::row::Reader;
use super::{BoutSummary, SeatSummary, Store, StoreError, seats};

/// The tier of bouts that were played without isolation.
const UNISOLATED: &str = "D";

impl Store {
    /// Returns the bouts of an event that count, in schedule order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn results(&self, event: &str) -> Result<Vec<BoutSummary>, StoreError> {
        let query = sqlx::query(
            "SELECT number, id, match_number, bout_number, seed, rounds, tier, seats.* FROM bouts \
             JOIN seats ON seats.bout = bouts.number WHERE event = ? AND counts \
             ORDER BY match_number, bout_number, id, seat",
        );
        let mut results = Results::default();
        self.each_row(query.bind(event), |row| {
            results.add(&Reader::new("bouts", "number", row), &Reader::new("seats", "bout", row))
        })
        .await?;
        Ok(results.bouts)
    }
}

#[derive(Default)]
struct Results {
    bouts: Vec<BoutSummary>,
    names: HashMap<String, Arc<str>>,
}

impl Results {
    fn add(&mut self, bout: &Reader<'_>, seat: &Reader<'_>) -> Result<(), StoreError> {
        let id = bout_id(bout.get("id")?);
        if self.bouts.last().is_none_or(|last| last.bout != id) {
            self.bouts.push(read_bout(bout)?);
        }
        let summary = SeatSummary {
            bot: self.name(seat.get("bot")?),
            rank: seat.number("rank")?,
            score: seat.get("score")?,
            verdicts: seats::verdicts(seat)?,
        };
        self.bouts.last_mut().expect("one was just added").seats.push(summary);
        Ok(())
    }

    /// Thousands of bouts share a name.
    fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let shared: Arc<str> = name.into();
        self.names.insert(name.to_owned(), shared.clone());
        shared
    }
}

fn read_bout(reader: &Reader<'_>) -> Result<BoutSummary, StoreError> {
    Ok(BoutSummary {
        bout: bout_id(reader.get("id")?),
        match_number: reader.number("match_number")?,
        number: reader.number("bout_number")?,
        seed: reader.get::<i64>("seed")?.cast_unsigned(),
        rounds: reader.number("rounds")?,
        is_isolated: reader.get::<&str>("tier")? != UNISOLATED,
        seats: Vec::with_capacity(2),
    })
}
