//! Strange partitions: files beside a database under the names of its next partitions, which it
//! does not know.
//!
//! They are of a database of that name that was lost or is an older copy now, so that a part of the
//! bouts would be missed without a word, and the files would be written over. What a run leaves that
//! is killed between giving a partition its name and listing it is none: its last link is still one
//! of the head's.

use std::path::{Path, PathBuf};

use sqlx::ConnectOptions as _;

use super::super::open::options;
use super::{Store, StoreError, file_of};

/// Refuses to make a database where partitions of another one of its name lie.
pub(in super::super) fn refuse_before_making(path: &Path) -> Result<(), StoreError> {
    let file = file_of(path, 1);
    let head = path.to_owned();
    if file.exists() { Err(StoreError::StrangePartition { head, file }) } else { Ok(()) }
}

impl Store {
    /// Refuses files under the names of the next partitions that have links which are not here.
    pub(in super::super) async fn refuse_strange_partition(&self) -> Result<(), StoreError> {
        let mut next = self.next_partition().await?;
        while let Some(file) = self.first_strange_from(next).await? {
            // Somebody who stores may just have listed it.
            let before = std::mem::replace(&mut next, self.next_partition().await?);
            if before == next {
                return Err(StoreError::StrangePartition { head: self.path().to_owned(), file });
            }
        }
        Ok(())
    }

    async fn first_strange_from(&self, next: i64) -> Result<Option<PathBuf>, StoreError> {
        let files = (next..).map(|number| file_of(self.path(), number));
        for file in files.take_while(|file| file.exists()) {
            if !self.has_last_link_of(&file).await? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    async fn next_partition(&self) -> Result<i64, StoreError> {
        sqlx::query_scalar("SELECT coalesce(max(number), 0) + 1 FROM partitions")
            .fetch_one(self.readers())
            .await
            .map_err(|error| self.error(error))
    }

    /// Says whether the last link of a closed file is one of the head's.
    async fn has_last_link_of(&self, file: &Path) -> Result<bool, StoreError> {
        // Whatever cannot be read as a partition was not made by a run of this database.
        let Ok((number, hash)) = last_link_of(file).await else { return Ok(false) };
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM chain WHERE number = ? AND hash = ?)")
            .bind(number)
            .bind(hash)
            .fetch_one(self.readers())
            .await
            .map_err(|error| self.error(error))
    }
}

async fn last_link_of(file: &Path) -> Result<(i64, Vec<u8>), sqlx::Error> {
    let options = options(file).create_if_missing(false).read_only(true).immutable(true);
    let mut connection = options.connect().await?;
    let last = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1";
    sqlx::query_as(last).fetch_one(&mut connection).await
}
