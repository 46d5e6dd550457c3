//! Contents of a database except results, for joining it with others.

use std::collections::BTreeMap;

use sqlx::sqlite::SqliteRow;

use super::history;
use super::row::Reader;
use super::{DecisionRow, EventSettings, HistoryRow, Store, StoreError, TournamentRow, bots};
use crate::bots::RegisteredBot;
use joust_model::BuildHash;

/// Contents of a database except results.
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
    /// Returns the contents of the database except results.
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
        let accounts: i64 =
            self.scalar(sqlx::query_scalar("SELECT count(*) FROM accounts")).await?;
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

    /// Passes every line of every bout's history to a function, oldest first, with its number.
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

    /// Returns the hashes of all builds that were used in bouts, without duplicates.
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
