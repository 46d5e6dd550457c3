//! The table `history`: results that no longer stand, and tries that never did.

use sqlx::sqlite::SqliteRow;
use sqlx::{Sqlite, Transaction};

use super::bouts::{bout_id, id_number, refuse_misfit};
use super::documents::Documents;
use super::row::Reader;
use super::{Store, StoreError, StoredBout};
use crate::clock::UnixMillis;
use crate::model::{BoutId, BoutResult};

/// Why a result is in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The bout was played again because what decides its result had changed.
    Replaced,
    /// An organiser put another result in its place.
    Amended,
    /// An error of ours voided a try; there was no result.
    Voided,
}

impl Change {
    const ALL: [Self; 3] = [Self::Replaced, Self::Amended, Self::Voided];

    /// Returns the name used in the database and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Replaced => "replaced",
            Self::Amended => "amended",
            Self::Voided => "voided",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.name() == name)
    }
}

/// One line of a bout's audit trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryRow {
    /// The bout.
    pub bout: BoutId,
    /// What happened.
    pub change: Change,
    /// Why.
    pub reason: String,
    /// When.
    pub at: UnixMillis,
    /// The result that stood until then; `None` for a voided try.
    pub before: Option<StoredBout>,
}

impl Store {
    /// Puts `result` in the place of a bout's result, which goes to the history.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoBout`] when there is none, [`StoreError::Misfit`] when the
    /// result is not one of the stored plan.
    pub async fn amend(
        &self,
        result: &BoutResult,
        reason: &str,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let mut change = self.begin().await?;
        let Some((number, _)) = self.present(&mut change, result.bout).await? else {
            return Err(StoreError::NoBout { path: self.path().to_owned(), bout: result.bout });
        };
        let plan = self.load(&mut change, number).await?.plan;
        refuse_misfit(&plan, result)?;
        self.archive(&mut change, number, &(Change::Amended, reason.to_owned(), at)).await?;
        self.insert(&mut change, &mut Documents::default(), &plan, result).await?;
        self.commit(change).await
    }

    /// Keeps that a try of a bout was voided by an error of ours.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_void(
        &self,
        bout: BoutId,
        reason: &str,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let mut change = self.begin().await?;
        write(
            &mut change,
            &HistoryRow {
                bout,
                change: Change::Voided,
                reason: reason.to_owned(),
                at,
                before: None,
            },
        )
        .await
        .map_err(|error| self.error(error))?;
        self.commit(change).await
    }

    /// Returns a bout's audit trail, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn history(&self, bout: BoutId) -> Result<Vec<HistoryRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM history WHERE bout = ? ORDER BY number")
            .bind(id_number(bout))
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        rows.iter().map(read).collect()
    }

    /// Moves bout row `number` to the history.
    pub(super) async fn archive(
        &self,
        change: &mut Transaction<'_, Sqlite>,
        number: i64,
        (kind, reason, at): &(Change, String, UnixMillis),
    ) -> Result<(), StoreError> {
        let before = self.load(change, number).await?;
        let row = HistoryRow {
            bout: before.plan.bout,
            change: *kind,
            reason: reason.clone(),
            at: *at,
            before: Some(before),
        };
        write(change, &row).await.map_err(|error| self.error(error))?;
        sqlx::query("DELETE FROM bouts WHERE number = ?")
            .bind(number)
            .execute(&mut **change)
            .await
            .map_err(|error| self.error(error))?;
        Ok(())
    }
}

async fn write(change: &mut Transaction<'_, Sqlite>, row: &HistoryRow) -> Result<(), sqlx::Error> {
    let logs = row.before.as_ref().map(|bout| (&bout.result.action_log, &bout.result.turn_log));
    sqlx::query(
        "INSERT INTO history (bout, change, reason, at, document, action_log, turn_log) \
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(id_number(row.bout))
    .bind(row.change.name())
    .bind(&row.reason)
    .bind(row.at)
    .bind(row.before.as_ref().map(without_logs))
    .bind(logs.map(|(actions, _)| actions.as_slice()))
    .bind(logs.map(|(_, turns)| turns.as_slice()))
    .execute(&mut **change)
    .await
    .map(drop)
}

fn without_logs(bout: &StoredBout) -> String {
    let mut bout = bout.clone();
    (bout.result.action_log, bout.result.turn_log) = (Vec::new(), Vec::new());
    serde_json::to_string(&bout).expect("plain data is JSON")
}

fn read(row: &SqliteRow) -> Result<HistoryRow, StoreError> {
    let reader = Reader::new("history", "number", row);
    Ok(HistoryRow {
        bout: bout_id(reader.get("bout")?),
        change: reader.named("change", Change::from_name)?,
        reason: reader.get("reason")?,
        at: reader.get("at")?,
        before: read_before(&reader)?,
    })
}

fn read_before(reader: &Reader<'_>) -> Result<Option<StoredBout>, StoreError> {
    if reader.get::<Option<&str>>("document")?.is_none() {
        return Ok(None);
    }
    let mut bout: StoredBout = reader.json("document")?;
    bout.result.action_log = reader.get("action_log")?;
    bout.result.turn_log = reader.get("turn_log")?;
    Ok(Some(bout))
}
