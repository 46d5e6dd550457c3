//! A change of the database under way, with the links it appends to the chain.

use sqlx::{Sqlite, Transaction};

use super::chain::{ChainedState, Tail};
use super::documents::Documents;
use super::hasher::Digest;
use super::{Store, StoreError};

/// A change that is made whole or not at all.
pub(super) struct Writing {
    pub(super) change: Transaction<'static, Sqlite>,
    pub(super) documents: Documents,
    pub(super) chain: Tail,
}

impl Store {
    /// Begins a change of rows that are chained.
    pub(super) async fn write(&self) -> Result<Writing, StoreError> {
        let mut change = self.begin().await?;
        let chain = Tail::read(&mut change).await.map_err(|error| self.error(error))?;
        Ok(Writing { change, documents: Documents::default(), chain })
    }

    /// Makes the change, its links with it.
    pub(super) async fn finish(&self, mut writing: Writing) -> Result<(), StoreError> {
        let linked = writing.chain.write(&mut writing.change).await;
        linked.map_err(|error| self.error(error))?;
        self.commit(writing.change).await
    }
}

impl Writing {
    /// Appends a link when the tables say something else of `state` than `before`.
    pub(super) async fn link_if_changed(
        &mut self,
        state: ChainedState<'_>,
        before: Option<Digest>,
    ) -> Result<(), sqlx::Error> {
        let after = state.digest(&mut self.change).await?;
        if let Some(digest) = after.filter(|_| after != before) {
            self.chain.push(state.link(digest));
        }
        Ok(())
    }
}
