//! Source of the pages: the database, opened when it is there and again when it is another.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use joust_store::{Access, Changes, Store, StoreError};

/// A file, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

/// The database that pages are made from.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    open: Option<Open>,
    is_closed: bool,
}

#[derive(Debug)]
struct Open {
    identity: Identity,
    store: Store,
    changes: Changes,
}

impl Source {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, open: None, is_closed: false }
    }

    /// Returns the database; `None` while there is none.
    pub(crate) fn store(&self) -> Option<&Store> {
        self.open.as_ref().map(|open| &open.store)
    }

    /// Returns whether it was closed for good.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Returns whether anything was committed since this was last asked.
    pub(crate) async fn has_news(&mut self) -> bool {
        match self.look().await {
            Ok(has_news) => has_news,
            Err(error) => {
                // Perhaps it is being made; the next look tells.
                tracing::debug!(%error, "the database cannot be read");
                self.leave().await;
                false
            }
        }
    }

    async fn look(&mut self) -> Result<bool, StoreError> {
        let Some(identity) = self.identity().filter(|_| !self.is_closed) else {
            self.leave().await;
            return Ok(false);
        };
        let is_another = |open: &Open| open.identity != identity || open.store.is_outdated();
        if self.open.as_ref().is_some_and(is_another) {
            self.leave().await;
        }
        if self.open.is_none() {
            let store = Store::open(&self.path, Access::ReadOnly).await?;
            let changes = store.changes().await?;
            self.open = Some(Open { identity, store, changes });
        }
        match &mut self.open {
            Some(open) => open.changes.has_news().await,
            None => Ok(false),
        }
    }

    fn identity(&self) -> Option<Identity> {
        let found = std::fs::metadata(&self.path).ok()?;
        Some(Identity { device: found.dev(), inode: found.ino() })
    }

    async fn leave(&mut self) {
        if let Some(Open { store, changes, .. }) = self.open.take() {
            drop(changes);
            store.close().await;
        }
    }

    /// Closes the database for good.
    pub(crate) async fn close(&mut self) {
        self.is_closed = true;
        self.leave().await;
    }
}
