//! Bouts, machines and stages of the tests, and a server with a coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use joust_cluster::transport::CoordinatorTransport;
use joust_cluster::transport::nats::{Address, NatsCoordinator, NatsWorker};
use joust_cluster::{
    Announcement, Coordinator, CoordinatorConfig, CoordinatorNotice, ExitConditions, PreparedStage,
    Refusal, RequiredBuild, ResultValidator, SpectatorFeed, Stage, Work, Worker, WorkerHost,
    WorkerNotice,
};
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice};
use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, GameOptions, Limits, Occupant, Round, SeatPlan, Tier,
};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, MachineOffer, Needs,
};
use joust_referee::{Scene, Seed};
use joust_testkit::fixtures;
use joust_testkit::nats::{NatsServer, Streams};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, watch};
use tokio::time::sleep;

pub(crate) fn plan(number: u64) -> BoutPlan {
    let occupant = Occupant::Build(BuildHash([1; 32]));
    BoutPlan {
        bout: BoutId(number.to_be_bytes()),
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        referee: None,
        rules: "rules".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(number),
        match_number: number / 2,
        number: u32::try_from(number % 2).expect("it is small"),
        seats: vec![SeatPlan { bot: "a".to_owned(), occupant }],
        limits: Limits::default().into(),
        clock: None,
    }
}

pub(crate) fn result(plan: &BoutPlan) -> BoutResult {
    BoutResult {
        tier: Tier::B,
        took: Duration::from_millis(100),
        action_log: vec![0xff; 1000],
        ..fixtures::result(plan, plan.key(), Vec::new())
    }
}

pub(crate) fn offer() -> MachineOffer {
    MachineOffer { cores: 1, tier: joust_sandbox::Tier::B, toolchains: BTreeSet::new() }
}

/// Plays bouts; a bout with spectators lasts until its position was seen.
#[derive(Clone, Default)]
pub(crate) struct Bouts {
    pub(crate) is_shown: bool,
    pub(crate) spectator_feed: Arc<SpectatorFeed>,
    pub(crate) seen: Arc<Notify>,
}

impl Bouts {
    async fn show(&self, bout: BoutId) {
        while !self.spectator_feed.wants_position(bout) {
            sleep(Duration::from_millis(10)).await;
        }
        let scene = Arc::new(Scene { width: 7, ..Scene::default() });
        self.spectator_feed.notice(&Notice::Position { bout, round: Round(3), scene });
        self.seen.notified().await;
    }
}

impl Executor for Bouts {
    fn execute(&self, mut given: Receiver<Assignment>, events: Sender<ExecutorEvent>) -> Executing {
        let bouts = self.clone();
        Box::pin(async move {
            while let Some(it) = given.recv().await {
                let _ = events.send(ExecutorEvent::BoutStarted(it.plan.bout)).await;
                match bouts.is_shown {
                    true => bouts.show(it.plan.bout).await,
                    false => sleep(Duration::from_millis(50)).await,
                }
                let delivery = Delivery::new(it.plan.bout, Ok(result(&it.plan)));
                let _ = events.send(delivery.into()).await;
            }
            Ok(())
        })
    }

    fn parallel(&self) -> usize {
        1
    }
}

#[derive(Default)]
pub(crate) struct Machine(pub(crate) Bouts);

impl WorkerHost for Machine {
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
        let executor = Box::new(self.0.clone());
        let spectator_feed = Arc::clone(&self.0.spectator_feed);
        Ok(PreparedStage { executor, offer: offer(), valid_for: None, spectator_feed })
    }

    async fn self_test(&self) -> Result<(), String> {
        Ok(())
    }

    fn clock(&self) -> i64 {
        0
    }

    fn notify(&self, notice: WorkerNotice) {
        println!("{notice}");
    }
}

#[derive(Default)]
pub(crate) struct Trusting {
    pub(crate) is_watched: bool,
}

impl ResultValidator for Trusting {
    fn find_fault(&self, _: &BoutPlan, _: &BoutResult) -> Option<String> {
        None
    }

    fn pack_build(&self, _: &BuildHash) -> io::Result<Vec<u8>> {
        Ok(b"packed".to_vec())
    }

    fn notify(&self, notice: CoordinatorNotice) {
        println!("{notice}");
    }

    fn is_watched(&self) -> bool {
        self.is_watched
    }
}

pub(crate) fn needed() -> RequiredBuild {
    RequiredBuild {
        build: BuildHash([5; 32]),
        result: BuildHash([6; 32]),
        language: "c".to_owned(),
        toolchain: String::new(),
    }
}

