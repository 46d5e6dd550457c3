//! Evidence that a bout was played twice and differently, in its history.

use std::collections::HashSet;
use std::sync::Arc;

use joust_cluster::trust::Finding;
use joust_model::clock::Clock;
use joust_model::{BoutId, BoutResult, counted, escaped};
use joust_store::{Store, StoreError};
use tokio::sync::mpsc::Receiver;

use super::shortened;

/// How many second results wait to be compared with the stored ones; more are not.
pub(super) const MOST_BESIDE: usize = 64;
/// How many second results that differ are kept as evidence in a run.
const MOST_EVIDENCE: usize = 10_000;

/// Where it is kept that a bout was played twice and differently.
#[derive(Clone)]
pub(crate) struct Evidence {
    /// The tournament's database.
    pub(crate) store: Store,
    /// The time of day.
    pub(crate) clock: Arc<dyn Clock>,
}

/// A second result of a bout.
pub(super) struct Beside {
    pub(super) worker: String,
    pub(super) result: BoutResult,
}

/// What came of a comparison of a second result with the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Compared {
    /// There is nothing to say.
    Alike,
    /// They differ, which the history tells.
    Kept,
}

impl Evidence {
    /// Compares second results with the stored ones until no more can come.
    pub(super) async fn compare_all(self, mut second: Receiver<Beside>) {
        let mut kept = HashSet::<(String, BoutId)>::new();
        while let Some(Beside { worker, result }) = second.recv().await {
            let key = (worker, result.bout);
            if kept.len() >= MOST_EVIDENCE || kept.contains(&key) {
                continue;
            }
            match self.compare(&key.0, &result).await {
                Ok(Compared::Alike) => {}
                Ok(Compared::Kept) => _ = kept.insert(key),
                Err(error) => tracing::warn!(%error, "a second result is not compared"),
            }
        }
    }

    /// Keeps in the history what a guest sent that does not count.
    pub(super) async fn keep_refused(
        &self,
        guest: &str,
        refused: &BoutResult,
        finding: Finding,
    ) -> Result<(), StoreError> {
        let what = match finding {
            Finding::Unfounded => "faults that machines of one's own do not see",
            Finding::Spared => "fewer slow turns than machines of one's own see",
            Finding::Luck => "another course, as bots do that draw their own luck",
            Finding::Forged | Finding::Agreed => "another course, though all others play it alike",
        };
        let outcome = format!(
            "guest `{}` on {} sent {what}: it ended `{}` after {}; a worker of one's own played it \
             again, and that result stands",
            escaped(guest),
            escaped(&refused.machine),
            escaped(&shortened(&refused.ended)),
            counted(refused.rounds, "round"),
        );
        self.store.put_rerun(refused.bout, &outcome, self.clock.now()).await
    }

    /// Keeps in the history that `worker` sent another result than the one that is stored.
    async fn compare(&self, worker: &str, second: &BoutResult) -> Result<Compared, StoreError> {
        let alike = Ok(Compared::Alike);
        let Some(stored) = self.store.bout(&second.bout.to_string()).await? else { return alike };
        let Some(what) = difference(&stored.result, second) else { return alike };
        let (worker, machine) = (escaped(worker), escaped(&second.machine));
        let outcome = format!(
            "worker `{worker}` on {machine} played it, too, and {what} differs: it ended `{}` after {}; \
             the first result stands",
            escaped(&shortened(&second.ended)),
            counted(second.rounds, "round"),
        );
        self.store.put_rerun(second.bout, &outcome, self.clock.now()).await?;
        Ok(Compared::Kept)
    }
}

/// Returns the first thing in which two results of one plan differ that bots or referee
/// decide; `None` for results of two plans.
fn difference(first: &BoutResult, second: &BoutResult) -> Option<&'static str> {
    let ranks = |result: &BoutResult| -> Vec<_> {
        result.seats.iter().map(|seat| (seat.rank, seat.score)).collect()
    };
    match () {
        () if first.key != second.key => None,
        () if first.ended != second.ended || ranks(first) != ranks(second) => Some("its outcome"),
        () if first.state_hash != second.state_hash => Some("its last position"),
        () if first.action_log != second.action_log => Some("what the bots did"),
        () => None,
    }
}
