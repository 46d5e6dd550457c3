//! NATS as transport, with a real server on the loopback interface. Without `nats-server`, which
//! `scripts/install-tools` builds with a recent Go, these tests are skipped with a message.

#![expect(clippy::print_stdout, reason = "a failed test says what happened before")]

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use joust_cluster::envelope::{self, StoredReport, hash_of};
use joust_cluster::time::{sleep, timeout};
use joust_cluster::transport::PublishOutcome;
use joust_cluster::transport::nats::{
    Address, NatsCoordinator, NatsWorker, PresenceQuery, invite, invite_coordinator,
};
use joust_cluster::transport::{CoordinatorTransport, TransportError, WorkerTransport};
use joust_cluster::{
    Announcement, Batch, Class, ClassId, Coordinator, CoordinatorConfig, CoordinatorNotice,
    ExitConditions, PreparedStage, Refusal, Report, RequiredBuild, ResultValidator, SpectatorFeed,
    Stage, Work, Worker, WorkerHost, WorkerNotice,
};
use joust_model::cancel::Cancel;
use joust_model::notices::{Listener, Notice};
use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, GameOptions, Limits, Occupant, SeatPlan, Tier,
};
use joust_play::executor::{
    Assignment, Delivery, Executing, Executor, ExecutorEvent, MachineOffer, Needs,
};
use joust_referee::{Scene, Seed};
use joust_testkit::nats::{NatsServer, Streams};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, watch};

fn plan(number: u64) -> BoutPlan {
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

fn result(plan: &BoutPlan) -> BoutResult {
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "over".to_owned(),
        rounds: 1,
        state_hash: String::new(),
        seats: Vec::new(),
        tier: Tier::B,
        machine: String::new(),
        joust_version: String::new(),
        contended: false,
        ticks_late: 0,
        oversubscribed: false,
        started_at: 0,
        took: Duration::from_millis(100),
        action_log: vec![0xff; 1000],
        turn_log: Vec::new(),
    }
}

fn offer() -> MachineOffer {
    MachineOffer { cores: 1, tier: joust_sandbox::Tier::B, toolchains: BTreeSet::new() }
}

/// Plays bouts; a bout with spectators lasts until its position was seen.
#[derive(Clone, Default)]
struct Bouts {
    is_shown: bool,
    spectator_feed: Arc<SpectatorFeed>,
    seen: Arc<Notify>,
}

