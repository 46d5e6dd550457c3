//! Storing results: many bouts in one change, and many rows in one statement. A bout that has a result
//! is played again for reasons: the changes of its plan.

use std::collections::{HashMap, HashSet};

use joust_model::{BoutId, BoutPlan, BoutResult, PlanKey};

use super::bouts::{bout_id, id_number};
use super::chain::{places_link, result_link};
use super::history::Cause;
use super::result_hash::{HashedResult, ResultHash};
use super::row::Reader;
use super::rows::{self, BoutPlacing, BoutRow, CountState};
use super::writing::Writing;
use super::{Change, Store, StoreError};

/// The row of a stored bout, and the key of its result.
type StoredRow = (i64, PlanKey);

impl Store {
    /// Stores bouts in one change. A bout that has a result under the same key keeps it; a result
    /// under another key is replaced and goes to the bout's history.
    ///
    /// # Errors
    ///
    /// [`StoreError::Misfit`] when a result does not belong to its plan or is void; otherwise when
    /// the database cannot be written. Then none is stored.
    pub async fn put_bouts(&self, bouts: &[(BoutPlan, BoutResult)]) -> Result<(), StoreError> {
        let hashes = bouts.iter().map(|(plan, result)| ResultHash::of(plan, result));
        let hashes = hashes.collect::<Result<Vec<_>, _>>()?;
        let hashed = bouts.iter().zip(&hashes);
        let hashed = hashed.map(|((plan, result), hash)| HashedResult { plan, result, hash });
        self.put_hashed(&hashed.collect::<Vec<_>>()).await
    }

    /// Stores bouts in one change, as [`Store::put_bouts`] does.
    pub(super) async fn put_hashed(&self, bouts: &[HashedResult<'_>]) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let ids: Vec<_> = bouts.iter().map(|bout| id_number(bout.plan.bout)).collect();
        let known = writing.stored_rows(&ids).await?;
        let (mut fresh, mut met) = (Vec::new(), HashSet::new());
        for bout in bouts {
            let is_met = !met.insert(bout.plan.bout);
            if is_met || known.contains_key(&bout.plan.bout) {
                writing.insert(&fresh, CountState::Counts).await?;
                fresh.clear();
                writing.put_present(bout).await?;
            } else {
                fresh.push(*bout);
            }
        }
        writing.insert(&fresh, CountState::Counts).await?;
        writing.finish().await
    }
}

impl Writing {
    /// Stores a bout whose id is stored already.
    async fn put_present(&mut self, bout: &HashedResult<'_>) -> Result<(), StoreError> {
        if let Some((number, key)) = self.stored_row(bout.plan.bout).await? {
            if key == bout.result.key {
                return self.restore_count(number).await;
            }
            self.archive(number, |before| replaced(before, bout.plan, bout.result)).await?;
        }
        self.insert(&[*bout], CountState::Counts).await
    }

    /// Returns the row and the key of a stored bout.
    pub(super) async fn stored_row(
        &mut self,
        bout: BoutId,
    ) -> Result<Option<StoredRow>, StoreError> {
        Ok(self.stored_rows(&[id_number(bout)]).await?.remove(&bout))
    }

    /// Returns the rows and keys of those bouts that are stored.
    pub(super) async fn stored_rows(
        &mut self,
        ids: &[i64],
    ) -> Result<HashMap<BoutId, StoredRow>, StoreError> {
        let list = serde_json::to_string(ids).expect("plain data is JSON");
        let rows = sqlx::query(
            "SELECT number, bouts.id, bouts.key FROM json_each(?) AS wanted \
             CROSS JOIN bouts ON bouts.id = wanted.value",
        )
        .bind(list)
        .fetch_all(&mut *self.change)
        .await
        .map_err(|error| self.store.error(error))?;
        let present = |row| {
            let reader = Reader::new("bouts", "number", row);
            let present = (reader.get("number")?, PlanKey(reader.hash("key")?));
            Ok((bout_id(reader.get("id")?), present))
        };
        rows.iter().map(present).collect()
    }

