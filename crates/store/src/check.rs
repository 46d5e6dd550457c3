//! Looking for damage.

use super::{Store, StoreError};
use async_recursion::async_recursion as boxed;

impl Store {
    /// Reads the whole file and looks for damage.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupted`] with the first damage found.
    #[boxed]
    pub async fn integrity_check(&self) -> Result<(), StoreError> {
        let found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(1)")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        self.refuse_damage(found)?;
        let mut head = self.readers().acquire().await.map_err(|error| self.error(error))?;
        for closed in self.closed(&mut head).await? {
            let mut file = closed.open(self.path()).await?;
            let found = sqlx::query_scalar("PRAGMA integrity_check(1)").fetch_all(&mut file).await;
            let found: Vec<String> =
                found.map_err(|error| StoreError::from_sqlx(closed.path(), error))?;
            let path = closed.path().to_owned();
            if let Some(problem) = found.into_iter().find(|line| line != "ok") {
                return Err(StoreError::Corrupted { path, problem });
            }
        }
        drop(head);
        let orphans = sqlx::query("PRAGMA foreign_key_check")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        let problem = format!("{} rows belong to rows that are not there", orphans.len());
        if orphans.is_empty() { Ok(()) } else { Err(self.damaged(problem)) }
    }

    /// Looks for damage of the file's structure alone.
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
