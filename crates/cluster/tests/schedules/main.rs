//! Schedules of faults: whatever transports, workers and coordinators do, no bout is lost, none is
//! stored twice, and the record is the same.
//!
//! `JOUST_SCHEDULES=N` plays N schedules; `JOUST_SCHEDULE=SEED` plays one again.

mod machine;
mod world;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::sync::Arc;
use std::time::Duration;

use joust_cluster::{
    Announcement, Coordinator, CoordinatorConfig, CoordinatorNotice, ExitConditions,
    ResultValidator, Stage, Work, Worker,
};
use joust_model::cancel::Cancel;
use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, GameOptions, Limits, Occupant, SeatPlan,
};
use joust_play::executor::{Assignment, Executor, ExecutorEvent};
use joust_referee::Seed;
use joust_testkit::seeded_rng::SeededRng;
use machine::{Process, Simulated, TAINTED, needs, offer};
use tokio::runtime::Builder;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use world::{Faults, SimulatedCoordinator, Site, World};

const LEASE: Duration = Duration::from_secs(30);
const BEAT: Duration = Duration::from_secs(5);
/// Simulated time that a schedule may take: bouts last seconds.
const MOST: Duration = Duration::from_secs(3 * 3600);
/// Number of schedules that are played by default.
const USUAL: u64 = 2_000;

/// Size of a schedule.
#[derive(Clone, Copy)]
struct Size {
    workers: u64,
    bouts: u64,
    /// Chance per thousand that a worker has a fault in a minute.
    churn: u64,
    /// Number of the worker that lacks the tools of a language; 0 for none.
    lacking: u64,
}

fn plan(number: u64) -> BoutPlan {
    let seat = |bot: &str| SeatPlan {
        bot: bot.to_owned(),
        occupant: Occupant::Build(BuildHash::of("build", &[bot.as_bytes()])),
    };
    BoutPlan {
        bout: BoutId(number.to_be_bytes()),
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        referee: None,
        rules: "rules".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(number.wrapping_mul(0x9e37_79b9)),
        match_number: number / 2,
        number: u32::try_from(number % 2).expect("it is small"),
        seats: vec![seat("a"), seat("b")],
        limits: Limits::default().into(),
        clock: None,
    }
}

fn stage(epoch: u64) -> Stage {
    let work = Work {
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        rules: "rules".to_owned(),
        options: GameOptions::default(),
        limits: Limits::default(),
        seats: 2,
        tier: joust_model::Tier::B,
        calibration_runs: 1,
        own_languages: BTreeMap::new(),
        builds: Vec::new(),
        library_sets: Vec::new(),
        referee: None,
    };
    Stage {
        tournament: "t".to_owned(),
        title: "T".to_owned(),
        epoch,
        version: String::new(),
        lease: LEASE,
        work,
        classes: Vec::new(),
        is_watched: false,
        excluded: BTreeSet::new(),
    }
}

/// Checks results: one that does not belong to its plan is refused.
struct Judge(Arc<World>);

impl ResultValidator for Judge {
    fn find_fault(&self, plan: &BoutPlan, result: &BoutResult) -> Option<String> {
        let is_false = plan.key() != result.key;
        self.0.state().refused += u64::from(is_false);
        is_false.then(|| "its key is another".to_owned())
    }

    fn pack_build(&self, _: &BuildHash) -> std::io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn notify(&self, _: CoordinatorNotice) {}
}

/// The record: a row for every bout that was played.
type Record = BTreeMap<BoutId, BoutResult>;

/// Outcome of a coordinator's run.
enum Life {
    Complete,
    Died,
}

