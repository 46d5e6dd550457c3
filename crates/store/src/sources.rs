//! The table `sources`: the source of each build.

use std::collections::HashMap;

use sqlx::sqlite::SqliteRow;

use super::builds::hexadecimal;
use super::chain::ChainedState;
use super::row::Reader;
use super::writing::Writing;
use super::{Store, StoreError};
use joust_model::BuildHash;

/// The source of a build, from which another machine can repeat the build.
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
    /// The commit that contains exactly these files; `None` when none does.
    pub commit: Option<String>,
    /// Its files, as a tar archive compressed with zstd; `None` when they are too large, or when
    /// the organiser has switched their storage off.
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
    /// Stores the source of a build. Stored values are kept, and missing ones are added.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be written.
    pub async fn put_source(&self, source: &SourceRow) -> Result<(), StoreError> {
        let mut writing = self.write().await?;
        writing.put_source(source).await?;
        writing.finish().await
    }

    /// Returns how much of a build's source is stored; `None` when nothing is.
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
                .fetch_optional(&self.readers)
                .await
                .map_err(|error| self.error(error))?;
        Ok(found.map(|has_files| if has_files { SourceDetail::Files } else { SourceDetail::Name }))
    }

    /// Returns the hash of the source files of each build.
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

    /// Returns the source of a build.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    pub async fn source(&self, build: &BuildHash) -> Result<Option<SourceRow>, StoreError> {
        let query = sqlx::query("SELECT hex(build) AS row_name, * FROM sources WHERE build = ?");
        self.one_row(query.bind(build.0.as_slice()), read).await
    }
}

impl Writing {
    /// Stores the source of a build. Stored values are kept, and missing ones are added.
    pub(super) async fn put_source(&mut self, source: &SourceRow) -> Result<(), StoreError> {
        let statement = sqlx::query(
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
        .bind(source.files.as_deref());
        self.replace(ChainedState::Source(&hexadecimal(&source.build)), statement).await
    }
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
