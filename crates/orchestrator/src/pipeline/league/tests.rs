//! Treatment of contended and of voided bouts, with executors that follow a
//! script.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::RwLock;
use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinSet;

use super::*;
use joust_model::notices::NullListener;
use joust_model::{BotRow, BoutId, Seed, Verdict};
use joust_model::{BuildHash, EventSettings, GameOptions, Limits, Mirror, Occupant, SeatPlan};
use joust_play::executor::{Executing, ExecutorEvent, Needs};
use joust_store::{Access, GroupCommitter};
use joust_testkit::fixtures;

mod unruly;

/// Executors of tests have little to do.
const SHORT: ExecutorTimeouts = ExecutorTimeouts {
    heartbeat: Duration::from_millis(50),
    missed: 10,
    to_end: Duration::from_millis(500),
};

const BOTS: [&str; 2] = ["anna", "bert"];

/// Treatment of every bout of a number by an executor.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Play,
    Contend,
    Fail,
}

/// One bout that an executor was given.
#[derive(Clone, Copy)]
struct GivenBout {
    number: u32,
    neighbours: Neighbours,
    /// Number of others that were under way.
    beside: usize,
}

/// Executor that delivers according to its script, and notes its assignments.
struct Scripted {
    act: fn(u32, Neighbours) -> Act,
    parallel: usize,
    given: Arc<Mutex<Vec<GivenBout>>>,
}

impl Scripted {
    fn new(parallel: usize, act: fn(u32, Neighbours) -> Act) -> Self {
        Self { act, parallel, given: Arc::default() }
    }

    fn numbers(&self, neighbours: Neighbours) -> Vec<u32> {
        let given = self.given.lock().expect("nobody panicked");
        let mut numbers: Vec<_> =
            given.iter().filter(|it| it.neighbours == neighbours).map(|it| it.number).collect();
        numbers.sort_unstable();
        numbers
    }

    fn most_beside(&self, neighbours: Neighbours) -> usize {
        let given = self.given.lock().expect("nobody panicked");
        given.iter().filter(|it| it.neighbours == neighbours).map(|it| it.beside).max().unwrap_or(0)
    }
}

impl Executor for Scripted {
    fn execute(
        &self,
        assignments: Receiver<Assignment>,
        events: Sender<ExecutorEvent>,
    ) -> Executing {
        let assignments = Arc::new(tokio::sync::Mutex::new(assignments));
        let (busy, floor) = (Arc::new(AtomicUsize::new(0)), Arc::new(RwLock::new(())));
        let mut crew = JoinSet::new();
        let (act, parallel, given) = (self.act, self.parallel, Arc::clone(&self.given));
        Box::pin(async move {
            for _ in 0..parallel {
                let (assignments, events) = (Arc::clone(&assignments), events.clone());
                let (given, busy) = (Arc::clone(&given), Arc::clone(&busy));
                let floor = Arc::clone(&floor);
                crew.spawn(async move {
                    loop {
                        let next = assignments.lock().await.recv().await;
                        let Some(Assignment { plan, needs, .. }) = next else { return };
                        let (alone, together);
                        match needs.neighbours {
                            Neighbours::None => {
                                (alone, together) = (Some(floor.write().await), None)
                            }
                            Neighbours::Allowed => {
                                (alone, together) = (None, Some(floor.read().await))
                            }
                        }
                        let beside = busy.fetch_add(1, Ordering::SeqCst);
                        let number = plan.number;
                        let one = GivenBout { number, neighbours: needs.neighbours, beside };
                        given.lock().expect("nobody panicked").push(one);
                        // Others may begin now.
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        busy.fetch_sub(1, Ordering::SeqCst);
                        drop((alone, together));
                        let result = match act(number, needs.neighbours) {
                            Act::Play => Ok(result(&plan, false)),
                            Act::Contend => Ok(result(&plan, true)),
                            Act::Fail => {
                                Err(Failure::Infrastructure("the power failed".to_owned()))
                            }
                        };
                        let delivery = Delivery::new(plan.bout, result);
                        if events.send(delivery.into()).await.is_err() {
                            return;
                        }
                    }
                });
            }
            crew.join_all().await;
            Ok(())
        })
    }

