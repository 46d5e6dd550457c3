//! The table `builds`: one row per build, by its hash.

use sqlx::sqlite::SqliteRow;

use super::chain::ChainedState;
use super::row::Reader;
use super::writing::Writing;
use super::{Store, StoreError};
use joust_model::BuildHash;
use joust_model::clock::UnixMillis;

/// Record of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRow {
    /// The hash of source, recipe and toolchain.
    pub hash: BuildHash,
    /// The hash of the files that the build produced.
    pub result: BuildHash,
    /// The language's id.
    pub language: String,
    /// The toolchain's version, as the toolchain reports it.
    pub toolchain: String,
    /// The commands that were run, one a line.
    pub recipe: String,
    /// The beginning of the build's log.
    pub log_head: String,
    /// Moment at which the build was made.
    pub built_at: UnixMillis,
}

impl Store {
    /// Stores how a build was made, unless the hash is stored already.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_build(&self, build: &BuildRow) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        writing.put_build(build).await?;
        writing.finish().await
    }

    /// Returns the records of all builds.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn builds(&self) -> Result<Vec<BuildRow>, StoreError> {
        let query = sqlx::query("SELECT hex(hash) AS name, * FROM builds ORDER BY hash");
        self.all_rows(query, read).await
    }

    /// Returns the record of a build.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn build(&self, hash: &BuildHash) -> Result<Option<BuildRow>, StoreError> {
        let query = sqlx::query("SELECT hex(hash) AS name, * FROM builds WHERE hash = ?");
        self.one_row(query.bind(hash.0.as_slice()), read).await
    }
}

impl Writing {
    /// Stores how a build was made, unless the hash is stored already.
    pub(super) async fn put_build(&mut self, build: &BuildRow) -> Result<(), StoreError> {
        let statement = sqlx::query(
            "INSERT INTO builds (hash, result, language, toolchain, recipe, log_head, built_at) \
             VALUES (?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT (hash) DO NOTHING",
        )
        .bind(build.hash.0.as_slice())
        .bind(build.result.0.as_slice())
        .bind(&build.language)
        .bind(&build.toolchain)
        .bind(&build.recipe)
        .bind(&build.log_head)
        .bind(build.built_at);
        self.replace(ChainedState::Build(&hexadecimal(&build.hash)), statement).await
    }
}

/// Returns a build's hash as SQLite's `hex` writes it.
pub(super) fn hexadecimal(hash: &BuildHash) -> String {
    hash.0.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn read(row: &SqliteRow) -> Result<BuildRow, StoreError> {
    let reader = Reader::new("builds", "name", row);
    Ok(BuildRow {
        hash: BuildHash(reader.hash("hash")?),
        result: BuildHash(reader.hash("result")?),
        language: reader.get("language")?,
        toolchain: reader.get("toolchain")?,
        recipe: reader.get("recipe")?,
        log_head: reader.get("log_head")?,
        built_at: reader.timestamp("built_at")?,
    })
}
