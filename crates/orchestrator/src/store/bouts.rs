//! The table `bouts`: every bout with its newest result.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use super::documents::Documents;
use super::row::{Reader, nanos};
use super::{Change, Store, StoreError};
use crate::clock::UnixMillis;
use crate::model::{BoutId, BoutPlan, BoutResult, Pace, PlanKey, StoredBout, Verdict};

/// Which bouts to name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only those of this event.
    pub event: Option<String>,
    /// Only those in which this bot sat.
    pub bot: Option<String>,
}

impl Store {
    /// Stores bouts in one change. A bout that has a result under the same key
    /// keeps it; a result under another key goes to the bout's history.
    ///
    /// # Errors
    ///
    /// [`StoreError::Misfit`] when a result is not one of its plan or is void;
    /// otherwise when the database cannot be written. Then none is stored.
    pub async fn put_bouts(&self, bouts: &[(BoutPlan, BoutResult)]) -> Result<(), StoreError> {
        for (plan, result) in bouts {
            refuse_misfit(plan, result)?;
        }
        let mut change = self.begin().await?;
        let mut documents = Documents::default();
        for (plan, result) in bouts {
            self.put_bout(&mut change, &mut documents, plan, result).await?;
        }
        self.commit(change).await
    }

    async fn put_bout(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        documents: &mut Documents,
        plan: &BoutPlan,
        result: &BoutResult,
    ) -> Result<(), StoreError> {
        if let Some((number, key)) = self.present(change, plan.bout).await? {
            if key == result.key {
                return self.count_again(change, number).await;
            }
            self.archive(change, number, &replaced(result)).await?;
        }
        self.insert(change, documents, plan, result).await
    }

    /// Returns the row and the key of a stored bout.
    pub(super) async fn present(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        bout: BoutId,
    ) -> Result<Option<(i64, PlanKey)>, StoreError> {
        let row = sqlx::query("SELECT number, key FROM bouts WHERE id = ?")
            .bind(id_number(bout))
            .fetch_optional(&mut **change)
            .await
            .map_err(|error| self.error(error))?;
        let Some(row) = &row else { return Ok(None) };
        let reader = Reader::new("bouts", "number", row);
        Ok(Some((reader.get("number")?, PlanKey(reader.hash("key")?))))
    }

    async fn count_again(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        number: i64,
    ) -> Result<(), StoreError> {
        sqlx::query("UPDATE bouts SET counts = 1 WHERE number = ? AND counts = 0")
            .bind(number)
            .execute(&mut **change)
            .await
            .map_err(|error| self.error(error))?;
        Ok(())
    }

    /// Writes a bout that is not there.
    pub(super) async fn insert(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        documents: &mut Documents,
        plan: &BoutPlan,
        result: &BoutResult,
    ) -> Result<(), StoreError> {
        let written = write(change, documents, plan, result).await;
        written.map_err(|error| self.error(error))
    }

    /// Returns every stored bout of an event with the key its result has,
    /// whether or not it still counts: a plan with that key is finished.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn finished(&self, event: &str) -> Result<HashMap<BoutId, PlanKey>, StoreError> {
        let query = sqlx::query("SELECT number, id, key FROM bouts WHERE event = ?").bind(event);
        let mut finished = HashMap::new();
        self.each_row(query, |row| {
            let (bout, key) = read_key(&Reader::new("bouts", "number", row))?;
            finished.insert(bout, key);
            Ok(())
        })
        .await?;
        Ok(finished)
    }

    /// Names bouts in schedule order, those included that no longer count.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn bouts(&self, filter: &Filter) -> Result<Vec<BoutId>, StoreError> {
        let query = sqlx::query(
            "SELECT bouts.number, bouts.id FROM bouts JOIN events ON events.id = bouts.event \
             WHERE (?1 IS NULL OR bouts.event = ?1) AND (?2 IS NULL OR EXISTS \
             (SELECT 1 FROM seats WHERE seats.bout = bouts.number AND seats.bot = ?2)) \
             ORDER BY events.position, bouts.match_number, bouts.bout_number, bouts.id",
        )
        .bind(filter.event.as_deref())
        .bind(filter.bot.as_deref());
        let mut bouts = Vec::new();
        self.each_row(query, |row| {
            bouts.push(bout_id(Reader::new("bouts", "number", row).get("id")?));
            Ok(())
        })
        .await?;
        Ok(bouts)
    }

    /// Returns the bout whose id begins with `prefix`, in either case of letters.
    ///
    /// # Errors
    ///
    /// [`StoreError::Ambiguous`] when several do; otherwise when the database
    /// cannot be read.
    pub async fn bout(&self, prefix: &str) -> Result<Option<StoredBout>, StoreError> {
        let Some((low, high)) = range(prefix) else { return Ok(None) };
        let rows = sqlx::query("SELECT number, id FROM bouts WHERE id BETWEEN ? AND ? LIMIT 5")
            .bind(low)
            .bind(high)
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        match rows.as_slice() {
            [] => Ok(None),
            [row] => self.load_committed(Reader::new("bouts", "id", row).get("number")?).await,
            several => Err(ambiguous(prefix, several)),
        }
    }

    async fn load_committed(&self, number: i64) -> Result<Option<StoredBout>, StoreError> {
        let mut reader = self.readers().acquire().await.map_err(|error| self.error(error))?;
        self.load(&mut reader, number).await.map(Some)
    }
}

