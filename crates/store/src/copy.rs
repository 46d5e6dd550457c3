//! A database as it is at one moment, in a file of its own.

use async_recursion::async_recursion as boxed;
use std::path::{Path, PathBuf};

use super::open::{connect_to_read, options, refuse_foreign};
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
        pool.close().await;
        let renamed = copied.and_then(|_| {
            let renamed = std::fs::rename(&begun, to);
            renamed.map_err(|error| StoreError::from_sqlx(to, sqlx::Error::Io(error)))
        });
        if renamed.is_err() {
            _ = std::fs::remove_file(&begun);
        }
        renamed
    }
}

/// The name of a copy that is not whole yet.
fn beside(to: &Path) -> PathBuf {
    with_suffix(to, ".new")
}
