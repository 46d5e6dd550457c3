//! A database as it is at one moment, in a file of its own.

use async_recursion::async_recursion as boxed;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::open::{connect_to_read, options, refuse_foreign};
use super::partitions::is_same;
use super::place::with_suffix;
use super::{Access, Store, StoreError};

impl Store {
    /// Copies the database at `from` to the new file `to`, with all that is pending
    /// beside it. Nothing is written to `from`; its version plays no part.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when `from` is not there or not a database of Joust, or `to`
    /// cannot be written; then there is no `to`.
    #[boxed]
    pub async fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
        let reading = options(from).read_only(true);
        refuse_foreign(from, reading.clone(), Access::ReadOnly).await?;
        let (pool, _) = connect_to_read(from, reading).await?;
        let begun = beside(to);
        _ = std::fs::remove_file(&begun);
        let copied = sqlx::query("VACUUM INTO ?")
            .bind(begun.to_string_lossy().into_owned())
            .execute(&pool)
            .await
            .map_err(|error| StoreError::from_sqlx(to, error));
        let partitions = sqlx::query_scalar("SELECT file FROM partitions ORDER BY number");
        // An older one has none.
        let partitions: Vec<String> = partitions.fetch_all(&pool).await.unwrap_or_default();
        pool.close().await;
        let copied = copied.and_then(|_| copy_partitions(&partitions, from, to));
        let renamed = copied.and_then(|()| {
            let renamed = std::fs::rename(&begun, to);
            renamed.map_err(|error| StoreError::from_sqlx(to, sqlx::Error::Io(error)))
        });
        if renamed.is_err() {
            _ = std::fs::remove_file(&begun);
        }
        renamed
    }
}

/// Brings the partitions of a database beside its copy; in one folder they belong to both.
fn copy_partitions(files: &[String], from: &Path, to: &Path) -> Result<(), StoreError> {
    for file in files {
        let (file, copy) = (from.with_file_name(file), to.with_file_name(file));
        if !file.exists() {
            return Err(StoreError::PartitionGone { head: from.to_owned(), file });
        }
        if file == copy || copy.exists() && is_same(&file, &copy) {
            continue;
        }
        let made = match std::fs::hard_link(&file, &copy) {
            // What is there is of another database; a copy into it could be one into its own source.
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                std::fs::copy(&file, &copy).map(drop)
            }
            made => made,
        };
        made.map_err(|error| StoreError::from_sqlx(&copy, sqlx::Error::Io(error)))?;
    }
    Ok(())
}

/// The name of a copy that is not whole yet.
fn beside(to: &Path) -> PathBuf {
    with_suffix(to, ".new")
}
