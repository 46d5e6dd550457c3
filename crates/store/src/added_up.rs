//! Totals of bouts as they are stored: when a partition is closed of which nothing else was
//! recorded, nobody has to read it again.

use std::collections::HashMap;
use std::path::Path;

use super::partitions::Closed;
use super::{EventSettings, StoreError};
use joust_model::{BoutPlan, BoutResult, BoutSummary, REFEREE_ERROR, Totals};

/// How many pairs are kept in memory, some 20 MiB: the bouts of a partition with more are read
/// again when it is closed.
const MOST_PAIRS: usize = 1 << 17;

/// What the bouts say that were stored since the last partition was closed.
#[derive(Debug)]
pub(super) struct AddedUp {
    events: HashMap<String, (EventSettings, Totals)>,
    bouts: i64,
}

impl AddedUp {
    /// Begins with no bout. The settings of events must be those of all bouts that are added.
    pub(super) fn new(events: &[EventSettings]) -> Self {
        let pairs = events.iter().filter(|event| event.is_of_pairs());
        let none =
            |event: &EventSettings| (event.id.clone(), (event.clone(), Totals::new(event.mirror)));
        Self { events: pairs.map(none).collect(), bouts: 0 }
    }

    /// Adds a bout that was stored and counts.
    pub(super) fn add(&mut self, plan: &BoutPlan, result: &BoutResult) {
        self.bouts += 1;
        if let Some((_, totals)) = self.events.get_mut(&plan.event)
            && !result.ended.starts_with(REFEREE_ERROR)
        {
            totals.add(&BoutSummary::of(plan, result));
        }
    }

    /// Returns it unless it has become too large.
    pub(super) fn if_small(self) -> Option<Self> {
        let pairs: usize = self.events.values().map(|(_, totals)| totals.len()).sum();
        (pairs <= MOST_PAIRS).then_some(self)
    }

    /// Says whether these are all bouts of a partition, each with the result that it had first:
    /// whatever else there was has a link of its own.
    pub(super) async fn is_all_of(&self, head: &Path, closed: &Closed) -> Result<bool, StoreError> {
        let mut file = closed.open(head).await?;
        let counts = "SELECT (SELECT count(*) FROM bouts), \
                      (SELECT count(*) FROM chain WHERE kind = 'result'), \
                      (SELECT count(*) FROM chain WHERE kind IN ('history', 'places'))";
        let counts: (i64, i64, i64) = sqlx::query_as(counts)
            .fetch_one(&mut file)
            .await
            .map_err(|error| StoreError::from_sqlx(closed.path(), error))?;
        Ok(counts == (self.bouts, self.bouts, 0) && closed.lifted.is_empty())
    }

    /// Returns the totals of an event; `None` when it had other settings.
    pub(super) fn of(&self, event: &EventSettings) -> Option<&Totals> {
        self.events.get(&event.id).filter(|(known, _)| known == event).map(|(_, totals)| totals)
    }
}