impl Bouts {
    async fn show(&self, bout: BoutId) {
        while !self.spectator_feed.wants_position(bout) {
            sleep(Duration::from_millis(10)).await;
        }
        let scene = Arc::new(Scene { width: 7, ..Scene::default() });
        self.spectator_feed.notice(&Notice::Position { bout, round: 3, scene });
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
struct Machine(Bouts);

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
        let (executor, calibrations) = (Box::new(self.0.clone()), Vec::new());
        let spectator_feed = Arc::clone(&self.0.spectator_feed);
        Ok(PreparedStage {
            executor,
            offer: offer(),
            calibrations,
            valid_for: None,
            spectator_feed,
        })
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
struct Trusting {
    is_watched: bool,
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

fn needed() -> RequiredBuild {
    RequiredBuild {
        build: BuildHash([5; 32]),
        result: BuildHash([6; 32]),
        language: "c".to_owned(),
        toolchain: String::new(),
    }
}

fn stage() -> Stage {
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
        coordinator: "c".to_owned(),
        epoch: 1,
        version: String::new(),
        lease: Duration::from_secs(2),
        work,
        classes: Vec::new(),
        is_watched: false,
    }
}

fn card(worker: &str) -> Announcement {
    Announcement { instance: 1, ..Announcement::new(worker, offer()) }
}

fn address<'a>(url: &'a str, name: &'a str) -> Address<'a> {
    Address { url, credentials: None, name }
}

async fn start_worker(url: &str, name: &str, machine: Machine, stop: &watch::Sender<bool>) {
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

async fn coordinator(url: &str, inspect: Trusting) -> Coordinator<NatsCoordinator, Trusting> {
    let office = NatsCoordinator::connect(&address(url, "office"), "t").await;
    let terms = CoordinatorConfig {
        stage: stage(),
        beat: Duration::from_secs(1),
        cancel: Cancel::default(),
    };
    Coordinator::new(Arc::new(office.expect("it is let in")), Arc::new(inspect), terms)
}

/// Plays `bouts` on two workers and returns what was delivered; `midway` is called once.
async fn play(url: &str, bouts: u64, midway: impl FnOnce()) -> Vec<BoutId> {
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

fn all(bouts: u64) -> Vec<BoutId> {
    (0..bouts).map(|number| BoutId(number.to_be_bytes())).collect()
}

const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread")]
async fn who_looks_at_bouts_sees_where_those_of_a_worker_have_come_to() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let (url, (stop, _stopped)) = (server.url(), watch::channel(false));
    let bouts = Bouts { is_shown: true, ..Bouts::default() };
    start_worker(&url, "one", Machine(bouts.clone()), &stop).await;
    let coordinator = coordinator(&url, Trusting { is_watched: true }).await;
    let (sender, given) = channel(1);
    let (said, mut events) = channel(64);
    let running = tokio::spawn(coordinator.execute(given, said));
    sender.send(Assignment::new(plan(1), Needs::default())).await.expect("it is taken");
    drop(sender);
    let mut heard = Vec::new();
    let hearing = async {
        while let Some(event) = events.recv().await {
            match event {
                ExecutorEvent::Heartbeat(_) => continue,
                ExecutorEvent::Position { .. } => bouts.seen.notify_one(),
                _ => {}
            }
            heard.push(event);
        }
    };
    timeout(PATIENCE, hearing).await.expect("it ends");
    running.await.expect("it does not panic").expect("it is not lost");
    let [ExecutorEvent::BoutStarted(begun), position, ExecutorEvent::Delivered(it)] = &heard[..]
    else {
        panic!("{heard:?}");
    };
    let (bout, scene) = (plan(1).bout, Arc::new(Scene { width: 7, ..Scene::default() }));
    assert_eq!(position, &ExecutorEvent::Position { bout, round: 3, scene });
    assert_eq!((*begun, it.bout), (bout, bout));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_play_every_bout_once() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let played = timeout(PATIENCE, play(&server.url(), 40, || ())).await;
    assert_eq!(played.expect("it ends"), all(40));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_lost_everything_loses_no_bout_and_gets_the_builds_again() {
    let Some(mut server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let played = timeout(
        PATIENCE,
        play(&url, 40, || {
            server.kill();
            server.start_empty();
        }),
    )
    .await;
    assert_eq!(played.expect("it ends"), all(40));
    let late = NatsWorker::connect(&address(&url, "late"), &card("late")).await;
    let packed = late.expect("it is let in").get_blob(&needed().build).await;
    assert_eq!(packed, Ok(Some(b"packed".to_vec())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_blob_of_many_parts_arrives_whole_and_workers_are_there() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    let (name, blob) = (BuildHash([3; 32]), vec![7; 3_000_000]);
    office.put_blob(&name, || Ok(blob.clone())).await.expect("there is room");
    office.put_blob(&name, || panic!("it is there")).await.expect("it is there");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    assert!(worker.get_blob(&name).await.expect("the server answers").as_ref() == Some(&blob));
    assert_eq!(worker.get_blob(&BuildHash([4; 32])).await, Ok(None));
    let there = PresenceQuery::connect(&address(&url, "asks")).await.expect("it is let in");
    let there = there.list_workers().await.expect("the server answers");
    assert_eq!(there.iter().map(|it| &*it.worker).collect::<Vec<_>>(), ["one"]);
    let second = Announcement { instance: 2, ..card("one") };
    let refused = NatsWorker::connect(&address(&url, "one"), &second).await.err();
    let text = refused.expect("the name is taken").to_string();
    assert_eq!(text, "a worker called `one` already exists; `--name` names this one");
}

/// Starts five at the same moment and returns the errors of those that are refused.
async fn refused<T, F>(begin: impl Fn(u64) -> F) -> Vec<String>
where
    T: Send + 'static,
    F: Future<Output = Result<T, TransportError>> + Send + 'static,
{
    let barrier = Arc::new(tokio::sync::Barrier::new(5));
    let mut twins = tokio::task::JoinSet::new();
    for instance in 1..=5 {
        let (barrier, beginning) = (Arc::clone(&barrier), begin(instance));
        twins.spawn(async move {
            barrier.wait().await;
            beginning.await
        });
    }
    // An admitted one stays until all have started.
    let all = twins.join_all().await;
    all.iter().filter_map(|twin| twin.as_ref().err()).map(ToString::to_string).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_workers_that_begin_at_the_same_moment_under_one_name_one_is_let_in() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    for round in 0..20 {
        let name = format!("twin-{round}");
        let texts = refused(|instance| {
            let (url, name) = (server.url(), name.clone());
            async move {
                let card = Announcement { instance, ..card(&name) };
                NatsWorker::connect(&address(&url, &name), &card).await
            }
        });
        let told = format!("a worker called `{name}` already exists; `--name` names this one");
        assert_eq!(texts.await, vec![told; 4], "round {round}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_coordinators_that_begin_at_the_same_moment_one_plays_the_tournament() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    for round in 0..10 {
        let texts = refused(|instance| {
            let (url, name) = (server.url(), format!("run-{instance}"));
            async move { NatsCoordinator::connect(&address(&url, &name), &format!("t{round}")).await }
        });
        let texts = texts.await;
        let is_told = |text: &String| {
            text.starts_with("another coordinator plays this tournament there, `run-")
        };
        assert!(texts.len() == 4 && texts.iter().all(is_told), "round {round}: {texts:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_whose_worker_has_left_is_free_at_once() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    for instance in 0..20 {
        let card = Announcement { instance, ..card("one") };
        let worker = NatsWorker::connect(&address(&url, "one"), &card).await;
        drop(worker.expect("the one before has left"));
    }
}

/// Returns a report that is too long for any message.
fn long_report(worker: &str) -> Report {
    let large = BoutResult { action_log: vec![0x5a; 9 << 20], ..result(&plan(0)) };
    Report {
        worker: worker.to_owned(),
        epoch: 1,
        batch: 1,
        attempt: 0,
        deliveries: vec![Delivery::new(plan(0).bout, Ok(large))],
        returned: Vec::new(),
    }
}

/// Sends messages that are longer than the server's limit between a coordinator and the worker
/// `one`.
async fn long_letters(office: &Address<'_>, one: &Address<'_>) {
    let office = NatsCoordinator::connect(office, "t").await.expect("it is let in");
    let worker = NatsWorker::connect(one, &card("one")).await.expect("it is let in");
    let class = Class { id: ClassId::of(&Needs::default()), needs: Needs::default() };
    let builds = (0..9000_u64).map(|it| {
        let build = BuildHash::of("test", &[&it.to_be_bytes()]);
        RequiredBuild { build, ..needed() }
    });
    let work = Work { builds: builds.collect(), ..stage().work };
    let stage = Stage { work, classes: vec![class.clone()], ..stage() };
    office.open_stage(&stage).await.expect("there is room");
    assert_eq!(worker.list_stages().await, Ok(vec![stage.clone()]));
    let rest = (1..3000).map(plan).collect();
    let bouts = vec![Assignment { rest, ..Assignment::new(plan(0), Needs::default()) }];
    let batch = Batch { epoch: 1, number: 1, attempt: 0, class: class.id.clone(), bouts };
    assert_eq!(office.publish_batch(&batch).await, Ok(PublishOutcome::Queued));
    let taken = worker.take_batch(&stage, &[class.id], PATIENCE).await.expect("the server answers");
    assert_eq!(taken.map(|taken| taken.batch), Some(batch));
    let report = long_report("one");
    // It is stored already the second time.
    for _ in 0..2 {
        worker.deliver_report(&stage, &report).await.expect("there is room");
    }
    assert!(office.next_report().await.as_ref() == Ok(&report), "what comes is what was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_a_message_travels_all_the_same() {
    // It accepts a megabyte at once.
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    long_letters(&address(&url, "office"), &address(&url, "one")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_a_message_travels_to_and_from_an_invited_worker() {
    let keys = [invite_coordinator("office"), invite("one")].map(|key| key.expect("it is a name"));
    let accounts = keys.each_ref().map(|key| &*key.entry).concat();
    let Some(server) = NatsServer::configured(&format!("accounts {{\n{accounts}}}")) else {
        return;
    };
    let files = ["long-office.nk", "long-one.nk"];
    let files = files.map(|file| Path::new(env!("CARGO_TARGET_TMPDIR")).join(file));
    for (file, key) in files.iter().zip(&keys) {
        std::fs::write(file, &key.seed).expect("it can be written");
    }
    let url = server.url();
    let [office, one] = [("office", &files[0]), ("one", &files[1])]
        .map(|(name, file)| Address { credentials: Some(file), ..address(&url, name) });
    long_letters(&office, &one).await;
}

/// Messages of a worker with a header that could delete all other messages of a stream.
#[tokio::test(flavor = "multi_thread")]
async fn a_roll_up_header_removes_nothing_of_another_worker() {
    let keys = [invite_coordinator("office"), invite("one"), invite("evil")];
    let keys = keys.map(|key| key.expect("it is a name"));
    let accounts = keys.each_ref().map(|key| &*key.entry).concat();
    let Some(server) = NatsServer::configured(&format!("accounts {{\n{accounts}}}")) else {
        return;
    };
    let files = ["wipe-office.nk", "wipe-one.nk"];
    let files = files.map(|file| Path::new(env!("CARGO_TARGET_TMPDIR")).join(file));
    for (file, key) in files.iter().zip(&keys) {
        std::fs::write(file, &key.seed).expect("it can be written");
    }
    let url = server.url();
    let [office, one] = [("office", &files[0]), ("one", &files[1])]
        .map(|(name, file)| Address { credentials: Some(file), ..address(&url, name) });
    let office = NatsCoordinator::connect(&office, "t").await.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&one, &card("one")).await.expect("it is let in");
    let report = long_report("one");
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    let seen = async_nats::ConnectOptions::new().nkey(keys[0].seed.clone()).connect(&url).await;
    let seen = async_nats::jetstream::new(seen.expect("it is let in"));
    let counted = async |stream: &str| {
        let mut stream = seen.get_stream(stream).await.expect("it is there");
        stream.info().await.expect("the server answers").state.messages
    };
    let streams = ["KV_joust_names", "joust_parts", "joust_t_results"];
    for stream in streams {
        assert!(counted(stream).await > 0, "{stream}");
    }
    let evil = async_nats::ConnectOptions::new().nkey(keys[2].seed.clone()).connect(&url).await;
    let evil = evil.expect("it is let in");
    let own = ["joust.js.$KV.joust_names.worker.evil", "joust.part.evil", "joust.t.result.evil"];
    for (subject, stream) in own.into_iter().zip(streams) {
        for extent in ["all", "sub"] {
            let before = counted(stream).await;
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Nats-Rollup", extent);
            let sent = evil.request_with_headers(subject, headers, "".into()).await;
            let answer = sent.expect("the server answers").payload;
            let answer = String::from_utf8_lossy(&answer).into_owned();
            assert!(answer.contains("rollup not permitted"), "{subject}: {answer}");
            assert!(counted(stream).await >= before, "{subject} {extent}");
        }
    }
    assert!(office.next_report().await.as_ref() == Ok(&report), "what comes is what was sent");
}

/// Long reports of a worker that do not match their references: each is refused, and the next one
/// is read.
#[tokio::test(flavor = "multi_thread")]
async fn parts_that_are_no_report_keep_no_report_waiting() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let evil = async_nats::connect(&url).await.expect("it is let in");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    // Its parts are the numbers 1 to 19.
    let of_one = Report { batch: 7, ..long_report("one") };
    worker.deliver_report(&stage(), &of_one).await.expect("there is room");
    let named = StoredReport { hash: BuildHash([8; 32]), parts: Vec::new() };
    let bytes = envelope::write(&of_one).expect("it is short enough");
    let parts = (1..=19).collect();
    let hash = hash_of(&bytes);
    for body in ["abc", "", "abc"] {
        evil.request("joust.part.evil", body.into()).await.expect("the server has it");
    }
    for report in [
        StoredReport { hash, parts },
        StoredReport { parts: vec![20, 21, 22], ..named.clone() },
        StoredReport { parts: vec![22, 21, 20, 20, 1], ..named.clone() },
        StoredReport { parts: vec![0], ..named.clone() },
        StoredReport { parts: vec![u64::MAX], ..named.clone() },
        StoredReport { parts: vec![20; 20_000], ..named.clone() },
        named,
    ] {
        let named = envelope::write(&report).expect("it is short");
        let sent = evil.request("joust.t.result.evil", named.into()).await;
        let answer = sent.expect("the server answers").payload;
        assert!(!String::from_utf8_lossy(&answer).contains("error"), "{answer:?}");
    }
    let report = long_report("one");
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    for report in [of_one, report] {
        let read = timeout(Duration::from_secs(20), office.next_report()).await;
        assert!(read.expect("it waits behind what nobody reads").as_ref() == Ok(&report));
    }
    // Those of refused reports are removed, and of the second report, which has the first one's bout.
    assert_eq!(stored_parts(&url).await, 19);
}

/// Returns the number of stored parts of long reports.
async fn stored_parts(url: &str) -> u64 {
    let seen = async_nats::jetstream::new(async_nats::connect(url).await.expect("it is let in"));
    let parts = seen.get_stream("joust_parts").await.expect("it is there");
    parts.cached_info().state.messages
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_tournament_removes_reports_that_were_not_read() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    let elsewhere = Stage { tournament: "u".to_owned(), ..stage() };
    let other = NatsCoordinator::connect(&address(&url, "other"), "u").await;
    let other = other.expect("it is let in");
    other.open_stage(&elsewhere).await.expect("there is room");
    let report = Report { batch: 2, ..long_report("one") };
    worker.deliver_report(&stage(), &long_report("one")).await.expect("there is room");
    worker.deliver_report(&elsewhere, &report).await.expect("there is room");
    assert_eq!(stored_parts(&url).await, 2 * 19);
    office.close_tournament().await.expect("the server answers");
    assert_eq!(stored_parts(&url).await, 19);
    assert!(other.next_report().await.as_ref() == Ok(&report), "it is of another tournament");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reports_of_one_attempt_with_other_results_both_arrive() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    for length in [9 << 20, 5 << 20, 100] {
        let action_log = vec![0x5a; length];
        let result = BoutResult { action_log, ..result(&plan(length as u64)) };
        let deliveries = vec![Delivery::new(result.bout, Ok(result))];
        let report = Report { deliveries, ..long_report("one") };
        worker.deliver_report(&stage(), &report).await.expect("there is room");
        let read = timeout(Duration::from_secs(20), office.next_report()).await;
        assert!(read.expect("it comes").as_ref() == Ok(&report));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a worker waits for a minute"]
async fn a_report_without_space_for_its_parts_is_given_up_after_a_minute() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let full = async_nats::connect(&url).await.expect("it is let in");
    for _ in 0..1024 {
        full.request("joust.part.one", "x".into()).await.expect("the server has it");
    }
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    let (stage, reports) = (stage(), [1, 2].map(|batch| Report { batch, ..long_report("one") }));
    let sending = async {
        tokio::join!(
            worker.deliver_report(&stage, &reports[0]),
            worker.deliver_report(&stage, &reports[1]),
        )
    };
    // The second does not wait for another minute.
    let (first, second) = timeout(Duration::from_secs(100), sending).await.expect("it ends");
    assert!(matches!(first, Err(TransportError::Refused(_))), "{first:?}");
    assert_eq!(first, second);
    let short = Report { batch: 3, deliveries: Vec::new(), ..long_report("one") };
    worker.deliver_report(&stage, &short).await.expect("there is room");
    assert!(office.next_report().await.as_ref() == Ok(&short));
}

/// A worker that stores more parts than its reports can have.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_one_worker_take_no_room_of_others() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let report = long_report("one");
    worker.expect("it is let in").deliver_report(&stage(), &report).await.expect("there is room");
    let evil = async_nats::connect(&url).await.expect("it is let in");
    let answer = async |bytes: usize| {
        let sent = evil.request("joust.part.evil", vec![7; bytes].into()).await;
        String::from_utf8_lossy(&sent.expect("the server answers").payload).into_owned()
    };
    let long = answer(600 << 10).await;
    assert!(long.contains("message size exceeds maximum allowed"), "{long}");
    for _ in 0..1024 {
        let stored = answer(1).await;
        assert!(!stored.contains("error"), "{stored}");
    }
    let more = answer(1).await;
    assert!(more.contains("maximum messages per subject exceeded"), "{more}");
    let seen = async_nats::jetstream::new(evil);
    let parts = seen.get_stream("joust_parts").await.expect("it is there");
    assert_eq!(parts.cached_info().config.max_messages, 16_384);
    assert!(office.next_report().await.as_ref() == Ok(&report));
}

/// A worker whose reports are stored faster than its coordinator reads them.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_parts_take_up_its_space_waits_and_loses_no_report() {
    const REPORTS: u64 = 1100;
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    let sending = tokio::spawn(async move {
        for number in 0..REPORTS {
            let result = BoutResult { action_log: vec![0; 64 << 10], ..result(&plan(number)) };
            let deliveries = vec![Delivery::new(result.bout, Ok(result))];
            let report = Report { batch: number, deliveries, ..long_report("one") };
            worker.deliver_report(&stage(), &report).await.expect("it waits until there is room");
        }
    });
    let seen = async_nats::jetstream::new(async_nats::connect(&url).await.expect("it is let in"));
    let stored = async || {
        let parts = seen.get_stream("joust_parts").await.expect("it is there");
        parts.cached_info().state.messages
    };
    while stored().await < 1024 {
        sleep(Duration::from_millis(20)).await;
    }
    office.refresh_stage(&stage()).await.expect("the server answers");
    assert!(!sending.is_finished(), "it waits");
    let mut read = BTreeSet::new();
    while (read.len() as u64) < REPORTS {
        let next = timeout(Duration::from_secs(60), office.next_report()).await;
        let report = next.expect("it comes").expect("the server answers");
        office.mark_settled(report.deliveries[0].bout);
        read.insert(report.batch);
    }
    sending.await.expect("it ends");
    assert_eq!(read, (0..REPORTS).collect());
}

/// Reports of a worker that are as many and as long as the server takes.
#[tokio::test(flavor = "multi_thread")]
async fn reports_of_one_worker_fill_a_stated_room_and_keep_no_report_of_another_out() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let evil = async_nats::connect(&url).await.expect("it is let in");
    let answer = async |bytes: usize| {
        let sent = evil.request("joust.t.result.evil", vec![7; bytes].into()).await;
        String::from_utf8_lossy(&sent.expect("the server answers").payload).into_owned()
    };
    let long = answer((64 << 10) + 1).await;
    assert!(long.contains("message size exceeds maximum allowed"), "{long}");
    for _ in 0..2304 {
        let kept = answer(63 << 10).await;
        assert!(!kept.contains("error"), "{kept}");
    }
    let more = answer(1).await;
    assert!(more.contains("maximum messages per subject exceeded"), "{more}");
    let seen = async_nats::jetstream::new(evil);
    let reports = seen.get_stream("joust_t_results").await.expect("it is there");
    let bytes = reports.cached_info().state.bytes;
    assert!(bytes <= 145 << 20, "{bytes}");
    // One that is longer than a message of the queue, and shorter than one of the server.
    let action_log = vec![0x5a; 100 << 10];
    let result = BoutResult { action_log, ..result(&plan(0)) };
    let deliveries = vec![Delivery::new(plan(0).bout, Ok(result))];
    let report = Report { deliveries, ..long_report("one") };
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    worker.expect("it is let in").deliver_report(&stage(), &report).await.expect("there is room");
    let read = timeout(Duration::from_secs(20), office.next_report()).await;
    assert!(read.expect("it waits behind what nobody reads").as_ref() == Ok(&report));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_server_is_refused_with_what_to_do() {
    let refused = async |url: &str| {
        let office = NatsCoordinator::connect(&address(url, "office"), "t").await;
        office.err().expect("there is none").to_string()
    };
    assert!(refused("http://localhost").await.contains("which is `nats://HOST:4222`"));
    assert!(refused("nats://127.0.0.1:1").await.starts_with("no server at `nats://127.0.0.1:1`"));
    let Some(server) = NatsServer::start(Streams::None) else { return };
    let text = refused(&server.url()).await;
    assert!(text.ends_with("has no JetStream: start it with `--jetstream`"), "{text}");
    let server = NatsServer::configured("max_payload: 1KB\n").expect("there was one just now");
    let text = refused(&server.url()).await;
    let expected = "the server takes messages of at most 1024 bytes: raise its `max_payload`";
    assert_eq!(text, expected);
}

/// Publishes bytes that are not a message of Joust, as anybody may at a server without keys.
async fn say(client: &async_nats::Client, subject: String, bytes: &'static [u8]) {
    client.publish(subject, bytes.into()).await.expect("it is sent");
    client.flush().await.expect("the server answers");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_batch_keeps_no_batch_waiting() {
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await;
    let office = office.expect("it is let in");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await;
    let worker = worker.expect("it is let in");
    let id = ClassId::of(&Needs::default());
    let class = Class { id: id.clone(), needs: Needs::default() };
    let stage = Stage { classes: vec![class], ..stage() };
    office.open_stage(&stage).await.expect("there is room");
    let stranger = async_nats::connect(&url).await.expect("it is let in");
    let subject = format!("joust.t.plan.{id}");
    for _ in 0..100 {
        say(&stranger, subject.clone(), b"{\"stream\":\"joust_t_results\",\"seq\":1}").await;
        // A message of a future version.
        say(&stranger, subject.clone(), b"joust\xff\xff\x01").await;
    }
    let bouts = vec![Assignment::new(plan(0), Needs::default())];
    let batch = Batch { epoch: 1, number: 1, attempt: 0, class: id.clone(), bouts };
    office.publish_batch(&batch).await.expect("there is room");
    let taking = async {
        loop {
            let taken = worker.take_batch(&stage, std::slice::from_ref(&id), PATIENCE).await;
            if let Ok(Some(taken)) = taken {
                return taken.batch;
            }
        }
    };
    let taken = timeout(Duration::from_secs(5), taking).await;
    assert_eq!(taken, Some(batch), "it waits behind what nobody reads");
}
