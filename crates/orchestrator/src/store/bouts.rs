//! The table `bouts`: every bout with its newest result.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use super::chain::{Placing, places_link, result_link};
use super::documents::Document;
use super::facts::{BoutFacts, Digest, SeatFacts};
use super::row::{Reader, nanos};
use super::writing::Writing;
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
        let mut writing = self.write().await?;
        for (plan, result) in bouts {
            self.put_bout(&mut writing, plan, result).await?;
        }
        self.finish(writing).await
    }

    async fn put_bout(
        &self,
        writing: &mut Writing,
        plan: &BoutPlan,
        result: &BoutResult,
    ) -> Result<(), StoreError> {
        if let Some((number, key)) = self.present(&mut writing.change, plan.bout).await? {
            if key == result.key {
                return self.count_again(writing, number).await;
            }
            self.archive(writing, number, &replaced(result)).await?;
        }
        self.insert(writing, plan, result, Counting::Counts).await
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

    async fn count_again(&self, writing: &mut Writing, number: i64) -> Result<(), StoreError> {
        let updated = sqlx::query(
            "UPDATE bouts SET counts = 1 WHERE number = ? AND counts = 0 \
             RETURNING number, id, event, match_number",
        )
        .bind(number)
        .fetch_optional(&mut *writing.change)
        .await
        .map_err(|error| self.error(error))?;
        let Some(row) = &updated else { return Ok(()) };
        let reader = Reader::new("bouts", "number", row);
        let (bout, match_number) = (bout_id(reader.get("id")?), reader.get("match_number")?);
        let placing = Placing { bout, match_number, counts: 1 };
        writing.chain.push(places_link(reader.get("event")?, &[placing]));
        Ok(())
    }

    /// Writes a bout that is not there.
    pub(super) async fn insert(
        &self,
        writing: &mut Writing,
        plan: &BoutPlan,
        result: &BoutResult,
        counting: Counting,
    ) -> Result<(), StoreError> {
        let written = write(writing, plan, result, counting).await;
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

/// Whether a result is part of its event as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counting {
    Counts,
    Stale,
}

/// The documents that the rows of a bout name.
struct Texts {
    options: Document,
    limits: Document,
    calibrations: Vec<Document>,
}

impl Texts {
    async fn put(
        writing: &mut Writing,
        plan: &BoutPlan,
        result: &BoutResult,
    ) -> Result<Self, sqlx::Error> {
        let Writing { change, documents, .. } = writing;
        let options = documents.put(change, &plan.options).await?;
        let limits = documents.put(change, &plan.limits).await?;
        let mut calibrations = Vec::with_capacity(result.seats.len());
        for seat in &result.seats {
            calibrations.push(documents.put(change, &seat.calibration).await?);
        }
        Ok(Self { options, limits, calibrations })
    }
}

fn digest(plan: &BoutPlan, result: &BoutResult, texts: &Texts) -> Digest {
    let documents = (texts.options.text.as_str(), texts.limits.text.as_str());
    let mut hasher = BoutFacts::of(plan, result, documents).hash();
    for ((seat, facts), calibration) in (0..).zip(&result.seats).zip(&texts.calibrations) {
        hasher = SeatFacts::of(seat, facts, &calibration.text).hash(hasher);
    }
    hasher.bytes(&result.action_log).bytes(&result.turn_log).finish()
}

async fn write(
    writing: &mut Writing,
    plan: &BoutPlan,
    result: &BoutResult,
    counting: Counting,
) -> Result<(), sqlx::Error> {
    let texts = Texts::put(writing, plan, result).await?;
    let placing = Placing {
        bout: plan.bout,
        match_number: plan.match_number.cast_signed(),
        counts: i64::from(counting == Counting::Counts),
    };
    let link = writing.chain.push(result_link(digest(plan, result, &texts), placing));
    let change = &mut writing.change;
    let written = sqlx::query(
        "INSERT INTO bouts (id, event, match_number, bout_number, counts, key, game, revision, \
         rules, options, limits, seed, ended, rounds, state_hash, tier, machine, joust_version, \
         contended, oversubscribed, started_at, took_ns, clock, ticks_late, link) \
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id_number(plan.bout))
    .bind(&plan.event)
    .bind(plan.match_number.cast_signed())
    .bind(plan.number)
    .bind(placing.counts)
    .bind(result.key.0.as_slice())
    .bind(&plan.game)
    .bind(plan.revision)
    .bind(&plan.rules)
    .bind(texts.options.number)
    .bind(texts.limits.number)
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
    .bind(link)
    .execute(&mut **change)
    .await?;
    let number = written.last_insert_rowid();
    super::seats::write(change, number, &result.seats, &texts.calibrations).await?;
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
pub(super) fn range(prefix: &str) -> Option<(i64, i64)> {
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
