//! Many bouts in one commit: a commit waits for the disk, a bout need not.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout_at};

use super::seal::{Seal, Sealed, Sealer};
use super::{Store, StoreError};
use crate::model::{BoutPlan, BoutResult};

/// How many bouts make a commit that waits for no more.
const ENOUGH_BOUTS: usize = 4096;

/// How many bouts may wait for the disk at once, so that one group gathers while
/// another is written.
pub const MOST_WAITING: usize = 2 * ENOUGH_BOUTS;

/// How many times bouts can be handed over while a group is written, before whoever
/// hands them over waits.
const MOST_BATCHES: usize = 512;

/// The longest a bout waits for others to be committed with.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A bout, sealed by whoever hands it over: groups only link and write.
type Bout = (BoutPlan, BoutResult, Seal);

/// Bouts that were handed over together, and who wants to know when they are stored.
struct Batch {
    bouts: Vec<Bout>,
    answer: oneshot::Sender<Result<Vec<BoutResult>, StoreError>>,
}

/// Commits the bouts that are handed to its [`Committer`]s in groups.
#[derive(Debug)]
pub struct GroupCommitter {
    committer: Committer,
    task: JoinHandle<()>,
}

/// Hands bouts to a [`GroupCommitter`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Committer {
    store: Store,
    batches: mpsc::Sender<Batch>,
}

impl GroupCommitter {
    /// Starts committing to `store`; needs a runtime.
    #[must_use]
    pub fn start(store: &Store) -> Self {
        let (batches, arrivals) = mpsc::channel(MOST_BATCHES);
        let task = tokio::spawn(commit_groups(store.clone(), arrivals));
        Self { committer: Committer { store: store.clone(), batches }, task }
    }

    /// Returns a handle.
    #[must_use]
    pub fn committer(&self) -> Committer {
        self.committer.clone()
    }

    /// Commits what is left and stops, once every handle is gone.
    pub async fn finish(self) {
        drop(self.committer);
        if let Err(error) = self.task.await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

impl Committer {
    /// Stores a bout; it is on disk when this returns.
    ///
    /// # Errors
    ///
    /// As [`Store::put_bouts`], which may have failed for the whole group.
    pub async fn submit(&self, plan: BoutPlan, result: BoutResult) -> Result<(), StoreError> {
        self.submit_all(vec![(plan, result)]).await.map(drop)
    }

    /// Stores bouts and gives their results back; they are on disk when this
    /// returns.
    ///
    /// # Errors
    ///
    /// As [`Store::put_bouts`], which may have failed for the whole group. A result
    /// that does not fit its plan is left out; the others are on disk then.
    pub async fn submit_all(
        &self,
        bouts: Vec<(BoutPlan, BoutResult)>,
    ) -> Result<Vec<BoutResult>, StoreError> {
        let mut sealer = Sealer::default();
        let (mut sealed, mut refused) = (Vec::with_capacity(bouts.len()), None);
        for (plan, result) in bouts {
            match sealer.seal(&plan, &result) {
                Ok(seal) => sealed.push((plan, result, seal)),
                Err(error) => refused = Some(error),
            }
        }
        let stored = self.commit(sealed).await?;
        refused.map_or(Ok(stored), Err)
    }

    async fn commit(&self, bouts: Vec<Bout>) -> Result<Vec<BoutResult>, StoreError> {
        if bouts.is_empty() {
            return Ok(Vec::new());
        }
        let (answer, committed) = oneshot::channel();
        if let Err(refused) = self.batches.send(Batch { bouts, answer }).await {
            let group = [refused.0];
            put(&self.store, &group).await?;
            return Ok(group.into_iter().flat_map(|batch| results(batch.bouts)).collect());
        }
        committed.await.expect("a committer answers every batch it takes")
    }
}

fn results(bouts: Vec<Bout>) -> Vec<BoutResult> {
    bouts.into_iter().map(|(_, result, _)| result).collect()
}

async fn commit_groups(store: Store, mut arrivals: mpsc::Receiver<Batch>) {
    let mut answers = JoinSet::new();
    while let Some(first) = arrivals.recv().await {
        let group = gather(first, &mut arrivals).await;
        let committed = put(&store, &group).await;
        // The next group need not wait for that.
        answers.spawn(async move { answer(group, &committed) });
        while answers.try_join_next().is_some() {}
    }
    answers.join_all().await;
}

fn answer(group: Vec<Batch>, committed: &Result<(), StoreError>) {
    for Batch { bouts, answer } in group {
        // Whoever stopped waiting has no use for the answer.
        drop(answer.send(committed.clone().map(|()| results(bouts))));
    }
}

async fn put(store: &Store, group: &[Batch]) -> Result<(), StoreError> {
    let bouts = group.iter().flat_map(|batch| &batch.bouts);
    let sealed = bouts.map(|(plan, result, seal)| Sealed { plan, result, seal });
    store.put_sealed(&sealed.collect::<Vec<_>>()).await
}

async fn gather(first: Batch, arrivals: &mut mpsc::Receiver<Batch>) -> Vec<Batch> {
    let mut bouts = first.bouts.len();
    let mut group = vec![first];
    let deadline = Instant::now() + LONGEST_WAIT;
    while bouts < ENOUGH_BOUTS {
        match timeout_at(deadline, arrivals.recv()).await {
            Ok(Some(batch)) => {
                bouts += batch.bouts.len();
                group.push(batch);
            }
            Ok(None) | Err(_) => break,
        }
    }
    group
}
