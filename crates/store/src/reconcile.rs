//! Reconciliation of stored bouts with the current schedule.

use super::bouts::id_number;
use super::chain::places_link;
use super::rows::BoutPlacing;
use super::schedule::{BoutPlace, ScheduleMatch, Scheduled};
use super::{BoutSet, Store, StoreError};
use joust_model::BoutId;

/// Result of [`Store::reconcile`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reconciled {
    /// Number of bouts of the schedule.
    pub scheduled: u64,
    /// Those that have a result under the same key, whether or not it counts now.
    pub done: BoutSet,
    /// Number of stored bouts that are no longer part of the schedule; they are kept and do not
    /// count.
    pub stale: u64,
}

/// Comparison of an event's bouts with a schedule; not yet written.
#[derive(Clone, Debug, Default)]
pub struct ScheduleComparison {
    /// State of the event after the comparison is written.
    pub found: Reconciled,
    updates: Vec<Update>,
}

impl ScheduleComparison {
    /// Returns how many bouts count now that the schedule lacks or has under another key.
    pub fn stops_counting(&self) -> u64 {
        self.updates.iter().filter(|update| matches!(update, Update::Stale(..))).count() as u64
    }

    /// Returns one of the bouts that stop counting.
    pub fn one_that_stops_counting(&self) -> Option<BoutId> {
        self.updates.iter().find_map(|update| match update {
            Update::Stale(bout, _) => Some(*bout),
            Update::Counts(_) => None,
        })
    }
}

impl Reconciled {
    /// Returns how many bouts of the schedule have a result.
    pub fn finished(&self) -> u64 {
        self.done.len()
    }
}

#[derive(Clone, Debug)]
enum Update {
    Counts(BoutPlace),
    Stale(BoutId, i64),
}

impl Store {
    /// Compares an event's bouts with its whole schedule, without writing.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn comparison(
        &self,
        event: &str,
        schedule: &dyn Scheduled,
    ) -> Result<ScheduleComparison, StoreError> {
        let (mut updates, mut stale) = (Vec::new(), 0);
        let take = |found| match found {
            ScheduleMatch::Scheduled(known, place) => {
                updates.extend(known.differs(&place).then_some(Update::Counts(place)));
            }
            ScheduleMatch::Stale(known) => {
                stale += 1;
                let update = Update::Stale(known.bout, known.match_number);
                updates.extend(known.counts.then_some(update));
            }
        };
        let done = self.compare(event, schedule, take).await?;
        let found = Reconciled { scheduled: schedule.count(), done, stale };
        Ok(ScheduleComparison { found, updates })
    }

    /// Compares an event's bouts with its whole schedule and writes the result: a bout counts
    /// exactly if the schedule has it under the same key, and takes its place in the schedule.
    ///
    /// A bout that stopped counting counts again when the schedule has it again, unless it was
    /// played under another key in the meantime.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read or written.
    pub async fn reconcile(
        &self,
        event: &str,
        schedule: &dyn Scheduled,
    ) -> Result<Reconciled, StoreError> {
        self.reconcile_as(event, self.comparison(event, schedule).await?).await
    }

    /// Writes a comparison: exactly the bouts that it found count. The event must not have been
    /// written since the comparison.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn reconcile_as(
        &self,
        event: &str,
        comparison: ScheduleComparison,
    ) -> Result<Reconciled, StoreError> {
        self.update(event, &comparison.updates).await?;
        Ok(comparison.found)
    }

    async fn update(&self, event: &str, updates: &[Update]) -> Result<(), StoreError> {
        if updates.is_empty() {
            return Ok(());
        }
        let mut writing = self.write().await?;
        for update in updates {
            let query = match update {
                Update::Counts(place) => sqlx::query(
                    "UPDATE bouts SET counts = 1, match_number = ?, bout_number = ? WHERE id = ?",
                )
                .bind(place.match_number.cast_signed())
                .bind(place.number)
                .bind(id_number(place.bout)),
                Update::Stale(bout, _) => {
                    sqlx::query("UPDATE bouts SET counts = 0 WHERE id = ?").bind(id_number(*bout))
                }
            };
            writing.execute(query).await?;
        }
        let placings: Vec<_> = updates.iter().map(Update::placing).collect();
        writing.chain.push(places_link(event, &placings));
        writing.finish().await
    }
}

impl Update {
    fn placing(&self) -> BoutPlacing {
        match self {
            Self::Counts(place) => {
                let match_number = place.match_number.cast_signed();
                BoutPlacing { bout: place.bout, match_number, counts: 1 }
            }
            Self::Stale(bout, match_number) => {
                BoutPlacing { bout: *bout, match_number: *match_number, counts: 0 }
            }
        }
    }
}