pub(crate) fn stage() -> Stage {
    let work = Work {
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        rules: "rules".to_owned(),
        options: GameOptions::default(),
        limits: Limits::default(),
        seats: 1,
        tier: Tier::B,
        calibration_runs: 1,
        own_languages: BTreeMap::new(),
        builds: vec![needed()],
        library_sets: Vec::new(),
        referee: None,
    };
    Stage {
        tournament: "t".to_owned(),
        title: "T".to_owned(),
        epoch: 1,
        version: String::new(),
        lease: Duration::from_secs(2),
        work,
        classes: Vec::new(),
        is_watched: false,
        excluded: BTreeSet::new(),
    }
}

pub(crate) fn card(worker: &str) -> Announcement {
    Announcement { instance: 1, ..Announcement::new(worker, offer()) }
}

pub(crate) fn address<'a>(url: &'a str, name: &'a str) -> Address<'a> {
    Address { url, credentials: None, name }
}

pub(crate) async fn start_worker(
    url: &str,
    name: &str,
    machine: Machine,
    stop: &watch::Sender<bool>,
) {
    let card = card(name);
    let transport = NatsWorker::connect(&address(url, name), &card).await.expect("it is let in");
    let worker = Worker {
        transport: Arc::new(transport),
        host: Arc::new(machine),
        card,
        beat: Duration::from_secs(1),
        exit_conditions: ExitConditions::default(),
        stop: stop.subscribe(),
    };
    tokio::spawn(worker.run());
}

pub(crate) async fn coordinator(
    url: &str,
    inspect: Trusting,
) -> Coordinator<NatsCoordinator, Trusting> {
    let office = NatsCoordinator::connect(&address(url, "office"), "t").await;
    let terms = CoordinatorConfig {
        stage: stage(),
        beat: Duration::from_secs(1),
        cancel: Cancel::default(),
    };
    Coordinator::new(Arc::new(office.expect("it is let in")), Arc::new(inspect), terms)
}

/// Plays `bouts` on two workers and returns what was delivered; `midway` is called once.
pub(crate) async fn play(url: &str, bouts: u64, midway: impl FnOnce()) -> Vec<BoutId> {
    let (stop, _stopped) = watch::channel(false);
    start_worker(url, "one", Machine::default(), &stop).await;
    start_worker(url, "two", Machine::default(), &stop).await;
    let coordinator = coordinator(url, Trusting::default()).await;
    let (sender, given) = channel(256);
    let (said, mut events) = channel(4096);
    let running = tokio::spawn(coordinator.execute(given, said));
    for number in 0..bouts {
        let assignment = Assignment::new(plan(number), Needs::default());
        sender.send(assignment).await.expect("it is taken");
    }
    drop(sender);
    let (mut delivered, mut midway) = (Vec::new(), Some(midway));
    while let Some(event) = events.recv().await {
        let ExecutorEvent::Delivered(delivery) = event else { continue };
        assert_eq!(delivery.result.expect("nothing fails").action_log, vec![0xff; 1000]);
        delivered.push(delivery.bout);
        if delivered.len() as u64 >= bouts / 4
            && let Some(midway) = midway.take()
        {
            midway();
        }
    }
    running.await.expect("it does not panic").expect("it is not lost");
    delivered.sort();
    delivered
}

pub(crate) fn all(bouts: u64) -> Vec<BoutId> {
    (0..bouts).map(|number| BoutId(number.to_be_bytes())).collect()
}

pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A server with the coordinator of a tournament.
pub(crate) struct Lab {
    _server: NatsServer,
    pub(crate) url: String,
    pub(crate) office: NatsCoordinator,
}

impl Lab {
    /// Starts the server and connects the coordinator; `None` without `nats-server`.
    pub(crate) async fn start() -> Option<Self> {
        let server = NatsServer::start(Streams::Kept)?;
        let url = server.url();
        let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
        Some(Self { office: office.expect("it is let in"), url, _server: server })
    }

    /// As [`Lab::start`], with the stage open.
    pub(crate) async fn open() -> Option<Self> {
        let lab = Self::start().await?;
        lab.office.open_stage(&stage()).await.expect("there is room");
        Some(lab)
    }

    /// Connects the worker `one`.
    pub(crate) async fn worker(&self) -> NatsWorker {
        let worker = NatsWorker::connect(&address(&self.url, "one"), &card("one")).await;
        worker.expect("it is let in")
    }
}
