//! The table `bots`: an event's field.

use sqlx::sqlite::SqliteRow;

use super::chain::ChainedState;
use super::row::{LONGEST_NAME, LONGEST_TEXT, Reader};
use super::writing::Writing;
use super::{BotRow, Store, StoreError};
use joust_model::{BuildHash, Reason};

impl Store {
    /// Sets an event's field, replacing the earlier one.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoEvent`] when the event is not there; otherwise when the
    /// database cannot be written.
    pub async fn put_bots(&self, event: &str, bots: &[BotRow]) -> Result<(), StoreError> {
        self.require_event(event).await?;
        let mut writing = self.write().await?;
        let entered = |bot: &BotRow| RegisteredBot { bot: bot.clone(), is_entered: true };
        let field: Vec<_> = bots.iter().map(entered).collect();
        writing.put_bots(event, &field).await?;
        writing.finish().await
    }

    /// Returns an event's field in the order of registration.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn bots(&self, event: &str) -> Result<Vec<BotRow>, StoreError> {
        let query = "SELECT * FROM bots WHERE event = ? AND entered ORDER BY registration, name";
        self.all_rows(sqlx::query(query).bind(event), read).await
    }

    /// Returns an error when `event` never had a bot called `bot`.
    pub(super) async fn require_bot(&self, event: &str, bot: &str) -> Result<(), StoreError> {
        let query = sqlx::query("SELECT * FROM bots WHERE event = ? AND name = ?");
        let found = self.one_row(query.bind(event).bind(bot), read).await?;
        let missing = || StoreError::NoBot { event: event.to_owned(), bot: bot.to_owned() };
        found.map(drop).ok_or_else(missing)
    }

    /// Returns an error when the event does not exist.
    pub(super) async fn require_event(&self, event: &str) -> Result<(), StoreError> {
        let query = sqlx::query_scalar("SELECT count(*) FROM events WHERE id = ?");
        let found: i64 = self.scalar(query.bind(event)).await?;
        let missing =
            || StoreError::NoEvent { path: self.path().to_owned(), event: event.to_owned() };
        if found == 0 { Err(missing()) } else { Ok(()) }
    }
}

/// A bot that is or was registered for an event.
#[derive(Clone, Debug)]
pub struct RegisteredBot {
    /// The bot.
    pub bot: BotRow,
    /// True if it is in the field now; false if it only was once.
    pub is_entered: bool,
}

impl Writing {
    /// Sets an event's field, replacing the earlier one.
    pub(super) async fn put_bots(
        &mut self,
        event: &str,
        bots: &[RegisteredBot],
    ) -> Result<(), StoreError> {
        let before = self.digest(ChainedState::Field(event)).await?;
        let leave = sqlx::query("UPDATE bots SET entered = 0 WHERE event = ?");
        self.execute(leave.bind(event)).await?;
        for RegisteredBot { bot, is_entered } in bots {
            let statement = sqlx::query(
                "INSERT OR REPLACE INTO bots (event, name, author, owner, language, build, sits_out, \
                 registration, example, entered) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            )
            .bind(event)
            .bind(&bot.name)
            .bind(&bot.author)
            .bind(&bot.owner)
            .bind(&bot.language)
            .bind(bot.build.as_ref().map(|build| build.0.as_slice()))
            .bind(bot.sits_out.as_ref().map(json))
            .bind(bot.registration)
            .bind(bot.example)
            .bind(is_entered);
            self.execute(statement).await?;
        }
        self.link_if_changed(ChainedState::Field(event), before).await
    }
}

pub(super) fn read(row: &SqliteRow) -> Result<BotRow, StoreError> {
    let reader = Reader::new("bots", "name", row);
    Ok(BotRow {
        name: reader.text("name", LONGEST_NAME)?,
        author: reader.text("author", LONGEST_TEXT)?,
        owner: reader.text("owner", LONGEST_TEXT)?,
        language: reader.text("language", LONGEST_NAME)?,
        build: reader.optional("build", Reader::hash)?.map(BuildHash),
        sits_out: reader.optional("sits_out", Reader::json)?,
        registration: reader.number("registration")?,
        example: reader.get("example")?,
    })
}

fn json(reason: &Reason) -> String {
    serde_json::to_string(reason).expect("plain data is JSON")
}
