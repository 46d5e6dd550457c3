//! A transaction, together with the links that it appends to the chain.

use sqlx::{Sqlite, Transaction};

use super::chain::{ChainedState, Tail};
use super::documents::Documents;
use super::hasher::Digest;
use super::{Store, StoreError};

/// A change that is committed as a whole or rolled back.
pub(super) struct Writing {
    pub(super) change: Transaction<'static, Sqlite>,
    pub(super) documents: Documents,
    pub(super) chain: Tail,
}

impl Store {
    /// Begins a change whose rows are recorded in the chain.
    pub(super) async fn write(&self) -> Result<Writing, StoreError> {
        let mut change = self.begin().await?;
        let chain = Tail::read(&mut change).await.map_err(|error| self.error(error))?;
        Ok(Writing { change, documents: Documents::default(), chain })
    }

    /// Commits the change, including its links.
    pub(super) async fn finish(&self, mut writing: Writing) -> Result<(), StoreError> {
        let linked = writing.chain.write(&mut writing.change).await;
        linked.map_err(|error| self.error(error))?;
        self.commit(writing.change).await
    }
}

impl Writing {
    /// Appends a link if the hash of `state` differs from `before`.
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
