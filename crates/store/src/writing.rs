//! A transaction, together with the links that it appends to the chain.

use sqlx::query::Query;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Sqlite, Transaction};

use super::chain::{ChainedState, Tail};
use super::documents::Documents;
use super::hasher::Digest;
use super::{Store, StoreError};

/// A change that is committed as a whole or rolled back.
pub(super) struct Writing {
    pub(super) store: Store,
    pub(super) change: Transaction<'static, Sqlite>,
    pub(super) documents: Documents,
    pub(super) chain: Tail,
}

impl Store {
    /// Begins a change whose rows are recorded in the chain.
    pub(super) async fn write(&self) -> Result<Writing, StoreError> {
        let Some(writer) = &self.writer else {
            return Err(StoreError::ReadOnly(self.path().to_owned()));
        };
        let begun = writer.begin_with("BEGIN IMMEDIATE").await;
        let mut change = begun.map_err(|error| self.error(error))?;
        let chain = Tail::read(&mut change).await.map_err(|error| self.error(error))?;
        Ok(Writing { store: self.clone(), change, documents: Documents::default(), chain })
    }
}

impl Writing {
    /// Executes a statement.
    pub(super) async fn execute(
        &mut self,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<(), StoreError> {
        let executed = statement.execute(&mut *self.change).await;
        executed.map(drop).map_err(|error| self.store.error(error))
    }

    /// Writes the pending links of the chain.
    pub(super) async fn write_links(&mut self) -> Result<(), StoreError> {
        let written = self.chain.write(&mut self.change).await;
        written.map_err(|error| self.store.error(error))
    }

    /// Commits the change, including its links.
    pub(super) async fn finish(mut self) -> Result<(), StoreError> {
        self.write_links().await?;
        self.change.commit().await.map_err(|error| self.store.error(error))
    }

    /// Returns the hash of the current rows of `state`.
    pub(super) async fn digest(
        &mut self,
        state: ChainedState<'_>,
    ) -> Result<Option<Digest>, StoreError> {
        let digest = state.digest(&mut self.change).await;
        digest.map_err(|error| self.store.error(error))
    }

    /// Appends a link if the hash of `state` differs from `before`.
    pub(super) async fn link_if_changed(
        &mut self,
        state: ChainedState<'_>,
        before: Option<Digest>,
    ) -> Result<(), StoreError> {
        let after = self.digest(state).await?;
        if let Some(digest) = after.filter(|_| after != before) {
            self.chain.push(state.link(digest));
        }
        Ok(())
    }

    /// Executes a statement that replaces the rows of `state`, and links them if they differ.
    pub(super) async fn replace(
        &mut self,
        state: ChainedState<'_>,
        statement: Query<'_, Sqlite, SqliteArguments>,
    ) -> Result<(), StoreError> {
        let before = self.digest(state).await?;
        self.execute(statement).await?;
        self.link_if_changed(state, before).await
    }
}
