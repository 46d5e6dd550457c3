//! Groups of bouts on their way to the database, and to partitions when there are many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sqlx::SqlitePool;
use tokio::sync::Mutex;

use super::super::added_up::AddedUp;
use super::super::seal::Sealed;
use super::super::{Store, StoreError};
use super::direct::{Direct, Put};
use super::{Group, OnDisk, SealedBout, ended};

/// Stores the groups of a [`GroupCommitter`].
pub(super) struct Groups {
    store: Store,
    unsettled: Arc<AtomicU64>,
    is_begun: AtomicBool,
    /// With how many bouts in the head these become a partition.
    closes_at: AtomicU64,
    /// What the bouts of the head say; `None` while others are in it, and after a failure.
    added_up: Mutex<Option<AddedUp>>,
}

impl Groups {
    pub(super) fn new(store: Store, unsettled: Arc<AtomicU64>) -> Self {
        let closes_at = AtomicU64::new(store.most_in_head());
        let (is_begun, added_up) = (AtomicBool::new(false), Mutex::new(None));
        Self { store, unsettled, is_begun, closes_at, added_up }
    }

    /// Stores a group; it is on the disk when what is returned has been waited for.
    pub(super) async fn put(&self, group: Group) -> Result<OnDisk, StoreError> {
        if !self.is_begun.swap(true, Ordering::Relaxed) {
            self.store.begin_storing().await;
            if self.store.bouts_in_head().await.is_ok_and(|bouts| bouts == 0) {
                *self.added_up.lock().await = self.begin_to_add_up().await;
            }
        }
        // It is lost with what could not be stored.
        let added_up = self.added_up.lock().await.take();
        let adding = added_up.map(|added_up| {
            let group = Arc::clone(&group);
            // It takes some milliseconds; its memory stays with the few threads of the runtime.
            tokio::spawn(async move { add_to(added_up, &group) })
        });
        let stored = self.put_group(&group).await;
        // The group is given back whole, also when it could not be stored.
        let added_up = match adding {
            Some(adding) => adding.await.ok().and_then(AddedUp::if_small),
            None => None,
        };
        let on_disk = stored?;
        *self.added_up.lock().await = added_up;
        let bouts: usize = group.iter().map(Vec::len).sum();
        self.unsettled.fetch_add(bouts as u64, Ordering::Relaxed);
        self.close_when_full().await;
        Ok(on_disk)
    }

    async fn put_group(&self, group: &Group) -> Result<OnDisk, StoreError> {
        // What is closed is not written, whatever is still open of it here.
        if self.store.writer().is_none_or(SqlitePool::is_closed) {
            return Err(self.store.error(sqlx::Error::PoolClosed));
        }
        let mut direct = self.store.direct().await;
        let opened = match direct.take() {
            Some(opened) => opened,
            None => Direct::open(&self.store).await?,
        };
        let put = opened.put(group).await.unwrap_or_else(|| Err(ended(self.store.path())))?;
        *direct = Some(opened);
        drop(direct);
        match put {
            Put::Written(journal) => {
                let path = self.store.path().to_owned();
                Ok(Box::pin(async move { journal.sync(&path).await }))
            }
            Put::Refused => {
                let parts: Vec<_> = group.iter().map(Vec::as_slice).collect();
                put_any(&self.store, &parts).await?;
                Ok(Box::pin(async { Ok(()) }))
            }
        }
    }

    /// Moves bouts to a partition when there are enough of them. Where that fails, which loses
    /// nothing, it is tried again when there are more.
    async fn close_when_full(&self) {
        let most = self.store.most_in_head();
        let bouts = self.store.bouts_in_head().await.unwrap_or(0);
        if bouts < self.closes_at.load(Ordering::Relaxed) {
            return;
        }
        let next = match self.store.close_partition_without_totals().await {
            Ok(true) => {
                self.put_totals_beside().await;
                most
            }
            Ok(false) => bouts + most.div_ceil(10),
            Err(error) => {
                let reason = error.to_string();
                tracing::warn!(reason, "the bouts stay in one file");
                bouts + most.div_ceil(10)
            }
        };
        self.closes_at.store(next, Ordering::Relaxed);
    }

    /// Writes what the bouts of a new partition say, while others are stored. Whoever closes the
    /// database waits for it.
    async fn put_totals_beside(&self) {
        let mut added_up = self.added_up.lock().await;
        let of_closed = added_up.take();
        *added_up = self.begin_to_add_up().await;
        let store = self.store.clone();
        // Whoever closes the database next waits for this one, unless that waits itself.
        let alone = store.begin_adding_up_at_once();
        tokio::spawn(async move {
            let alone = match alone {
                Some(alone) => alone,
                None => store.begin_adding_up().await,
            };
            let put = match of_closed {
                Some(of_closed) => store.put_totals(of_closed).await,
                None => Ok(()),
            };
            drop(alone);
            if let Err(error) = put {
                tracing::debug!(%error, "what was added up is not written");
            }
            store.renew_totals_if_possible().await;
        });
    }

    async fn begin_to_add_up(&self) -> Option<AddedUp> {
        Some(AddedUp::new(&self.store.events().await.ok()?))
    }
}

pub(super) fn sealed<'a>(parts: impl Iterator<Item = &'a [SealedBout]>) -> Vec<Sealed<'a>> {
    let sealed = |SealedBout { plan, result, seal }: &'a SealedBout| Sealed { plan, result, seal };
    parts.flatten().map(sealed).collect()
}

fn add_to(mut added_up: AddedUp, group: &[Vec<SealedBout>]) -> AddedUp {
    for SealedBout { plan, result, .. } in group.iter().flatten() {
        added_up.add(plan, result);
    }
    added_up
}

pub(super) async fn put_any(store: &Store, group: &[&[SealedBout]]) -> Result<(), StoreError> {
    store.put_sealed(&sealed(group.iter().copied())).await
}