/// Passes every bout without a row to a coordinator and stores the results, until the coordinator
/// dies.
async fn live(world: &Arc<World>, epoch: u64, plans: &[BoutPlan], record: &mut Record) -> Life {
    let coordinator = Arc::new(SimulatedCoordinator { world: Arc::clone(world) });
    let terms = CoordinatorConfig { stage: stage(epoch), beat: BEAT, cancel: Cancel::default() };
    let coordinator = Coordinator::new(coordinator, Arc::new(Judge(Arc::clone(world))), terms);
    let (sender, given) = mpsc::channel(16);
    let (events_sender, mut events) = mpsc::channel(64);
    let mut running = JoinSet::new();
    running.spawn(coordinator.execute(given, events_sender));
    let missing: Vec<_> = plans.iter().filter(|plan| !record.contains_key(&plan.bout)).collect();
    let mut open: BTreeSet<BoutId> = missing.iter().map(|plan| plan.bout).collect();
    let mut missing = missing.into_iter();
    let mut sender = Some(sender);
    let mut next = missing.next();
    loop {
        if next.is_none() {
            sender = None;
        }
        let room = async {
            match &sender {
                Some(sender) => sender.reserve().await.ok(),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(event) = events.recv() => {
                let ExecutorEvent::Delivered(delivery) = event else {
                    let state = world.state();
                    if state.steps >= state.dies_at {
                        return Life::Died;
                    }
                    continue;
                };
                let result = delivery.result.expect("no machine fails here");
                assert!(open.remove(&delivery.bout), "bout {} is delivered twice", delivery.bout);
                assert_ne!(result.state_hash, TAINTED, "bout {}", delivery.bout);
                assert!(record.insert(delivery.bout, result).is_none(), "stored twice");
            }
            Some(permit) = room => {
                if let Some(plan) = next.take() {
                    permit.send(Assignment::new(plan.clone(), needs(plan)));
                }
                next = missing.next();
            }
            ended = running.join_next() => {
                let ended = ended.expect("it was spawned").expect("it does not panic");
                ended.expect("it is not lost");
                assert!(open.is_empty(), "{} bouts are left out", open.len());
                return Life::Complete;
            }
            () = dead(world) => return Life::Died,
        }
    }
}

/// Waits until the coordinator makes no further step.
async fn dead(world: &World) {
    loop {
        sleep(Duration::from_secs(1)).await;
        let state = world.state();
        if state.steps >= state.dies_at {
            return;
        }
    }
}

/// Keeps a worker at work; it is killed, stopped, drained and started again by chance.
async fn keep_worker(world: Arc<World>, number: u64, size: Size) {
    let name = format!("w{number}");
    let cores = 1 + usize::try_from(number % 3).expect("it is small");
    let is_lacking = size.lacking > 0 && number == size.lacking;
    let offer = offer(cores, if is_lacking { &["c"] } else { &["c", "python"] });
    loop {
        let (stop, stopped) = watch::channel(false);
        let card = Announcement {
            instance: number,
            machine: name.clone(),
            ..Announcement::new(&name, offer.clone())
        };
        let site = Site { world: Arc::clone(&world), worker: name.clone() };
        let offer = offer.clone();
        let host = Simulated { world: Arc::clone(&world), worker: name.clone(), offer };
        let worker = Worker {
            transport: Arc::new(site),
            host: Arc::new(host),
            card,
            beat: BEAT,
            exit_conditions: ExitConditions::default(),
            stop: stopped,
        };
        let process = Process {
            world: Arc::clone(&world),
            worker: name.clone(),
            inner: Box::pin(worker.run()),
            thaw: None,
        };
        let mut running = JoinSet::new();
        running.spawn(process);
        loop {
            let (wait, struck, how, span) = {
                let chance = &mut world.state().chance;
                let wait = Duration::from_millis(5_000 + chance.below(10_000));
                (
                    wait,
                    chance.next_permille(size.churn / 6),
                    chance.below(4),
                    chance.next_millis(0, 90_001),
                )
            };
            tokio::select! {
                biased;
                _ = running.join_next() => break,
                () = sleep(wait) => {}
            }
            if !struck {
                continue;
            }
            match how {
                0 => _ = stop.send(true),
                1 | 2 => _ = world.state().still.insert(name.clone(), Instant::now() + span),
                _ => break,
            }
        }
        drop(running);
        let pause = world.state().chance.next_millis(0, 20_001);
        sleep(pause).await;
    }
}

/// Plays one schedule and returns its record.
async fn play(seed: u64, size: Size) -> Record {
    let mut chance = SeededRng(seed);
    let faults = Faults {
        lost: chance.below(150),
        doubled: chance.below(150),
        late_millis: chance.below(20_000),
        away: chance.below(150),
        stolen: chance.below(150),
    };
    let (deaths, wipes) = (chance.below(5), chance.below(3));
    let clock = if chance.next_permille(250) { Clock::PutBack } else { Clock::Right };
    let ends = Ends { deaths, wipes, clock };
    play_in(&World::new(chance, faults, LEASE), size, ends).await
}

/// Number of deaths of the coordinator, and of wipes of the transport.
struct Ends {
    deaths: u64,
    wipes: u64,
    /// The coordinator's clock.
    clock: Clock,
}

impl Ends {
    const NONE: Self = Self { deaths: 0, wipes: 0, clock: Clock::Right };
}

/// Time of day that a coordinator has as its epoch.
enum Clock {
    Right,
    /// Each coordinator is earlier by its clock than the one before.
    PutBack,
}

async fn play_in(world: &Arc<World>, size: Size, ends: Ends) -> Record {
    let Ends { deaths, wipes, clock } = ends;
    let plans: Vec<BoutPlan> = (0..size.bouts).map(plan).collect();
    let mut workers = JoinSet::new();
    for number in 0..size.workers {
        workers.spawn(keep_worker(Arc::clone(world), number, size));
    }
    let wiping = Arc::clone(world);
    workers.spawn(async move {
        for _ in 0..wipes {
            let at = Instant::now() + wiping.state().chance.next_millis(0, 60_001);
            sleep_until(at).await;
            wiping.wipe();
        }
        std::future::pending().await
    });
    let mut record = Record::new();
    for life in 0..=deaths {
        let epoch = match clock {
            Clock::Right => life + 1,
            Clock::PutBack => deaths - life + 1,
        };
        {
            let mut state = world.state();
            state.steps = 0;
            let most = 20 + 2 * size.bouts;
            state.dies_at = if life < deaths { 1 + state.chance.below(most) } else { u64::MAX };
        }
        match live(world, 1000 * epoch, &plans, &mut record).await {
            Life::Complete => break,
            Life::Died => {
                world.state().stage = None;
                let pause = world.state().chance.next_millis(0, 30_001);
                sleep(pause).await;
            }
        }
    }
    record
}

/// Runs `future` on a clock that skips waiting times: it advances to the next timer when no task is
/// ready. Thus the seed of a schedule determines everything in it.
fn simulate<F: Future>(future: F) -> F::Output {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("it starts").block_on(future)
}

/// Plays a schedule; a failure names its seed.
fn schedule(seed: u64, size: Size) {
    let playing =
        std::panic::AssertUnwindSafe(|| simulate(async { timeout(MOST, play(seed, size)).await }));
    let again = format!("JOUST_SCHEDULE={seed} plays this schedule again");
    let record = match std::panic::catch_unwind(playing) {
        Ok(Ok(record)) => record,
        Ok(Err(_)) => panic!("bouts are never played; {again}"),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            panic!("{}; {again}", text.unwrap_or_else(|| "it fails".to_owned()))
        }
    };
    let undisturbed: Record = (0..size.bouts)
        .map(plan)
        .map(|plan| (plan.bout, machine::result(&plan, "", Duration::ZERO)))
        .collect();
    let row = |result: &BoutResult| {
        let seats = result.seats.iter().map(|seat| (seat.bot.clone(), seat.rank, seat.score));
        (result.bout, result.key, result.state_hash.clone(), seats.collect::<Vec<_>>())
    };
    let rows = |record: &Record| record.values().map(row).collect::<Vec<_>>();
    assert_eq!(rows(&record), rows(&undisturbed), "{again}");
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

fn small(seed: u64) -> Size {
    Size {
        workers: 1 + seed % 4,
        bouts: 4 + seed % 13,
        churn: 100 + 200 * (seed % 5),
        lacking: (seed / 7) % 5,
    }
}

#[test]
fn no_schedule_of_faults_loses_a_bout_or_stores_one_twice() {
    if let Some(seed) = number("JOUST_SCHEDULE") {
        return schedule(seed, small(seed));
    }
    let schedules = number("JOUST_SCHEDULES").unwrap_or(USUAL);
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                (thread..schedules)
                    .step_by(usize::try_from(threads).expect("they are few"))
                    .for_each(|seed| schedule(seed, small(seed)));
            });
        }
    });
}

