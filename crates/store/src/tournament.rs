//! The tables `tournament` and `events`.

use sqlx::sqlite::SqliteRow;

use super::chain::ChainedState;
use super::row::Reader;
use super::writing::Writing;
use super::{EventInfo, EventSettings, Store, StoreError};
use joust_model::Seed;

/// The tournament a database belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TournamentRow {
    /// Its name.
    pub name: String,
    /// The seed that every bout's seed derives from.
    pub seed: Seed,
    /// True when the seed was drawn for this database and is not in the tournament's file.
    pub seed_is_drawn: bool,
}

impl TournamentRow {
    /// Returns the seed if it may be published. A drawn seed is secret, because future bouts could
    /// be played in advance with it.
    pub fn public_seed(&self) -> Option<Seed> {
        (!self.seed_is_drawn).then_some(self.seed)
    }
}

impl Store {
    /// Records the tournament, replacing the earlier record.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_tournament(&self, tournament: &TournamentRow) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        writing.put_tournament(tournament).await?;
        writing.finish().await
    }

    /// Returns the tournament; `None` before the first run.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn tournament(&self) -> Result<Option<TournamentRow>, StoreError> {
        let query = sqlx::query("SELECT id, name, seed, seed_is_drawn FROM tournament");
        self.one_row(query, |row| {
            let reader = Reader::new("tournament", "id", row);
            let seed: i64 = reader.get("seed")?;
            Ok(TournamentRow {
                name: reader.get("name")?,
                seed: Seed(seed.cast_unsigned()),
                seed_is_drawn: reader.get("seed_is_drawn")?,
            })
        })
        .await
    }

    /// Records an event's settings, replacing the earlier ones. Events keep the order in which they
    /// were first recorded.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_event(&self, event: &EventSettings) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        writing.put_event(event).await?;
        writing.finish().await
    }

    /// Returns the settings of every event, in the order in which they were first recorded.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn events(&self) -> Result<Vec<EventSettings>, StoreError> {
        let query = sqlx::query("SELECT id, settings FROM events ORDER BY position");
        self.all_rows(query, read_settings).await
    }

    /// Returns an event with its field and the decisions on it.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn event(&self, id: &str) -> Result<Option<EventInfo>, StoreError> {
        let query = sqlx::query("SELECT id, settings FROM events WHERE id = ?").bind(id);
        let Some(settings) = self.one_row(query, read_settings).await? else { return Ok(None) };
        let (bots, decisions) = (self.bots(id).await?, self.decisions(id).await?);
        let referee_errors = self.count_referee_errors(id).await?;
        Ok(Some(EventInfo { settings, bots, decisions, referee_errors }))
    }
}

fn read_settings(row: &SqliteRow) -> Result<EventSettings, StoreError> {
    Reader::new("events", "id", row).json("settings")
}

impl Writing {
    /// Records the tournament, replacing the earlier record.
    pub(super) async fn put_tournament(&mut self, row: &TournamentRow) -> Result<(), StoreError> {
        let statement =
            "INSERT OR REPLACE INTO tournament (id, name, seed, seed_is_drawn) VALUES (1, ?, ?, ?)";
        let statement = sqlx::query(statement)
            .bind(&row.name)
            .bind(row.seed.0.cast_signed())
            .bind(row.seed_is_drawn);
        self.replace(ChainedState::Tournament, statement).await
    }

    /// Records an event's settings, replacing the earlier ones.
    pub(super) async fn put_event(&mut self, event: &EventSettings) -> Result<(), StoreError> {
        let settings = serde_json::to_string(event).expect("plain data is JSON");
        let statement = sqlx::query(
            "INSERT INTO events (id, position, settings) \
             VALUES (?, (SELECT coalesce(max(position) + 1, 0) FROM events), ?) \
             ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
        );
        self.replace(ChainedState::Event(&event.id), statement.bind(&event.id).bind(settings)).await
    }
}
