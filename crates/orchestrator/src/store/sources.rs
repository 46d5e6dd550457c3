//! The table `sources`: what each build was made from.

use std::collections::HashMap;

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use super::row::Reader;
use super::{Store, StoreError};
use crate::model::BuildHash;

/// The source of a build, so that it can be made again on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The build that was made from it.
    pub build: BuildHash,
    /// The hash of its files.
    pub hash: BuildHash,
    /// What its folder or file was called.
    pub name: String,
    /// Where it was in its git repository; `None` when it was in none.
    pub place: Option<String>,
    /// The commit that has it as it was; `None` when none does.
    pub commit: Option<String>,
    /// Its files, as a tar archive compressed with zstd; `None` when they are too
    /// large to be kept.
    pub files: Option<Vec<u8>>,
}

impl Store {
    /// Keeps what a build was made from; what is known of the same build stays.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_source(&self, source: &SourceRow) -> Result<(), StoreError> {
        let mut change = self.begin().await?;
        write(&mut change, source).await.map_err(|error| self.error(error))?;
        self.commit(change).await
    }

    /// Returns whether it is known what a build was made from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn has_source(&self, build: &BuildHash) -> Result<bool, StoreError> {
        let found: i64 = sqlx::query_scalar("SELECT count(*) FROM sources WHERE build = ?")
            .bind(build.0.as_slice())
            .fetch_one(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        Ok(found > 0)
    }

    /// Returns, by build, the hash of the files it was made from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source_hashes(&self) -> Result<HashMap<BuildHash, BuildHash>, StoreError> {
        let rows = sqlx::query("SELECT hex(build) AS row_name, build, hash FROM sources")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        let hashes = |row: &SqliteRow| {
            let reader = Reader::new("sources", "row_name", row);
            Ok((BuildHash(reader.hash("build")?), BuildHash(reader.hash("hash")?)))
        };
        rows.iter().map(hashes).collect()
    }

    /// Returns what a build was made from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source(&self, build: &BuildHash) -> Result<Option<SourceRow>, StoreError> {
        let row = sqlx::query("SELECT hex(build) AS row_name, * FROM sources WHERE build = ?")
            .bind(build.0.as_slice())
            .fetch_optional(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        row.as_ref().map(read).transpose()
    }
}

pub(super) async fn write(
    change: &mut SqliteConnection,
    source: &SourceRow,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT OR IGNORE INTO sources (build, hash, name, place, commit_id, files) \
         VALUES (?, ?, ?, ?, ?, ?)",
    )
    .bind(source.build.0.as_slice())
    .bind(source.hash.0.as_slice())
    .bind(&source.name)
    .bind(source.place.as_deref())
    .bind(source.commit.as_deref())
    .bind(source.files.as_deref())
    .execute(change)
    .await
    .map(drop)
}

fn read(row: &SqliteRow) -> Result<SourceRow, StoreError> {
    let reader = Reader::new("sources", "row_name", row);
    Ok(SourceRow {
        build: BuildHash(reader.hash("build")?),
        hash: BuildHash(reader.hash("hash")?),
        name: reader.get("name")?,
        place: reader.get("place")?,
        commit: reader.get("commit_id")?,
        files: reader.get("files")?,
    })
}