    fn parallel(&self) -> usize {
        self.parallel
    }
}

/// Returns `alone` for a bout that is played without neighbours, otherwise `together`.
fn alone_or(neighbours: Neighbours, alone: Act, together: Act) -> Act {
    if neighbours == Neighbours::None { alone } else { together }
}

fn plan(number: u32) -> BoutPlan {
    let build = |bot: &str| BuildHash::of("test", &[bot.as_bytes()]);
    BoutPlan {
        bout: BoutPlan::id("cup", "league", &BOTS, number),
        event: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        referee: None,
        rules: "documented".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(u64::from(number)),
        match_number: 0,
        number,
        seats: BOTS
            .iter()
            .map(|bot| SeatPlan { bot: (*bot).into(), occupant: Occupant::Build(build(bot)) })
            .collect(),
        limits: Limits::default().into(),
        clock: None,
    }
}

fn assignment(number: u32) -> Assignment {
    Assignment::new(plan(number), Needs::default())
}

fn result(plan: &BoutPlan, contended: bool) -> BoutResult {
    BoutResult { contended, ..fixtures::result(plan, plan.key(), fixtures::seats(plan, 1)) }
}

async fn database(folder: &std::path::Path) -> Store {
    let store =
        Store::open(&folder.join("results.db"), Access::CreateOrOpen).await.expect("a database");
    let settings =
        EventSettings { bouts_per_match: 8, mirror: Mirror::Off, ..fixtures::event("league") };
    store.put_event(&settings).await.expect("an event");
    let bot = |(name, registration): (&&str, u32)| BotRow {
        name: (*name).to_owned(),
        registration,
        ..BotRow::default()
    };
    let bots: Vec<_> = BOTS.iter().zip(0..).map(bot).collect();
    store.put_bots("league", &bots).await.expect("a field");
    store
}

/// Plays eight bouts; returns how it ended, and which bouts are stored with
/// whether they are marked as contended.
async fn play(
    executor: &Scripted,
    self_test: &(dyn Fn() -> Result<(), String> + Sync),
) -> (RunOutcome, Vec<(u32, bool)>) {
    play_script(executor, self_test, &Cancel::default(), &(Arc::new(NullListener) as _)).await
}

/// Plays eight bouts as long as the run is not stopped.
async fn play_script(
    executor: &dyn Executor,
    self_test: &(dyn Fn() -> Result<(), String> + Sync),
    cancel: &Cancel,
    listener: &Arc<dyn Listener>,
) -> (RunOutcome, Vec<(u32, bool)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = database(folder.path()).await;
    let committer = GroupCommitter::start(&store);
    let league = League {
        store: &store,
        committer: committer.committer(),
        listener,
        cancel,
        self_test,
        until: None,
        enough: &|| false,
        replaced: &BoutSet::default(),
        logs: Logs::All,
        patience: SHORT,
    };
    let ended = league.play_all(executor, (0..8).map(assignment)).await.expect("a sound database");
    drop(league);
    committer.finish().await;
    let mut stored = Vec::new();
    for number in 0..8 {
        let id = plan(number).bout.to_string();
        if let Some(bout) = store.bout(&id).await.expect("a sound database") {
            stored.push((number, bout.result.contended));
        }
    }
    (ended, stored)
}

fn passes() -> Result<(), String> {
    Ok(())
}

