//! The table `builds`: what was run, by its hash.

use super::row::Reader;
use super::{Store, StoreError};
use crate::clock::UnixMillis;
use crate::model::BuildHash;

/// How a build was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRow {
    /// The hash of source, recipe and toolchain.
    pub hash: BuildHash,
    /// The language's id.
    pub language: String,
    /// The toolchain's version, as it says.
    pub toolchain: String,
    /// The commands that were run, one a line.
    pub recipe: String,
    /// The beginning of the build's log.
    pub log_head: String,
    /// When it was made.
    pub built_at: UnixMillis,
}

impl Store {
    /// Keeps how a build was made; what is known of the same hash stays.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_build(&self, build: &BuildRow) -> Result<(), StoreError> {
        let mut change = self.begin().await?;
        sqlx::query(
            "INSERT OR IGNORE INTO builds (hash, language, toolchain, recipe, log_head, built_at) \
             VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(build.hash.0.as_slice())
        .bind(&build.language)
        .bind(&build.toolchain)
        .bind(&build.recipe)
        .bind(&build.log_head)
        .bind(build.built_at)
        .execute(&mut *change)
        .await
        .map_err(|error| self.error(error))?;
        self.commit(change).await
    }

    /// Returns how a build was made.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn build(&self, hash: &BuildHash) -> Result<Option<BuildRow>, StoreError> {
        let row = sqlx::query(
            "SELECT hex(hash) AS name, hash, language, toolchain, recipe, log_head, built_at \
             FROM builds WHERE hash = ?",
        )
        .bind(hash.0.as_slice())
        .fetch_optional(self.readers())
        .await
        .map_err(|error| self.error(error))?;
        let Some(row) = &row else { return Ok(None) };
        let reader = Reader::new("builds", "name", row);
        Ok(Some(BuildRow {
            hash: BuildHash(reader.hash("hash")?),
            language: reader.get("language")?,
            toolchain: reader.get("toolchain")?,
            recipe: reader.get("recipe")?,
            log_head: reader.get("log_head")?,
            built_at: reader.get("built_at")?,
        }))
    }
}
