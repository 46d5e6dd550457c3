//! A league played in one way or another.

use std::path::Path;

use joust_model::{BoutPlan, Shard};
use joust_store::{Access, GroupCommitter, Store};
use tokio::task::JoinSet;

use super::leagues::{EVENT, Lot, Made, result};

/// Manner in which a league is played.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// Only this part of it.
    pub(crate) shard: Option<Shard>,
    /// Bouts at once.
    pub(crate) jobs: usize,
    /// Seed of the order of the bouts; `None` for the order of the schedule.
    pub(crate) order: Option<u64>,
    /// After how many bouts it is interrupted, to be gone on with by another process.
    pub(crate) interrupted_after: Option<usize>,
    /// After how many bouts it ends for good.
    pub(crate) stops_after: Option<usize>,
    /// Seed of times and of the machine's name.
    pub(crate) machine: u64,
}

impl Manner {
    /// One bout after the other, as the schedule has them.
    pub(crate) fn plain() -> Self {
        Self {
            shard: None,
            jobs: 1,
            order: None,
            interrupted_after: None,
            stops_after: None,
            machine: 0,
        }
    }

    /// In a drawn order, with a drawn number of jobs, interrupted somewhere.
    pub(crate) fn drawn(lot: &mut Lot) -> Self {
        Self {
            jobs: 1 + usize::try_from(lot.below(6)).expect("small"),
            order: Some(lot.next()),
            interrupted_after: Some(usize::try_from(lot.below(6)).expect("small")),
            ..Self::plain()
        }
    }
}

/// Plays the bouts without a result, as a run does: it announces the league, makes the right bouts
/// count, and delivers each result when it exists.
pub(crate) async fn play(made: &Made, path: &Path, manner: Manner) {
    if let Some(most) = manner.interrupted_after {
        part(made, path, (manner, Some(most))).await;
    }
    part(made, path, (manner, manner.stops_after)).await;
}

async fn part(made: &Made, path: &Path, (manner, most): (Manner, Option<usize>)) {
    let store = Store::open(path, Access::CreateOrOpen).await.expect("a database");
    made.announce(&store).await;
    let finished = store.reconcile(EVENT, &made.plans()).await.expect("counted").done;
    let plans = made.plans().of_shard(manner.shard);
    let mut missing: Vec<BoutPlan> = plans.unfinished(&finished).collect();
    if let Some(seed) = manner.order {
        Lot::new(seed).shuffle(&mut missing);
    }
    missing.truncate(most.unwrap_or(usize::MAX));
    store_all(&store, missing, manner).await;
    store.reconcile(EVENT, &made.plans()).await.expect("counted");
    store.close().await;
}

/// As many results at once as there are jobs; which is committed first, and with
/// which others, is up to the machine.
async fn store_all(store: &Store, plans: Vec<BoutPlan>, manner: Manner) {
    let committer = GroupCommitter::start(store);
    let mut commits = JoinSet::new();
    for plan in plans {
        if commits.len() == manner.jobs {
            commits.join_next().await.expect("one is there").expect("no panic");
        }
        let handle = committer.committer();
        commits.spawn(async move {
            let result = result(&plan, manner.machine);
            handle.submit(plan, result).await.expect("stored");
        });
    }
    while let Some(done) = commits.join_next().await {
        done.expect("no panic");
    }
    committer.finish().await;
}
