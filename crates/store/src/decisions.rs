//! The table `decisions`: organisers' decisions on bots.

use sqlx::sqlite::SqliteRow;

use super::chain::decision_link;
use super::row::Reader;
use super::writing::Writing;
use super::{DecisionRow, Store, StoreError};

impl Store {
    /// Stores a decision. Earlier ones are kept; the newest one applies.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoEvent`] and [`StoreError::NoBot`] when the event never
    /// had such a bot; otherwise when the database cannot be written.
    pub async fn decide(&self, event: &str, decision: &DecisionRow) -> Result<(), StoreError> {
        self.require_event(event).await?;
        self.require_bot(event, &decision.bot).await?;
        let mut writing = self.write().await?;
        writing.insert_decision(event, decision).await?;
        writing.finish().await
    }

    /// Returns every decision of an event, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn decisions(&self, event: &str) -> Result<Vec<DecisionRow>, StoreError> {
        let query = sqlx::query("SELECT * FROM decisions WHERE event = ? ORDER BY number");
        self.all_rows(query.bind(event), read).await
    }
}

impl Writing {
    /// Writes a decision.
    pub(super) async fn insert_decision(
        &mut self,
        event: &str,
        decision: &DecisionRow,
    ) -> Result<(), StoreError> {
        let row = sqlx::query(
            "INSERT INTO decisions (event, bot, decision, reason, at) VALUES (?, ?, ?, ?, ?) \
             RETURNING *",
        )
        .bind(event)
        .bind(&decision.bot)
        .bind(decision.decision.name())
        .bind(&decision.reason)
        .bind(decision.at)
        .fetch_one(&mut *self.change)
        .await
        .map_err(|error| self.store.error(error))?;
        self.chain.push(decision_link(&row)?);
        Ok(())
    }
}

fn read(row: &SqliteRow) -> Result<DecisionRow, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    Ok(DecisionRow {
        bot: reader.get("bot")?,
        decision: reader.named("decision")?,
        reason: reader.get("reason")?,
        at: reader.timestamp("at")?,
    })
}
