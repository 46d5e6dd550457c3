//! Which stored bouts belong to the schedule as it is now.

use std::collections::HashMap;

use super::bouts::{bout_id, id_number};
use super::chain::{Placing, places_link};
use super::sweep::Columns;
use super::{Store, StoreError};
use joust_model::{BoutId, BoutPlan, PlanKey};

/// A bout's place in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The bout.
    pub bout: BoutId,
    /// What decides its result.
    pub key: PlanKey,
    /// The match, counted from 0 in schedule order.
    pub match_number: u64,
    /// The bout's number within its match, from 0.
    pub number: u32,
}

impl Place {
    /// Returns the place of a plan.
    #[must_use]
    pub fn of(plan: &BoutPlan) -> Self {
        let (match_number, number) = (plan.match_number, plan.number);
        Self { bout: plan.bout, key: plan.key(), match_number, number }
    }
}

/// What [`Store::reconcile`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reconciled {
    /// Bouts of the schedule.
    pub scheduled: u64,
    /// Bouts of the schedule that have a result.
    pub finished: u64,
    /// Stored bouts that are no longer part of the schedule; they are kept and
    /// do not count.
    pub stale: u64,
}

/// The bouts of an event, whether or not they count.
const STATES: &str = "SELECT json_group_array(number) AS number, json_group_array(id) AS id, \
    json_group_array(hex(key)) AS key, json_group_array(match_number) AS match_number, \
    json_group_array(bout_number) AS bout_number, json_group_array(counts) AS counts \
    FROM bouts WHERE number BETWEEN ?1 AND ?2 AND +event = ?3";

/// A bout as it is stored.
struct Known {
    key: PlanKey,
    match_number: i64,
    number: i64,
    counts: bool,
}

enum Update {
    Counts(Place),
    Stale(BoutId, i64),
}

impl Store {
    /// Compares an event's bouts with its whole schedule: exactly those count
    /// that the schedule has under the same key, in the schedule's order.
    ///
    /// A bout that stopped counting counts again when the schedule has it again,
    /// as long as it was not played under another key meanwhile.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read or written.
    pub async fn reconcile(
        &self,
        event: &str,
        schedule: impl Iterator<Item = Place>,
    ) -> Result<Reconciled, StoreError> {
        let mut known = self.known(event).await?;
        let (mut updates, mut found) = (Vec::new(), Reconciled::default());
        for place in schedule {
            found.scheduled += 1;
            let same = known.get(&place.bout).is_some_and(|bout| bout.key == place.key);
            if same && let Some(bout) = known.remove(&place.bout) {
                found.finished += 1;
                updates.extend(bout.differs(&place).then_some(Update::Counts(place)));
            }
        }
        found.stale = known.len() as u64;
        let counting = known.into_iter().filter(|(_, bout)| bout.counts);
        updates.extend(counting.map(|(bout, known)| Update::Stale(bout, known.match_number)));
        self.update(event, &updates).await?;
        Ok(found)
    }

    async fn known(&self, event: &str) -> Result<HashMap<BoutId, Known>, StoreError> {
        let mut sweep = self.sweep().await?;
        let mut known = HashMap::new();
        while let Some(rows) = sweep.next().await? {
            known.extend(read(&sweep.read("bouts", STATES, (rows, event)).await?)?);
        }
        Ok(known)
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
            query.execute(&mut *writing.change).await.map_err(|error| self.error(error))?;
        }
        let placings: Vec<_> = updates.iter().map(Update::placing).collect();
        writing.chain.push(places_link(event, &placings));
        self.finish(writing).await
    }
}

impl Update {
    fn placing(&self) -> Placing {
        match self {
            Self::Counts(place) => {
                let match_number = place.match_number.cast_signed();
                Placing { bout: place.bout, match_number, counts: 1 }
            }
            Self::Stale(bout, match_number) => {
                Placing { bout: *bout, match_number: *match_number, counts: 0 }
            }
        }
    }
}

impl Known {
    fn differs(&self, place: &Place) -> bool {
        let order = (place.match_number.cast_signed(), i64::from(place.number));
        !self.counts || (self.match_number, self.number) != order
    }
}

fn read(bouts: &Columns) -> Result<Vec<(BoutId, Known)>, StoreError> {
    let numbers: Vec<i64> = bouts.list("number")?;
    let ids: Vec<i64> = bouts.list("id")?;
    let matches: Vec<i64> = bouts.list("match_number")?;
    let within: Vec<i64> = bouts.list("bout_number")?;
    let counts: Vec<i64> = bouts.list("counts")?;
    let keys: Vec<PlanKey> = bouts.hashes("key", &numbers)?;
    let known = keys.into_iter().enumerate().map(|(index, key)| {
        let (match_number, number) = (matches[index], within[index]);
        (bout_id(ids[index]), Known { key, match_number, number, counts: counts[index] != 0 })
    });
    Ok(known.collect())
}
