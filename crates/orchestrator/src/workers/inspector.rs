//! Inspector of results that workers send: nothing is stored that does not follow from its plan
//! and from what it says that the bots did.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use joust_bots::FolderStore;
use joust_cluster::signature::Signature;
use joust_cluster::trust::Finding;
use joust_cluster::{Inspect, News};
use joust_model::clock::Clock;
use joust_model::notices::{Listener, Notice};
use joust_model::panics::caught;
use joust_model::{
    BoutPlan, BoutResult, BuildHash, StoredBout, Tier, counted, escaped, is_referee_error,
};
use joust_referee::Catalogue;
use joust_store::{Store, StoreError, refuse_misfit};

use super::VERSION;
use crate::dispute::{Difference, Verifier};

/// How many seconds a worker's clock may differ from this machine's before that is told.
const ODD_CLOCK: u64 = 60;
/// How many differences are told of a result that is refused.
const TOLD: usize = 3;

/// Judges what workers send.
pub(crate) struct Inspector {
    verifier: Mutex<Verifier>,
    games: Catalogue,
    tier: Tier,
    builds: FolderStore,
    evidence: Evidence,
    listener: Arc<dyn Listener>,
    /// Why workers were refused, to tell each once.
    told: Mutex<HashSet<News>>,
}

/// Where it is kept that a bout was played twice and differently.
#[derive(Clone)]
pub(crate) struct Evidence {
    /// The tournament's database.
    pub(crate) store: Store,
    /// The time of day.
    pub(crate) clock: Arc<dyn Clock>,
}

/// By what results are judged.
pub(crate) struct Standards {
    /// The games there are.
    pub(crate) games: Catalogue,
    /// The sandbox's tier that all is played with.
    pub(crate) tier: Tier,
}

impl Inspector {
    pub(crate) fn new(
        standards: Standards,
        builds: FolderStore,
        evidence: Evidence,
        listener: Arc<dyn Listener>,
    ) -> Self {
        Self {
            verifier: Mutex::new(Verifier::new(standards.games.clone())),
            games: standards.games,
            tier: standards.tier,
            builds,
            evidence,
            listener,
            told: Mutex::default(),
        }
    }

    /// Says whether the game of a plan is judged alike each time.
    fn repeatable(&self, plan: &BoutPlan) -> bool {
        let game = self.games.find(&plan.game);
        let external = game.and_then(|game| game.spec().external.as_ref());
        external.is_none_or(|external| external.is_repeatable)
    }

    /// Says what is wrong where a referee is said to have failed: only one of somebody's own
    /// can, and it does so here, too.
    fn unfounded(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let bout = StoredBout { plan: plan.clone(), result: result.clone() };
        let mut verifier = self.verifier.lock().unwrap_or_else(PoisonError::into_inner);
        let can_fail = plan.referee.is_some();
        let fails = can_fail && caught(|| verifier.fails_over(&bout)).unwrap_or(true);
        (!fails).then(|| "it says that the game's referee failed, which it does not do here".into())
    }

    fn judge(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let bout = StoredBout { plan: plan.clone(), result: result.clone() };
        let mut verifier = self.verifier.lock().unwrap_or_else(PoisonError::into_inner);
        match caught(|| verifier.verify(&bout)) {
            Ok(Ok(differences)) => told(&differences),
            Ok(Err(error)) => Some(format!("it cannot be judged again: {error}")),
            Err(panic) => Some(format!("the referee fails over it: {panic}")),
        }
    }
}

impl Inspect for Inspector {
    fn is_watched(&self) -> bool {
        self.listener.wants_positions()
    }

    fn wrong(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        if let Err(misfit) = refuse_misfit(plan, result) {
            return Some(misfit.to_string());
        }
        if result.joust_version != VERSION {
            let theirs = escaped(&result.joust_version);
            return Some(format!("it was played by Joust {theirs}, not {VERSION}"));
        }
        if result.tier != self.tier {
            let (here, theirs) = (self.tier, result.tier);
            return Some(format!("it was played in tier {theirs}, not {here}"));
        }
        if is_referee_error(&result.ended) {
            return self.unfounded(plan, result);
        }
        // What is judged another way each time shows nothing.
        if self.repeatable(plan) { self.judge(plan, result) } else { None }
    }

