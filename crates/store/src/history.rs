//! The table `history`: replaced results, and changes that did not replace a result.

use sqlx::sqlite::SqliteRow;

use super::bouts::{bout_id, id_number};
use super::chain::{history_digest, history_link};
use super::result_hash::{HashedResult, ResultHash, refuse_misfit};
use super::row::Reader;
use super::rows::CountState;
use super::writing::Writing;
use super::{Store, StoreError, StoredBout};
use joust_model::clock::UnixMillis;
use joust_model::{BoutId, BoutPlan, BoutResult, Change, HistoryRow};

/// Kind, reason and time of a change to a bout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cause {
    /// The kind of change.
    pub(super) change: Change,
    /// The reason.
    pub(super) reason: String,
    /// The moment.
    pub(super) at: UnixMillis,
}

/// Makes a line of a bout's audit trail.
pub(super) fn history_row(bout: BoutId, cause: Cause, before: Option<StoredBout>) -> HistoryRow {
    let Cause { change, reason, at } = cause;
    HistoryRow { bout, change, reason, at, before }
}

impl Store {
    /// Replaces a bout's result with `result`; the old one goes to the history.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoBout`] when there is no such bout, [`StoreError::Misfit`] when the result
    /// does not belong to the stored plan.
    pub async fn amend(
        &self,
        result: &BoutResult,
        reason: &str,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let Some((number, _)) = writing.stored_row(result.bout).await? else {
            return Err(StoreError::NoBout { path: self.path().to_owned(), bout: result.bout });
        };
        let plan = self.recorded(&mut writing.change, number).await?.stored?.plan;
        refuse_misfit(&plan, result)?;
        let cause = Cause { change: Change::Amended, reason: reason.to_owned(), at };
        writing.archive(number, |_| cause).await?;
        let hash = &ResultHash::of_unchecked(&plan, result);
        let hashed = HashedResult { plan: &plan, result, hash };
        writing.insert(&[hashed], CountState::Counts).await?;
        writing.finish().await
    }

    /// Records a change that left a bout's result as it is: an internal error voided a try, or a
    /// rerun ended.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_change(
        &self,
        bout: BoutId,
        change: Change,
        reason: &str,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let row = HistoryRow { bout, change, reason: reason.to_owned(), at, before: None };
        writing.insert_history(&row, 0).await?;
        writing.finish().await
    }

    /// Returns a bout's audit trail, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn history(&self, bout: BoutId) -> Result<Vec<HistoryRow>, StoreError> {
        let query = sqlx::query("SELECT * FROM history WHERE bout = ? ORDER BY number");
        self.all_rows(query.bind(id_number(bout)), read).await
    }

    /// Returns the bout whose id begins with `prefix` and that has history.
    ///
    /// # Errors
    ///
    /// [`StoreError::Ambiguous`] when several do; otherwise when the database
    /// cannot be read.
    pub async fn bout_of_history(&self, prefix: &str) -> Result<Option<BoutId>, StoreError> {
        let query = "SELECT DISTINCT bout AS id FROM history WHERE bout BETWEEN ? AND ? LIMIT 5";
        self.only_bout(prefix, query).await
    }
}

impl Writing {
    /// Writes a row of the history; `link` is the link of the replaced result.
    pub(super) async fn insert_history(
        &mut self,
        row: &HistoryRow,
        link: i64,
    ) -> Result<(), StoreError> {
        let before = row.before.as_ref();
        let written = sqlx::query(
            "INSERT INTO history (bout, change, reason, at, document, action_log, turn_log) \
             VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *",
        )
        .bind(id_number(row.bout))
        .bind(row.change.name())
        .bind(&row.reason)
        .bind(row.at)
        .bind(before.map(without_logs))
        .bind(before.map(|bout| bout.result.action_log.as_slice()))
        .bind(before.map(|bout| bout.result.turn_log.as_slice()))
        .fetch_one(&mut *self.change)
        .await
        .map_err(|error| self.store.error(error))?;
        let number = Reader::new("history", "number", &written).get("number")?;
        self.chain.push(history_link(row.bout, number, history_digest(&written)?, link));
        Ok(())
    }

    /// Copies bout row `number` to the history, as it was recorded.
    pub(super) async fn archive(
        &mut self,
        number: i64,
        cause: impl FnOnce(&BoutPlan) -> Cause + Send,
    ) -> Result<(), StoreError> {
        let found = self.store.recorded(&mut self.change, number).await?;
        let known = self.chain.digest_of(&mut self.change, found.mark.link).await;
        let (known, bout) = (known.map_err(|error| self.store.error(error))?, found.bout());
        if known != Some(found.mark.digest?) {
            return Err(StoreError::Changed { path: self.store.path().to_owned(), bout });
        }
        let before = found.stored?;
        let row = history_row(before.plan.bout, cause(&before.plan), Some(before));
        self.insert_history(&row, found.mark.link).await?;
        self.remove(number).await
    }

    /// Removes bout row `number`, which has been copied to the history.
    pub(super) async fn remove(&mut self, number: i64) -> Result<(), StoreError> {
        self.execute(sqlx::query("DELETE FROM bouts WHERE number = ?").bind(number)).await
    }
}

fn without_logs(StoredBout { plan, result }: &StoredBout) -> String {
    let bout = StoredBout { plan: plan.clone(), result: result.clone().without_logs() };
    serde_json::to_string(&bout).expect("plain data is JSON")
}

pub(super) fn read(row: &SqliteRow) -> Result<HistoryRow, StoreError> {
    let reader = Reader::new("history", "number", row);
    Ok(HistoryRow {
        bout: bout_id(reader.get("bout")?),
        change: reader.named("change")?,
        reason: reader.get("reason")?,
        at: reader.timestamp("at")?,
        before: reader.optional("document", read_before)?,
    })
}

fn read_before(reader: &Reader<'_>, document: &'static str) -> Result<StoredBout, StoreError> {
    let mut bout: StoredBout = reader.json(document)?;
    bout.result.action_log = reader.get("action_log")?;
    bout.result.turn_log = reader.get("turn_log")?;
    Ok(bout)
}
