//! Group commits: a commit waits for the disk, so many bouts share one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout_at};

use super::result_hash::{HashedResult, ResultHash};
use super::{Store, StoreError};
use joust_model::panics;
use joust_model::{BoutPlan, BoutResult};

/// Number of bouts at which a group is committed without waiting for more.
const ENOUGH_BOUTS: usize = 1024;

/// Number of bouts that may be in flight at once. It is several groups, so that the next group
/// fills while others are being written.
pub const MOST_WAITING: usize = 4 * ENOUGH_BOUTS;

/// Number of calls to `submit` that are queued while a group is written; further callers wait.
const MOST_BATCHES: usize = 512;

/// The longest time that a bout waits for others to share its commit.
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// A bout that its submitter has hashed already, so that a group only links and writes it.
struct HashedBout {
    plan: BoutPlan,
    result: BoutResult,
    hash: ResultHash,
}

/// Bouts that are stored together, as they were handed over.
type Group = Arc<Vec<Vec<HashedBout>>>;

/// Bouts that were submitted together, and the channel that reports when they are stored.
struct Batch {
    bouts: Vec<HashedBout>,
    answer: oneshot::Sender<Result<Vec<BoutResult>, StoreError>>,
}

/// Commits the bouts that its [`Committer`]s submit, in groups.
#[derive(Debug)]
pub struct GroupCommitter {
    committer: Committer,
    task: JoinHandle<()>,
    /// Tasks that move stored bouts from the `-wal` file into the database file.
    moving: JoinSet<()>,
}

/// Submits bouts to a [`GroupCommitter`]. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Committer {
    store: Store,
    batches: mpsc::Sender<Batch>,
}

impl GroupCommitter {
    /// Starts committing to `store`; requires a Tokio runtime.
    pub fn start(store: &Store) -> Self {
        let (batches, arrivals) = mpsc::channel(MOST_BATCHES);
        let unmoved = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(commit_groups(store.clone(), arrivals, Arc::clone(&unmoved)));
        let mut moving = JoinSet::new();
        moving.spawn(checkpoint_now_and_then(store.clone(), unmoved));
        Self { committer: Committer { store: store.clone(), batches }, task, moving }
    }

    /// Returns a handle.
    pub fn committer(&self) -> Committer {
        self.committer.clone()
    }