    fn beside(&self, worker: &str, result: &BoutResult) {
        let (evidence, worker, result) = (self.evidence.clone(), worker.to_owned(), result.clone());
        tokio::spawn(async move {
            if let Err(error) = evidence.compare(&worker, &result).await {
                tracing::warn!(%error, "a second result is not compared");
            }
        });
    }

    fn signed(&self, guest: &str, signature: &Signature) {
        let evidence = self.evidence.clone();
        let (bout, guest) = (signature.bout, escaped(guest));
        let text = format!("signed by guest `{guest}`: {}", signature.text());
        tokio::spawn(async move {
            let kept = evidence.store.put_signature(bout, &text, evidence.clock.now()).await;
            if let Err(error) = kept {
                tracing::warn!(%error, "a signature is not kept");
            }
        });
    }

    fn caught(&self, guest: &str, refused: &BoutResult, finding: Finding) {
        let (evidence, guest, refused) = (self.evidence.clone(), guest.to_owned(), refused.clone());
        tokio::spawn(async move {
            if let Err(error) = evidence.keep_refused(&guest, &refused, finding).await {
                tracing::warn!(%error, "a refused result is not kept");
            }
        });
    }

    fn packed(&self, build: &BuildHash) -> io::Result<Vec<u8>> {
        let gone = || io::Error::new(io::ErrorKind::NotFound, "it is not here any more");
        self.builds.pack(build)?.ok_or_else(gone)
    }

    fn news(&self, news: News) {
        if let News::Came { worker, clock, .. } = &news {
            self.compare_clocks(worker, *clock);
        }
        let is_repeated = matches!(news, News::Refused { .. });
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if is_repeated && !told.insert(news.clone()) {
            return;
        }
        let text = escaped(&news.to_string());
        self.listener.notice(&match news {
            News::Came { .. } | News::Back => Notice::Workers(text),
            _ => Notice::Warning(text),
        });
    }
}

impl Inspector {
    /// Tells of a worker whose time of day is another.
    fn compare_clocks(&self, worker: &str, clock: i64) {
        let ahead = clock.saturating_sub(self.evidence.clock.now()) / 1000;
        if ahead.unsigned_abs() < ODD_CLOCK {
            return;
        }
        let (worker, way) = (escaped(worker), if ahead > 0 { "ahead" } else { "behind" });
        let seconds = ahead.unsigned_abs();
        self.listener.notice(&Notice::Warning(format!(
            "the clock of worker `{worker}` is {seconds} s {way}: it plays, and its results say \
             when they were played by its own clock; set it right there (`timedatectl`)"
        )));
    }
}

impl Evidence {
    /// Keeps in the history what a guest sent that does not count.
    async fn keep_refused(
        &self,
        guest: &str,
        refused: &BoutResult,
        finding: Finding,
    ) -> Result<(), StoreError> {
        let what = match finding {
            Finding::Unfounded => "a fault that machines of one's own do not see",
            Finding::Luck => "another course, as bots do that draw their own luck",
            Finding::Forged | Finding::Agreed => "another course, though all others play it alike",
        };
        let outcome = format!(
            "guest `{}` on {} sent {what}: it ended `{}` after {}; a worker of one's own played it \
             again, and that result stands",
            escaped(guest),
            escaped(&refused.machine),
            escaped(&refused.ended),
            counted(refused.rounds, "round"),
        );
        self.store.put_rerun(refused.bout, &outcome, self.clock.now()).await
    }

    /// Keeps in the history that `worker` sent another result than the one that is stored.
    async fn compare(&self, worker: &str, second: &BoutResult) -> Result<(), StoreError> {
        let Some(stored) = self.store.bout(&second.bout.to_string()).await? else { return Ok(()) };
        let Some(what) = difference(&stored.result, second) else { return Ok(()) };
        let (worker, machine) = (escaped(worker), escaped(&second.machine));
        let outcome = format!(
            "worker `{worker}` on {machine} played it, too, and {what} differs: it ended `{}` after {}; \
             the first result stands",
            escaped(&second.ended),
            counted(second.rounds, "round"),
        );
        self.store.put_rerun(second.bout, &outcome, self.clock.now()).await
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

fn told(differences: &[Difference]) -> Option<String> {
    let first: Vec<_> = differences.iter().take(TOLD).map(ToString::to_string).collect();
    let more = differences.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    (!first.is_empty()).then(|| format!("{}{more}", first.join("; ")))
}