#[tokio::test]
async fn a_contended_bout_is_played_again_once_when_nothing_else_is() {
    let executor = Scripted::new(4, |number, neighbours| {
        let crowded = if number % 3 == 0 { Act::Contend } else { Act::Play };
        alone_or(neighbours, Act::Play, crowded)
    });
    let (ended, stored) = play(&executor, &passes).await;
    assert_eq!(ended, RunOutcome::Complete);
    assert_eq!(stored, (0..8).map(|number| (number, false)).collect::<Vec<_>>());
    assert_eq!(executor.numbers(Neighbours::Allowed), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(executor.most_beside(Neighbours::Allowed) > 0, "several were played at once");
    assert_eq!(executor.numbers(Neighbours::None), [0, 3, 6]);
    assert_eq!(executor.most_beside(Neighbours::None), 0);
}

#[tokio::test]
async fn a_bout_that_is_contended_again_has_no_result_and_the_machine_is_too_busy() {
    let executor = Scripted::new(2, |number, neighbours| {
        let crowded = if number == 5 { Act::Contend } else { Act::Play };
        alone_or(neighbours, Act::Contend, crowded)
    });
    let (ended, stored) = play(&executor, &passes).await;
    let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.starts_with("the machine is too busy: in bout "), "{reason}");
    let others = (0..8).filter(|number| *number != 5).map(|number| (number, false));
    assert_eq!(stored, others.collect::<Vec<_>>());
    assert_eq!(executor.numbers(Neighbours::None), [5]);
}

#[tokio::test]
async fn without_contention_nobody_plays_alone() {
    let executor = Scripted::new(2, |_, _| Act::Play);
    let (ended, stored) = play(&executor, &passes).await;
    let alone = executor.numbers(Neighbours::None).len();
    assert_eq!((ended, stored.len(), alone), (RunOutcome::Complete, 8, 0));
}

#[tokio::test]
async fn a_voided_bout_is_repeated_while_the_machine_passes_its_self_test() {
    let tests = AtomicUsize::new(0);
    let self_test = || {
        tests.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let executor = Scripted::new(1, |number, _| if number == 2 { Act::Fail } else { Act::Play });
    let (ended, stored) = play(&executor, &self_test).await;
    let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.contains("failed 3 times, although the sandbox passes"), "{reason}");
    assert!(reason.contains("anna vs bert") && reason.contains("the power failed"), "{reason}");
    let numbers = executor.numbers(Neighbours::Allowed);
    assert_eq!(numbers.iter().filter(|number| **number == 2).count(), 3);
    assert_eq!(tests.load(Ordering::SeqCst), 3);
    assert!(stored.iter().all(|(number, _)| *number != 2), "a voided bout has no result");
}

#[tokio::test]
async fn a_self_test_that_fails_beside_bots_is_repeated_without_them() {
    static FAILED: AtomicUsize = AtomicUsize::new(0);
    let tests = AtomicUsize::new(0);
    let executor = Scripted::new(1, |number, _| {
        let fails = number == 2 && FAILED.fetch_add(1, Ordering::SeqCst) == 0;
        if fails { Act::Fail } else { Act::Play }
    });
    let self_test = || match tests.fetch_add(1, Ordering::SeqCst) {
        0 => Err("no descriptors".to_owned()),
        _ => Ok(()),
    };
    let (ended, stored) = play(&executor, &self_test).await;
    assert_eq!(ended, RunOutcome::Complete);
    assert_eq!(tests.load(Ordering::SeqCst), 2);
    assert!(stored.iter().any(|(number, _)| *number == 2), "the bout was played after all");
}

#[tokio::test]
async fn a_machine_that_fails_its_self_test_stops_the_run_at_once() {
    let executor = Scripted::new(1, |number, _| if number == 2 { Act::Fail } else { Act::Play });
    let (ended, stored) = play(&executor, &|| Err("no processes".to_owned())).await;
    let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.contains("fails its self-test (no processes)"), "{reason}");
    let numbers = executor.numbers(Neighbours::Allowed);
    assert_eq!(numbers.iter().filter(|number| **number == 2).count(), 1);
    assert!(stored.len() >= 2, "what was finished is kept");
}

#[test]
fn logs_are_kept_of_the_bouts_that_the_event_names() {
    let mut fault = result(&plan(0), false);
    fault.action_log = vec![1];
    let sound = fault.clone();
    fault.seats[0].verdicts.add(Verdict::Crash);
    let mut unfinished = sound.clone();
    unfinished.ended = "referee-error: it is gone".to_owned();
    let kept =
        |logs| [&sound, &fault, &unfinished].map(|result| kept(logs, result.clone()).has_logs());
    assert_eq!(kept(Logs::All), [true, true, true]);
    assert_eq!(kept(Logs::Faults), [false, true, true]);
    assert_eq!(kept(Logs::None), [false, false, false]);
}