    /// Commits the remaining bouts and stops, once every handle is dropped.
    pub async fn finish(mut self) {
        drop(self.committer);
        self.moving.shutdown().await;
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

    /// Stores bouts and returns their results; they are on disk when this returns.
    ///
    /// # Errors
    ///
    /// As [`Store::put_bouts`], which may have failed for the whole group. A result that does not
    /// fit its plan is left out; the other results are on disk even then.
    pub async fn submit_all(
        &self,
        bouts: Vec<(BoutPlan, BoutResult)>,
    ) -> Result<Vec<BoutResult>, StoreError> {
        let (mut hashed, mut refused) = (Vec::with_capacity(bouts.len()), None);
        for (plan, result) in bouts {
            match ResultHash::of(&plan, &result) {
                Ok(hash) => hashed.push(HashedBout { plan, result, hash }),
                Err(error) => refused = Some(error),
            }
        }
        let stored = self.commit(hashed).await?;
        refused.map_or(Ok(stored), Err)
    }

    async fn commit(&self, bouts: Vec<HashedBout>) -> Result<Vec<BoutResult>, StoreError> {
        if bouts.is_empty() {
            return Ok(Vec::new());
        }
        let (answer, committed) = oneshot::channel();
        if let Err(refused) = self.batches.send(Batch { bouts, answer }).await {
            let Batch { bouts, .. } = refused.0;
            self.store.put_hashed(&hashed(&[&bouts])).await?;
            return Ok(results(bouts));
        }
        committed.await.unwrap_or_else(|_| Err(ended(self.store.path())))
    }
}

fn ended(path: &Path) -> StoreError {
    let text = "the committer ended in the middle".to_owned();
    StoreError::Panicked { path: path.to_owned(), text }
}

fn results(bouts: Vec<HashedBout>) -> Vec<BoutResult> {
    bouts.into_iter().map(|bout| bout.result).collect()
}

/// The longest time for which bouts are only in the `-wal` file.
const CHECKPOINT_AFTER: Duration = Duration::from_secs(3);

/// With more bouts than this, SQLite's own checkpoints are frequent enough.
const MANY_BOUTS: u64 = 5_000;

/// Number of consecutive times that a checkpoint is left to SQLite.
const MOST_SKIPPED: u32 = 4;

async fn checkpoint_now_and_then(store: Store, unmoved: Arc<AtomicU64>) {
    let mut skipped = 0;
    loop {
        tokio::time::sleep(CHECKPOINT_AFTER).await;
        let bouts = unmoved.swap(0, Ordering::Relaxed);
        if bouts > MANY_BOUTS && skipped < MOST_SKIPPED {
            skipped += 1;
        } else if bouts > 0 || skipped > 0 {
            skipped = 0;
            store.checkpoint_some().await;
        }
    }
}

async fn commit_groups(store: Store, arrivals: mpsc::Receiver<Batch>, unmoved: Arc<AtomicU64>) {
    let path: Arc<Path> = store.path().into();
    let is_begun = Arc::new(AtomicBool::new(false));
    let put = move |group: Group| {
        let (store, unmoved) = (store.clone(), Arc::clone(&unmoved));
        let is_begun = Arc::clone(&is_begun);
        async move {
            if !is_begun.swap(true, Ordering::Relaxed) {
                store.mark_unfinished().await;
            }
            let bouts = hashed(&group.iter().map(Vec::as_slice).collect::<Vec<_>>());
            store.put_hashed(&bouts).await?;
            unmoved.fetch_add(bouts.len() as u64, Ordering::Relaxed);
            Ok(())
        }
    };
    commit_groups_with(put, &path, arrivals).await;
}

/// Commits groups with `put`. When it panics, the bouts of that group are not stored, and the next
/// group is committed as usual.
async fn commit_groups_with<P, F>(put: P, path: &Path, mut arrivals: mpsc::Receiver<Batch>)
where
    P: Fn(Group) -> F,
    F: Future<Output = Result<(), StoreError>> + Send + 'static,
{
    while let Some(first) = arrivals.recv().await {
        let group = next_group(first, &mut arrivals).await;
        let parts = group.into_iter().map(|batch| (batch.bouts, batch.answer));
        let (bouts, waiting): (Vec<_>, Vec<_>) = parts.unzip();
        let bouts = Arc::new(bouts);
        let committed = tokio::spawn(put(Arc::clone(&bouts))).await;
        let committed = committed.unwrap_or_else(|error| {
            Err(StoreError::Panicked { path: path.to_owned(), text: panics::task_error(error) })
        });
        answer(bouts, waiting, &committed);
    }
}

fn hashed<'a>(parts: &[&'a [HashedBout]]) -> Vec<HashedResult<'a>> {
    let hashed =
        |HashedBout { plan, result, hash }: &'a HashedBout| HashedResult { plan, result, hash };
    parts.iter().copied().flatten().map(hashed).collect()
}

fn answer(
    bouts: Group,
    waiting: Vec<oneshot::Sender<Result<Vec<BoutResult>, StoreError>>>,
    committed: &Result<(), StoreError>,
) {
    let bouts = Arc::into_inner(bouts).unwrap_or_default();
    for (bouts, answer) in bouts.into_iter().zip(waiting) {
        // A submitter that stopped waiting has dropped the receiver.
        drop(answer.send(committed.clone().map(|()| results(bouts))));
    }
}

async fn next_group(first: Batch, arrivals: &mut mpsc::Receiver<Batch>) -> Vec<Batch> {
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_panic_while_a_group_is_written_is_reported_and_the_next_group_is_written() {
        let (batches, arrivals) = mpsc::channel(1);
        let groups = Arc::new(AtomicU32::new(0));
        let put = {
            let groups = Arc::clone(&groups);
            move |_: Group| {
                let group = groups.fetch_add(1, Ordering::SeqCst);
                async move { if group == 0 { panic!("no pen") } else { Ok(()) } }
            }
        };
        let path = Path::new("results.db").to_owned();
        let task = tokio::spawn(async move { commit_groups_with(put, &path, arrivals).await });
        let mut answers = Vec::new();
        for _ in 0..2 {
            let (answer, committed) = oneshot::channel();
            let sent = batches.send(Batch { bouts: Vec::new(), answer }).await;
            assert!(sent.is_ok(), "the committer continues");
            answers.push(committed.await.expect("an answer").map(|results| results.len()));
        }
        drop(batches);
        task.await.expect("it ends");
        let first = answers[0].as_ref().expect_err("it panicked").to_string();
        assert_eq!(first, "database `results.db` could not be written: Joust panicked: no pen");
        assert!(matches!(answers[1], Ok(0)));
    }
}