#[test]
fn a_machine_is_made_ready_again_while_an_event_is_played() {
    let world = World::new(SeededRng(1), Faults::default(), LEASE);
    let size = Size { workers: 1, bouts: 400, churn: 0, lacking: 0 };
    let playing = async {
        let began = Instant::now();
        let record = play_in(&world, size, Ends::NONE).await;
        assert_eq!(record.len(), 400);
        began.elapsed()
    };
    let took = simulate(playing);
    let times = took.as_secs() / machine::READY.as_secs();
    let equipped = world.state().equipped;
    assert!(times >= 4 && (times..=times + 1).contains(&equipped), "{equipped} times in {took:?}");
}

#[test]
fn a_thousand_workers_that_come_and_go_play_every_bout_once() {
    schedule(7, Size { workers: 1000, bouts: 600, churn: 100, lacking: 500 });
}

#[test]
fn a_worker_with_false_results_is_excluded_and_the_others_play_its_bouts() {
    let world = World::new(SeededRng(1), Faults::default(), LEASE);
    world.state().liar = Some("w1".to_owned());
    let size = Size { workers: 3, bouts: 400, churn: 0, lacking: 0 };
    let record = simulate(async { timeout(MOST, play_in(&world, size, Ends::NONE)).await });
    assert_eq!(record.expect("all bouts are played").len(), 400);
    let state = world.state();
    let excluded = &state.stage.as_ref().expect("it is still published").excluded;
    assert!(excluded.iter().eq(["w1"]), "{excluded:?}");
    assert_eq!(state.refused, 8);
}
