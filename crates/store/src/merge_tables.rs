//! Joining databases: what one holds, and taking the rows of another in.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;

use super::bouts::id_number;
use super::history::{self, Cause, HistoryRow};
use super::result_hash::{HashedResult, ResultHash};
use super::row::Reader;
use super::rows::CountState;
use super::tournament::{write_event, write_tournament};
use super::writing::Writing;
use super::{Change, DecisionRow, EventSettings, Store, StoreError, StoredBout};
use super::{TournamentRow, bots, builds, calibrations, sources};
use crate::bots::RegisteredBot;
use joust_model::BuildHash;
use joust_model::clock::UnixMillis;

/// A result that another database takes.
#[derive(Clone, Debug)]
pub struct MergedResult {
    /// The bout.
    pub stored: StoredBout,
    /// It counts for the event as it is now.
    pub counts: bool,
}

/// Contents of a database beside results.
#[derive(Clone, Debug, Default)]
pub struct DatabaseSummary {
    /// The tournament; `None` when nothing was run yet.
    pub tournament: Option<TournamentRow>,
    /// The events, in their order.
    pub events: Vec<EventSettings>,
    /// Each event's bots.
    pub fields: BTreeMap<String, Vec<RegisteredBot>>,
    /// Each event's decisions, oldest first.
    pub decisions: BTreeMap<String, Vec<DecisionRow>>,
    /// Accounts of game servers.
    pub accounts: u64,
}

impl Store {
    /// Returns what the database holds beside results.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn summary(&self) -> Result<DatabaseSummary, StoreError> {
        let (tournament, events) = (self.tournament().await?, self.events().await?);
        let mut summary = DatabaseSummary { tournament, events, ..DatabaseSummary::default() };
        for event in &summary.events {
            let id = event.id.clone();
            summary.decisions.insert(id.clone(), self.decisions(&id).await?);
            summary.fields.insert(id.clone(), self.all_bots(&id).await?);
        }
        let accounts: i64 = sqlx::query_scalar("SELECT count(*) FROM accounts")
            .fetch_one(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        summary.accounts = accounts.unsigned_abs();
        Ok(summary)
    }

    async fn all_bots(&self, event: &str) -> Result<Vec<RegisteredBot>, StoreError> {
        let query = sqlx::query("SELECT * FROM bots WHERE event = ? ORDER BY registration, name");
        self.all_rows(query.bind(event), |row| {
            let is_entered = Reader::new("bots", "name", row).get("entered")?;
            Ok(RegisteredBot { bot: bots::read(row)?, is_entered })
        })
        .await
    }

    /// Takes every line of every bout's history, oldest first, with its number.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub(crate) async fn each_history_row(
        &self,
        mut take: impl FnMut(i64, HistoryRow) + Send,
    ) -> Result<(), StoreError> {
        self.each_row(sqlx::query("SELECT * FROM history ORDER BY number"), |row| {
            take(Reader::new("history", "number", row).get("number")?, history::read(row)?);
            Ok(())
        })
        .await
    }

    /// Returns a line of the history by its number; `None` when there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub(crate) async fn history_row(&self, number: i64) -> Result<Option<HistoryRow>, StoreError> {
        let query = sqlx::query("SELECT * FROM history WHERE number = ?").bind(number);
        self.one_row(query, history::read).await
    }

    /// Begins to take rows of other databases in, all in one change.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn begin_merge(&self) -> Result<TableMerge, StoreError> {
        Ok(TableMerge { store: self.clone(), writing: self.write().await? })
    }
}

/// Rows of other databases on their way into one: whole or not at all.
pub struct TableMerge {
    store: Store,
    writing: Writing,
}