    async fn restore_count(&mut self, number: i64) -> Result<(), StoreError> {
        let updated = sqlx::query(
            "UPDATE bouts SET counts = 1 WHERE number = ? AND counts = 0 \
             RETURNING number, id, event, match_number",
        )
        .bind(number)
        .fetch_optional(&mut *self.change)
        .await
        .map_err(|error| self.store.error(error))?;
        let Some(row) = &updated else { return Ok(()) };
        let reader = Reader::new("bouts", "number", row);
        let (bout, match_number) = (bout_id(reader.get("id")?), reader.get("match_number")?);
        let placing = BoutPlacing { bout, match_number, counts: 1 };
        self.chain.push(places_link(reader.get("event")?, &[placing]));
        Ok(())
    }

    /// Writes bouts that are not stored yet.
    pub(super) async fn insert(
        &mut self,
        bouts: &[HashedResult<'_>],
        counting: CountState,
    ) -> Result<(), StoreError> {
        let inserted = self.insert_linked(bouts, counting).await;
        inserted.map_err(|error| self.store.error(error))
    }

    async fn insert_linked(
        &mut self,
        bouts: &[HashedResult<'_>],
        counting: CountState,
    ) -> Result<(), sqlx::Error> {
        let Self { change, documents, chain, .. } = self;
        let mut rows = Vec::with_capacity(bouts.len());
        for HashedResult { plan, result, hash } in bouts {
            let placing = BoutPlacing {
                bout: plan.bout,
                match_number: plan.match_number.cast_signed(),
                counts: i64::from(counting == CountState::Counts),
            };
            let link = chain.push(result_link(hash.digest, placing));
            let calibrations = documents.put_all(change, &hash.calibrations).await?;
            let documents = documents.put_all(change, &hash.documents).await?;
            rows.push(BoutRow { plan, result, placing, link, documents, calibrations });
        }
        rows::write(change, &rows).await
    }
}

/// Number of digits of a key in messages.
const KEY_DIGITS: usize = 12;

fn replaced(before: &BoutPlan, plan: &BoutPlan, result: &BoutResult) -> Cause {
    let took = i64::try_from(result.took.as_millis()).unwrap_or(0);
    let key: String = result.key.to_string().chars().take(KEY_DIGITS).collect();
    let changes = changes(before, plan).join(", ");
    let reason = format!("what decides the result has changed: {changes} (key `{key}`)");
    let at = result.started_at.saturating_add(took);
    Cause { change: Change::Replaced, reason, at }
}

/// Names the inputs of a bout's result that differ between two of its plans.
pub(super) fn changes(before: &BoutPlan, now: &BoutPlan) -> Vec<String> {
    let of_game = [
        ("the game", before.game != now.game),
        ("the game's rules", before.rules != now.rules || before.revision != now.revision),
        ("the referee", before.referee != now.referee),
        ("the options", before.options.json() != now.options.json()),
        ("the limits", before.limits.json() != now.limits.json()),
        ("the clock", before.clock != now.clock),
        ("the seed", before.seed != now.seed),
        (
            "who plays",
            !before.seats.iter().map(|it| &it.bot).eq(now.seats.iter().map(|it| &it.bot)),
        ),
    ];
    let of_game = of_game.into_iter().filter(|(_, is_new)| *is_new);
    let builds = now.seats.iter().filter(|seat| {
        let was = before.seats.iter().find(|was| was.bot == seat.bot);
        was.is_some_and(|was| was.occupant != seat.occupant)
    });
    of_game
        .map(|(name, _)| name.to_owned())
        .chain(builds.map(|seat| format!("the build of `{}`", seat.bot)))
        .collect()
}

#[cfg(test)]
mod tests {
    use joust_model::{BuildHash, Limits, Occupant, Seed};
    use joust_testkit::fixtures;

    use super::*;

    #[test]
    fn every_change_is_named() {
        let (before, _) = fixtures::bout("league", ["anna", "bert"], 1);
        assert_eq!(changes(&before, &before), [""; 0]);
        let mut now = before.clone();
        now.seed = Seed(77);
        now.limits = Limits { processes: 3, ..*now.limits }.into();
        now.referee = Some(BuildHash([3; 32]));
        now.seats[1].occupant = Occupant::Build(BuildHash([9; 32]));
        let expected = ["the referee", "the limits", "the seed", "the build of `bert`"];
        assert_eq!(changes(&before, &now), expected);
        now = before.clone();
        now.seats[0].bot = "carl".to_owned();
        assert_eq!(changes(&before, &now), ["who plays"]);
    }
}
