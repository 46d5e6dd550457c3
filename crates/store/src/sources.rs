//! The table `sources`: what each build was made from.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;

use super::builds::hexadecimal;
use super::chain::ChainedState;
use super::row::Reader;
use super::writing::Writing;
use super::{Store, StoreError};
use joust_model::BuildHash;

/// The source of a build, so that it can be made again on another machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The build that was made from it.
    pub build: BuildHash,
    /// The hash of its files.
    pub hash: BuildHash,
    /// The name of its folder or file.
    pub name: String,
    /// The place in its git repository; `None` when it was in none.
    pub place: Option<String>,
    /// The commit that has it as it was; `None` when none does.
    pub commit: Option<String>,
    /// Its files, as a tar archive compressed with zstd; `None` when they are too
    /// large to be kept, or the organiser does not want them there.
    pub files: Option<Vec<u8>>,
}

/// Extent to which a build's source is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceDetail {
    /// Its name, its place, and the hash of its files.
    Name,
    /// Its files, too.
    Files,
}

impl Store {
    /// Keeps what a build was made from; what is known of the same build stays, and
    /// what was not known of it is added.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_source(&self, source: &SourceRow) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        write(&mut writing, source).await.map_err(|error| self.error(error))?;
        self.finish(writing).await
    }

    /// Returns how much is kept of what a build was made from; `None` when nothing is.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source_detail(
        &self,
        build: &BuildHash,
    ) -> Result<Option<SourceDetail>, StoreError> {
        let found: Option<bool> =
            sqlx::query_scalar("SELECT files IS NOT NULL FROM sources WHERE build = ?")
                .bind(build.0.as_slice())
                .fetch_optional(self.readers())
                .await
                .map_err(|error| self.error(error))?;
        Ok(found.map(|has_files| if has_files { SourceDetail::Files } else { SourceDetail::Name }))
    }

    /// Returns, by build, the hash of the files it was made from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source_hashes(&self) -> Result<HashMap<BuildHash, BuildHash>, StoreError> {
        let query = sqlx::query("SELECT hex(build) AS row_name, build, hash FROM sources");
        let hashes = |row: &SqliteRow| {
            let reader = Reader::new("sources", "row_name", row);
            Ok((BuildHash(reader.hash("build")?), BuildHash(reader.hash("hash")?)))
        };
        Ok(self.all_rows(query, hashes).await?.into_iter().collect())
    }

    /// Returns what a build was made from.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source(&self, build: &BuildHash) -> Result<Option<SourceRow>, StoreError> {
        let query = sqlx::query("SELECT hex(build) AS row_name, * FROM sources WHERE build = ?");
        self.one_row(query.bind(build.0.as_slice()), read).await
    }
}

pub(super) async fn write(writing: &mut Writing, source: &SourceRow) -> Result<(), sqlx::Error> {
    let hash = hexadecimal(&source.build);
    let state = ChainedState::Source(&hash);
    let before = state.digest(&mut writing.change).await?;
    sqlx::query(
        "INSERT INTO sources (build, hash, name, place, commit_id, files) \
         VALUES (?, ?, ?, ?, ?, ?) \
         ON CONFLICT (build) DO UPDATE SET files = coalesce(files, excluded.files), \
         place = iif(commit_id IS NULL, excluded.place, place), \
         commit_id = coalesce(commit_id, excluded.commit_id) \
         WHERE excluded.hash = hash",
    )
    .bind(source.build.0.as_slice())
    .bind(source.hash.0.as_slice())
    .bind(&source.name)
    .bind(source.place.as_deref())
    .bind(source.commit.as_deref())
    .bind(source.files.as_deref())
    .execute(&mut *writing.change)
    .await?;
    writing.link_if_changed(state, before).await
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