impl TableMerge {
    /// Takes the tournament.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_tournament(&mut self, row: &TournamentRow) -> Result<(), StoreError> {
        let written = write_tournament(&mut self.writing, row).await;
        written.map_err(|error| self.store.error(error))
    }

    /// Takes an event with its bots.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_event(
        &mut self,
        event: &EventSettings,
        field: &[RegisteredBot],
    ) -> Result<(), StoreError> {
        let written = write_event(&mut self.writing, event).await;
        written.map_err(|error| self.store.error(error))?;
        let written = bots::put_all(&mut self.writing, &event.id, field).await;
        written.map_err(|error| self.store.error(error))
    }

    /// Takes a decision.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_decision(&mut self, event: &str, row: &DecisionRow) -> Result<(), StoreError> {
        self.store.insert_decision(&mut self.writing, event, row).await
    }

    /// Takes all builds, their sources and the calibrations of `other`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when one of the databases cannot be used.
    pub async fn copy_builds(&mut self, other: &Store) -> Result<(), StoreError> {
        for build in other.builds().await? {
            let source = other.source(&build.hash).await?;
            let written = builds::write(&mut self.writing, &build).await;
            written.map_err(|error| self.store.error(error))?;
            if let Some(source) = source {
                let written = sources::write(&mut self.writing, &source).await;
                written.map_err(|error| self.store.error(error))?;
            }
        }
        for calibration in other.all_calibrations().await? {
            let written = calibrations::write_newer(&mut self.writing.change, &calibration).await;
            written.map_err(|error| self.store.error(error))?;
        }
        Ok(())
    }

    /// Takes a line of a bout's history. The result it tells of goes with it when
    /// that still stands here.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_history(&mut self, row: &HistoryRow) -> Result<(), StoreError> {
        let mut link = 0;
        let present = self.store.stored_row(&mut self.writing.change, row.bout).await?;
        if let (Some((number, _)), Some(before)) = (present, &row.before) {
            let found = self.store.recorded(&mut self.writing.change, number).await?;
            if found.stored.as_ref().is_ok_and(|stored| is_same(stored, before)) {
                link = found.mark.link;
                self.store.remove(&mut self.writing, number).await?;
            }
        }
        self.store.insert_history(&mut self.writing, row, link).await
    }

    /// Takes results of different bouts; one that stands here goes to the history.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_bouts(&mut self, bouts: &[MergedResult]) -> Result<(), StoreError> {
        self.archive_replaced(bouts).await?;
        for (counting, counts) in [(CountState::Counts, true), (CountState::Stale, false)] {
            let chosen = bouts.iter().filter(|bout| bout.counts == counts);
            let chosen: Vec<_> = chosen
                .map(|MergedResult { stored, .. }| {
                    (stored, ResultHash::of_unchecked(&stored.plan, &stored.result))
                })
                .collect();
            let hashed = chosen.iter().map(|(StoredBout { plan, result }, hash)| HashedResult {
                plan,
                result,
                hash,
            });
            let hashed: Vec<_> = hashed.collect();
            self.store.insert(&mut self.writing, &hashed, counting).await?;
        }
        let written = self.writing.chain.write(&mut self.writing.change).await;
        written.map_err(|error| self.store.error(error))
    }

    /// Moves results that others take the place of to the history.
    async fn archive_replaced(&mut self, bouts: &[MergedResult]) -> Result<(), StoreError> {
        let ids: Vec<_> = bouts.iter().map(|bout| id_number(bout.stored.plan.bout)).collect();
        let present = self.store.stored_rows(&mut self.writing.change, &ids).await?;
        for StoredBout { plan, result } in bouts.iter().map(|bout| &bout.stored) {
            let Some((number, _)) = present.get(&plan.bout) else { continue };
            let reason = "joined with a database that has another result".to_owned();
            let cause = Cause { change: Change::Replaced, reason, at: result.started_at };
            self.store.archive(&mut self.writing, *number, |_| cause).await?;
        }
        Ok(())
    }

    /// Keeps a result that another took the place of, in the history.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn archive_superseded(
        &mut self,
        stored: StoredBout,
        reason: &str,
        at: UnixMillis,
    ) -> Result<(), StoreError> {
        let cause = Cause { change: Change::Replaced, reason: reason.to_owned(), at };
        let row = HistoryRow::new(stored.plan.bout, cause, Some(stored));
        self.store.insert_history(&mut self.writing, &row, 0).await
    }

    /// Makes the change.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written; then nothing was taken.
    pub async fn commit(self) -> Result<(), StoreError> {
        self.store.finish(self.writing).await
    }
}

/// Returns whether two are one result; its place in the schedule plays no part.
fn is_same(one: &StoredBout, other: &StoredBout) -> bool {
    one.result == other.result
}

impl Store {
    /// Returns every build that a bout was played with, once.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn builds_played(&self) -> Result<Vec<BuildHash>, StoreError> {
        let query = sqlx::query("SELECT DISTINCT build, 0 AS bout FROM seats ORDER BY build");
        let build =
            |row: &SqliteRow| Ok(BuildHash(Reader::new("seats", "bout", row).hash("build")?));
        self.all_rows(query, build).await
    }
}
