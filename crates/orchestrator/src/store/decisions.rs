//! The table `decisions`: what an organiser decided on a bot.

use sqlx::sqlite::SqliteRow;

use super::row::Reader;
use super::{Decision, DecisionRow, Store, StoreError};

impl Store {
    /// Keeps a decision; earlier ones stay, the newest holds.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoEvent`] and [`StoreError::NoBot`] when the event never
    /// had such a bot; otherwise when the database cannot be written.
    pub async fn decide(&self, event: &str, decision: &DecisionRow) -> Result<(), StoreError> {
        self.require_event(event).await?;
        self.require_bot(event, &decision.bot).await?;
        let mut change = self.begin().await?;
        sqlx::query(
            "INSERT INTO decisions (event, bot, decision, reason, at) VALUES (?, ?, ?, ?, ?)",
        )
        .bind(event)
        .bind(&decision.bot)
        .bind(decision.decision.name())
        .bind(&decision.reason)
        .bind(decision.at)
        .execute(&mut *change)
        .await
        .map_err(|error| self.error(error))?;
        self.commit(change).await
    }

    /// Returns every decision of an event, oldest first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn decisions(&self, event: &str) -> Result<Vec<DecisionRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT number, bot, decision, reason, at FROM decisions WHERE event = ? ORDER BY number",
        )
        .bind(event)
        .fetch_all(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        rows.iter().map(read).collect()
    }
}

fn read(row: &SqliteRow) -> Result<DecisionRow, StoreError> {
    let reader = Reader::new("decisions", "number", row);
    Ok(DecisionRow {
        bot: reader.get("bot")?,
        decision: reader.named("decision", Decision::from_name)?,
        reason: reader.get("reason")?,
        at: reader.get("at")?,
    })
}
