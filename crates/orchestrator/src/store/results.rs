//! The results of an event, without their logs.

use std::collections::HashMap;
use std::sync::Arc;

use super::bouts::{bout_id, id_number};
use super::row::Reader;
use super::{BoutSummary, SeatSummary, Store, StoreError};
use crate::model::{Verdict, VerdictCounts};

/// The tier of bouts that were played without isolation.
const UNISOLATED: &str = "D";

impl Store {
    /// Returns the bouts of an event that count, in schedule order.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn results(&self, event: &str) -> Result<Vec<BoutSummary>, StoreError> {
        // Every column that is read is copied, so that nearly all of a big league's
        // time would go into verdicts that nobody earned. In the order of the rows
        // nothing is sorted or sought by the database.
        let query = sqlx::query(
            "SELECT number, id, match_number, bout_number, seed, rounds, tier, bot, rank, \
             score, ok, CASE WHEN infrastructure_error + memory_limit + output_limit + cpu_limit \
             + timeout + disk_limit + protocol_violation + crash + exit_nonzero + no_output + \
             illegal_output = 0 THEN NULL ELSE json_array(infrastructure_error, memory_limit, \
             output_limit, cpu_limit, timeout, disk_limit, protocol_violation, crash, \
             exit_nonzero, no_output, illegal_output, ok) END AS faults \
             FROM bouts JOIN seats ON seats.bout = bouts.number WHERE +event = ? AND counts \
             ORDER BY bouts.number, seat",
        );
        let mut results = Results::default();
        self.each_row(query.bind(event), |row| {
            results.add(&Reader::new("bouts", "number", row), &Reader::new("seats", "number", row))
        })
        .await?;
        let mut bouts = results.bouts;
        bouts.sort_unstable_by_key(|bout| (bout.match_number, bout.number, id_number(bout.bout)));
        Ok(bouts)
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
            verdicts: verdicts(seat)?,
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

/// The counts of the verdicts, which are written out only where there are faults.
fn verdicts(seat: &Reader<'_>) -> Result<VerdictCounts, StoreError> {
    let mut counts = VerdictCounts::default();
    match seat.get::<Option<&str>>("faults")? {
        None => counts.0[usize::from(Verdict::Ok.code())] = seat.number("ok")?,
        Some(_) => counts.0 = seat.json("faults")?,
    }
    Ok(counts)
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
