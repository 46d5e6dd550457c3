//! Simulated machine of a worker. Its bouts take a while, and their results follow from their
//! plans, unless the machine was suspended meanwhile.

use std::collections::BTreeSet;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use joust_cluster::{PreparedStage, Refusal, Stage, WorkerHost, WorkerNotice};
use joust_model::{BoutPlan, BoutResult, BuildHash, PlanKey, SeatResult, Tier};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, MachineOffer, Needs, Toolchain,
};
use joust_testkit::fixtures;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until};

use crate::world::World;

/// Mark of a result that must never be recorded, because clocks continued while its machine was
/// suspended.
pub(crate) const TAINTED: &str = "tainted";

/// Time for which a machine stays prepared.
pub(crate) const READY: Duration = Duration::from_secs(60);

/// Time for which a machine may be suspended before its worker has to notice: three seconds, and
/// the half second between two checks.
pub(crate) const HARMLESS: Duration = Duration::from_millis(3500);

pub(crate) fn offer(cores: usize, languages: &[&str]) -> MachineOffer {
    MachineOffer { cores, tier: joust_sandbox::Tier::B, toolchains: tools(languages) }
}

/// Returns the needs of a bout: the tools of one language, of the other, or of both.
pub(crate) fn needs(plan: &BoutPlan) -> Needs {
    let languages: &[&str] = match plan.match_number % 3 {
        0 => &["c"],
        1 => &["python"],
        _ => &["c", "python"],
    };
    Needs { toolchains: tools(languages), ..Needs::default() }
}

fn tools(languages: &[&str]) -> BTreeSet<Toolchain> {
    let version = || "1".to_owned();
    let tools =
        |language: &&str| Toolchain { language: (*language).to_owned(), version: version() };
    languages.iter().map(tools).collect()
}

/// The result of a bout, as every machine plays it.
pub(crate) fn result(plan: &BoutPlan, machine: &str, took: Duration) -> BoutResult {
    let wins = plan.seed.0 % 2;
    let seat = |(seat, planned): (u64, &joust_model::SeatPlan)| SeatResult {
        score: i64::try_from(plan.seed.0 % 100).expect("it is small").into(),
        cpu: took,
        wall: took,
        ..fixtures::seat(planned, if seat == wins { 1 } else { 2 }, 0)
    };
    let seats = (0..).zip(&plan.seats).map(seat).collect();
    BoutResult {
        state_hash: plan.bout.to_string(),
        tier: Tier::B,
        machine: machine.to_owned(),
        took,
        ..fixtures::result(plan, plan.key(), seats)
    }
}

pub(crate) struct Simulated {
    pub(crate) world: Arc<World>,
    pub(crate) worker: String,
    pub(crate) offer: MachineOffer,
}

impl WorkerHost for Simulated {
    fn check_stage(&self, _: &Stage) -> Result<(), Refusal> {
        Ok(())
    }

    fn missing_builds(&self, _: &Stage) -> io::Result<Vec<BuildHash>> {
        Ok(Vec::new())
    }

    fn store_build(&self, _: &BuildHash, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    async fn prepare_stage(&self, _: &Stage) -> Result<PreparedStage, Refusal> {
        let (world, worker) = (Arc::clone(&self.world), self.worker.clone());
        let executor = Box::new(Player { world, worker, offer: self.offer.clone() });
        self.world.state().equipped += 1;
        let offer = self.offer.clone();
        let spectator_feed = Arc::default();
        Ok(PreparedStage { executor, offer, valid_for: Some(READY), spectator_feed })
    }

    async fn self_test(&self) -> Result<(), String> {
        Ok(())
    }

    fn clock(&self) -> i64 {
        0
    }

    fn notify(&self, _: WorkerNotice) {}
}

#[derive(Clone)]
struct Player {
    world: Arc<World>,
    worker: String,
    offer: MachineOffer,
}

impl Player {
    /// Plays a bout; processes that were suspended end when they are resumed.
    async fn play(self, it: Assignment) -> Delivery {
        assert_eq!(it.needs.unmet_by(&self.offer), None, "`{}` cannot play it", self.worker);
        let took = Duration::from_millis(200 + it.plan.seed.0 % 1800);
        let began = Instant::now();
        sleep(took).await;
        while let Some(until) = self.world.still(&self.worker) {
            sleep_until(until).await;
        }
        let mut result = result(&it.plan, &self.worker, took);
        let stood_still = self.world.state().still.get(&self.worker).is_some_and(|until| {
            *until > began + HARMLESS && began + took + HARMLESS < Instant::now()
        });
        if self.world.state().liar.as_ref() == Some(&self.worker) {
            result.key = PlanKey([0; 32]);
        }
        if stood_still {
            result.state_hash = TAINTED.to_owned();
        }
        Delivery::new(it.plan.bout, Ok(result))
    }
}

impl Executor for Player {
    fn execute(
        &self,
        mut assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let player = self.clone();
        Box::pin(async move {
            let mut playing = JoinSet::new();
            let mut is_fed = true;
            while is_fed || !playing.is_empty() {
                tokio::select! {
                    biased;
                    Some(Ok(delivery)) = playing.join_next() => {
                        let _ = events.send(Delivery::into(delivery)).await;
                    }
                    given = assignments.recv(), if is_fed && playing.len() < player.offer.cores => {
                        match given {
                            Some(it) => _ = playing.spawn(player.clone().play(it)),
                            None => is_fed = false,
                        }
                    }
                }
            }
            Ok(())
        })
    }

    fn parallel(&self) -> usize {
        self.offer.cores
    }
}

/// A process that does not run while it is suspended.
pub(crate) struct Process<F> {
    pub(crate) world: Arc<World>,
    pub(crate) worker: String,
    pub(crate) inner: Pin<Box<F>>,
    pub(crate) thaw: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<F: Future> Future for Process<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let this = &mut *self;
        while let Some(until) = this.world.still(&this.worker) {
            let thaw = this.thaw.insert(Box::pin(sleep_until(until)));
            if thaw.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
        this.inner.as_mut().poll(context)
    }
}
