//! Looking for damage.

use super::{Inconsistency, Store, StoreError};
use async_recursion::async_recursion as boxed;

impl Store {
    /// Reads the whole file and looks for damage.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupted`] with the first damage found.
    #[boxed]
    pub async fn integrity_check(&self) -> Result<(), StoreError> {
        self.structure_check().await?;
        let orphans = sqlx::query("PRAGMA foreign_key_check")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        let problem = format!("{} rows belong to rows that are not there", orphans.len());
        if orphans.is_empty() { Ok(()) } else { Err(self.damaged(problem)) }
    }

    /// Returns the first damage of the structure, as something that is not in order.
    pub(super) async fn structure_problem(&self) -> Result<Option<Inconsistency>, StoreError> {
        match self.structure_check().await {
            Ok(()) => Ok(None),
            Err(StoreError::Corrupted { path, problem }) => {
                let (row, problem) = (path.display().to_string(), format!("damaged: {problem}"));
                Ok(Some(Inconsistency { row, problem }))
            }
            Err(other) => Err(other),
        }
    }

    /// Looks for damage of the structure, indexes included: one that lacks a row
    /// hides it.
    pub(super) async fn structure_check(&self) -> Result<(), StoreError> {
        let found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(1)")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        self.refuse_damage(found)
    }

    /// Looks for damage of the structure without its indexes.
    pub(super) async fn quick_check(&self) -> Result<(), StoreError> {
        let found: Vec<String> = sqlx::query_scalar("PRAGMA quick_check(1)")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        self.refuse_damage(found)
    }

    fn refuse_damage(&self, found: Vec<String>) -> Result<(), StoreError> {
        match found.into_iter().find(|line| line != "ok") {
            None => Ok(()),
            Some(problem) => Err(self.damaged(problem)),
        }
    }

    fn damaged(&self, problem: String) -> StoreError {
        StoreError::Corrupted { path: self.path().to_owned(), problem }
    }
}
