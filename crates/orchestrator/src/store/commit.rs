//! Many bouts in one commit: a commit waits for the disk, a bout need not.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::put::{Seal, Sealed};
use super::{Store, StoreError};
use crate::model::{BoutPlan, BoutResult};

/// The most bouts of one commit.
const MOST_BOUTS: usize = 512;

/// How many bouts may wait for the disk at once, so that one group gathers while
/// another is written.
pub const MOST_WAITING: usize = 2 * MOST_BOUTS;

/// The longest a bout waits for others to be committed with.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A bout, sealed by whoever hands it over: groups only link and write.
type Bout = Box<(BoutPlan, BoutResult, Seal)>;
type Answer = oneshot::Sender<Result<(), StoreError>>;

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
    bouts: mpsc::Sender<(Bout, Answer)>,
}

impl GroupCommitter {
    /// Starts committing to `store`; needs a runtime.
    #[must_use]
    pub fn start(store: &Store) -> Self {
        let (bouts, arrivals) = mpsc::channel(MOST_BOUTS);
        let task = tokio::spawn(commit_groups(store.clone(), arrivals));
        Self { committer: Committer { store: store.clone(), bouts }, task }
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
        let seal = Seal::of(&plan, &result)?;
        let bout = Box::new((plan, result, seal));
        let (answer, committed) = oneshot::channel();
        if let Err(refused) = self.bouts.send((bout, answer)).await {
            return put(&self.store, &[refused.0.0]).await;
        }
        committed.await.expect("a committer answers every bout it takes")
    }
}

async fn commit_groups(store: Store, mut arrivals: mpsc::Receiver<(Bout, Answer)>) {
    while let Some(first) = arrivals.recv().await {
        let (bouts, answers): (Vec<_>, Vec<_>) =
            gather(first, &mut arrivals).await.into_iter().unzip();
        let committed = put(&store, &bouts).await;
        for answer in answers {
            // Whoever stopped waiting has no use for the answer.
            drop(answer.send(committed.clone()));
        }
    }
}

async fn put(store: &Store, bouts: &[Bout]) -> Result<(), StoreError> {
    let sealed = bouts.iter().map(|bout| {
        let (plan, result, seal) = &**bout;
        Sealed { plan, result, seal }
    });
    store.put_sealed(&sealed.collect::<Vec<_>>()).await
}

async fn gather(
    first: (Bout, Answer),
    arrivals: &mut mpsc::Receiver<(Bout, Answer)>,
) -> Vec<(Bout, Answer)> {
    let mut group = vec![first];
    let deadline = Instant::now() + LONGEST_WAIT;
    while group.len() < MOST_BOUTS {
        match timeout_at(deadline, arrivals.recv()).await {
            Ok(Some(bout)) => group.push(bout),
            Ok(None) | Err(_) => break,
        }
    }
    group
}
