//! The table `accounts`: names on a standing game server, and their totals.

use sqlx::sqlite::SqliteRow;

use super::row::Reader;
use super::{Store, StoreError};

/// One account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountRow {
    /// The name as registered, any text.
    pub name: String,
    /// The password's hash, with its salt and parameters.
    pub password: String,
    /// Points of all games.
    pub score: i64,
    /// Games that ended with the account's player still connected.
    pub games: i64,
}

impl Store {
    /// Returns every account of a game's server, by name.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn accounts(&self, game: &str) -> Result<Vec<AccountRow>, StoreError> {
        let query =
            "SELECT name, password, score, games FROM accounts WHERE game = ? ORDER BY name";
        self.all_rows(sqlx::query(query).bind(game), read).await
    }

    /// Makes an account without points. An existing account of that name stays unchanged.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn make_account(
        &self,
        game: &str,
        name: &str,
        password: &str,
        at: i64,
    ) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        let statement =
            "INSERT OR IGNORE INTO accounts (game, name, password, made_at) VALUES (?, ?, ?, ?)";
        let statement = sqlx::query(statement).bind(game).bind(name).bind(password).bind(at);
        writing.execute(statement).await?;
        writing.finish().await
    }

    /// Adds a game and its points to the account of each name, all or none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn add_scores(&self, game: &str, scores: &[(String, i64)]) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        for (name, points) in scores {
            let statement = "UPDATE accounts SET score = score + ?, games = games + 1 \
                             WHERE game = ? AND name = ?";
            writing.execute(sqlx::query(statement).bind(points).bind(game).bind(name)).await?;
        }
        writing.finish().await
    }
}

fn read(row: &SqliteRow) -> Result<AccountRow, StoreError> {
    let reader = Reader::new("accounts", "name", row);
    Ok(AccountRow {
        name: reader.get("name")?,
        password: reader.get("password")?,
        score: reader.get("score")?,
        games: reader.get("games")?,
    })
}