fn replaced(result: &BoutResult) -> (Change, String, UnixMillis) {
    let took = i64::try_from(result.took.as_millis()).unwrap_or(0);
    let reason = format!("what decides the result has changed: key `{}`", result.key);
    (Change::Replaced, reason, result.started_at.saturating_add(took))
}

fn ambiguous(prefix: &str, rows: &[SqliteRow]) -> StoreError {
    let ids = rows.iter().map(|row| Reader::new("bouts", "number", row).get("id"));
    StoreError::Ambiguous {
        prefix: prefix.to_owned(),
        bouts: ids.filter_map(Result::ok).map(bout_id).collect(),
    }
}

/// A result that is not one of its plan, or that an error of ours has voided,
/// must never stand for it.
pub(super) fn refuse_misfit(plan: &BoutPlan, result: &BoutResult) -> Result<(), StoreError> {
    let same_bots =
        plan.seats.len() == result.seats.len()
            && plan.seats.iter().zip(&result.seats).all(|(planned, played)| {
                planned.bot == played.bot && planned.build == played.build
            });
    let void = result.seats.iter().any(|seat| seat.verdicts.of(Verdict::InfrastructureError) > 0);
    let problem = match () {
        () if plan.bout != result.bout => "its id is another",
        () if plan.key() != result.key => "its key is another",
        () if !same_bots => "its bots or builds are others",
        () if void => "it holds an infrastructure error, which makes it void",
        () => return Ok(()),
    };
    Err(StoreError::Misfit { bout: plan.bout, problem })
}

async fn write(
    change: &mut Transaction<'_, Sqlite>,
    documents: &mut Documents,
    plan: &BoutPlan,
    result: &BoutResult,
) -> Result<(), sqlx::Error> {
    let options = documents.number(change, &plan.options).await?;
    let limits = documents.number(change, &plan.limits).await?;
    let written = sqlx::query(
        "INSERT INTO bouts (id, event, match_number, bout_number, counts, key, game, revision, \
         rules, options, limits, seed, ended, rounds, state_hash, tier, machine, joust_version, \
         contended, oversubscribed, started_at, took_ns, clock, ticks_late) \
         VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id_number(plan.bout))
    .bind(&plan.event)
    .bind(plan.match_number.cast_signed())
    .bind(plan.number)
    .bind(result.key.0.as_slice())
    .bind(&plan.game)
    .bind(plan.revision)
    .bind(&plan.rules)
    .bind(options)
    .bind(limits)
    .bind(plan.seed.cast_signed())
    .bind(&result.ended)
    .bind(result.rounds)
    .bind(&result.state_hash)
    .bind(&result.tier)
    .bind(&result.machine)
    .bind(&result.joust_version)
    .bind(result.contended)
    .bind(result.oversubscribed)
    .bind(result.started_at)
    .bind(nanos(result.took))
    .bind(plan.clock.map(Pace::name))
    .bind(result.ticks_late)
    .execute(&mut **change)
    .await?;
    let number = written.last_insert_rowid();
    super::seats::write(change, documents, number, &result.seats).await?;
    super::logs::write(change, number, result).await
}

fn read_key(reader: &Reader<'_>) -> Result<(BoutId, PlanKey), StoreError> {
    Ok((bout_id(reader.get("id")?), PlanKey(reader.hash("key")?)))
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
