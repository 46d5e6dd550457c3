//! Many bouts in one commit: a commit waits for the disk, a bout need not.

use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use super::bouts::refuse_misfit;
use super::{Store, StoreError};
use crate::model::{BoutPlan, BoutResult};

/// The most bouts of one commit.
const MOST_BOUTS: usize = 256;

/// The longest a bout waits for others to be committed with.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

type Bout = (BoutPlan, BoutResult);
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
        refuse_misfit(&plan, &result)?;
        let (answer, committed) = oneshot::channel();
        if let Err(refused) = self.bouts.send(((plan, result), answer)).await {
            return self.store.put_bouts(&[refused.0.0]).await;
        }
        committed.await.expect("a committer answers every bout it takes")
    }
}

async fn commit_groups(store: Store, mut arrivals: mpsc::Receiver<(Bout, Answer)>) {
    while let Some(first) = arrivals.recv().await {
        let (bouts, answers): (Vec<_>, Vec<_>) =
            gather(first, &mut arrivals).await.into_iter().unzip();
        let committed = store.put_bouts(&bouts).await;
        for answer in answers {
            // Whoever stopped waiting has no use for the answer.
            drop(answer.send(committed.clone()));
        }
    }
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
