//! Executors that panic, lose plans, deliver too much or end early: nothing hangs,
//! nothing is stored twice, and everything else is played.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};

use super::*;
use joust_model::panics::caught;

/// What somebody who plays does with a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Do {
    Play,
    /// Panics with the plan in hand.
    Panic,
    /// Says what the panic said.
    PanicGuarded,
    /// Takes the plan and forgets it.
    Forget,
    /// Forgets the plan and goes home.
    Leave,
    DeliverTwice,
    DeliverStranger,
    /// Delivers another bout's result.
    Confuse,
    /// The run is stopped before the result comes.
    CancelFirst,
}

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Crew {
    Threads,
    Tasks,
}

struct Unruly {
    crew: Crew,
    parallel: usize,
    /// What is done at the n-th time (from 0) that a bout of this number comes.
    act: fn(number: u32, time: usize) -> Do,
    /// How often `execute` itself panics.
    panics: AtomicUsize,
    given: Arc<Mutex<Vec<u32>>>,
    cancel: Cancel,
}

impl Unruly {
    fn new(crew: Crew, parallel: usize, act: fn(u32, usize) -> Do) -> Self {
        let (given, cancel) = (Arc::default(), Cancel::default());
        Self { crew, parallel, act, panics: AtomicUsize::new(0), given, cancel }
    }

    fn times(&self, number: u32) -> usize {
        self.given.lock().unwrap().iter().filter(|given| **given == number).count()
    }
}

#[derive(Clone)]
struct Player {
    act: fn(u32, usize) -> Do,
    given: Arc<Mutex<Vec<u32>>>,
    cancel: Cancel,
}

impl Player {
    /// Returns what is delivered; `None` when it goes home.
    fn play(&self, plan: BoutPlan) -> Option<Vec<Delivery>> {
        let time = {
            let mut given = self.given.lock().unwrap();
            given.push(plan.number);
            given.iter().filter(|number| **number == plan.number).count() - 1
        };
        let of = |plan: &BoutPlan| Delivery { plan: plan.clone(), result: Ok(result(plan, false)) };
        Some(match (self.act)(plan.number, time) {
            Do::Play => vec![of(&plan)],
            Do::Panic => panic!("a bout of number {} in hand", plan.number),
            Do::PanicGuarded => {
                let text = caught(|| panic!("the referee of {} fell", plan.number));
                let result = text.map_err(Failure::Infrastructure);
                vec![Delivery { plan, result }]
            }
            Do::Forget => Vec::new(),
            Do::Leave => return None,
            Do::DeliverTwice => vec![of(&plan), of(&plan), of(&plan)],
            Do::DeliverStranger => vec![of(&super::plan(1000 + plan.number)), of(&plan)],
            Do::Confuse => {
                let result = Ok(result(&super::plan(plan.number + 1), false));
                vec![Delivery { plan, result }]
            }
            Do::CancelFirst => {
                self.cancel.cancel();
                vec![of(&plan)]
            }
        })
    }
}

impl Executor for Unruly {
    fn execute(&self, plans: Receiver<BoutPlan>, deliveries: Sender<Delivery>) {
        if self.panics.load(Ordering::SeqCst) > 0 {
            self.panics.fetch_sub(1, Ordering::SeqCst);
            panic!("no power");
        }
        let plans = Arc::new(tokio::sync::Mutex::new(plans));
        for _ in 0..self.parallel {
            let (plans, deliveries) = (Arc::clone(&plans), deliveries.clone());
            let (act, given, cancel) = (self.act, Arc::clone(&self.given), self.cancel.clone());
            let player = Player { act, given, cancel };
            let work = async move {
                loop {
                    let next = plans.lock().await.recv().await;
                    let Some(plan) = next else { return };
                    let Some(delivered) = player.play(plan) else { return };
                    for delivery in delivered {
                        if deliveries.send(delivery).await.is_err() {
                            return;
                        }
                    }
                }
            };
            match self.crew {
                Crew::Tasks => drop(tokio::spawn(work)),
                Crew::Threads => {
                    let runtime = tokio::runtime::Handle::current();
                    drop(std::thread::spawn(move || runtime.block_on(work)));
                }
            }
        }
    }

    fn parallel(&self) -> usize {
        self.parallel
    }
}

/// Plays eight bouts; a hang fails.
async fn play_unruly(executor: &Unruly) -> (Ended, Vec<u32>) {
    let playing = play_until(executor, executor, (&passes, &executor.cancel));
    let played = tokio::time::timeout(Duration::from_secs(60), playing).await;
    let (ended, stored) = played.expect("nothing hangs");
    (ended, stored.into_iter().map(|(number, _)| number).collect())
}

const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];
const CREWS: [(Crew, usize); 4] =
    [(Crew::Threads, 1), (Crew::Threads, 3), (Crew::Tasks, 1), (Crew::Tasks, 4)];

#[tokio::test(flavor = "multi_thread")]
async fn a_bout_that_is_lost_once_is_played_again_and_so_is_the_rest() {
    for (crew, parallel) in CREWS {
        for lose in [lose_by_panic, lose_by_forgetting, lose_by_leaving] {
            let executor = Unruly::new(crew, parallel, lose);
            let (ended, stored) = play_unruly(&executor).await;
            assert_eq!((&ended, &stored[..]), (&Ended::Complete, &ALL[..]), "{crew:?} {parallel}");
            assert!(executor.times(3) >= 2, "{crew:?} {parallel}");
        }
    }
}

fn lose(number: u32, time: usize, how: Do) -> Do {
    if number == 3 && time == 0 { how } else { Do::Play }
}

fn lose_by_panic(number: u32, time: usize) -> Do {
    lose(number, time, Do::Panic)
}

fn lose_by_forgetting(number: u32, time: usize) -> Do {
    lose(number, time, Do::Forget)
}

fn lose_by_leaving(number: u32, time: usize) -> Do {
    lose(number, time, Do::Leave)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bout_that_is_lost_every_time_is_left_out_and_the_rest_is_played() {
    for (crew, parallel) in CREWS {
        let always: [fn(u32, usize) -> Do; 3] = [
            |number, _| if number == 3 { Do::Panic } else { Do::Play },
            |number, _| if number == 3 { Do::Forget } else { Do::Play },
            |number, _| if number == 3 { Do::PanicGuarded } else { Do::Play },
        ];
        for act in always {
            let executor = Unruly::new(crew, parallel, act);
            let (ended, stored) = play_unruly(&executor).await;
            let Ended::MachineFailed(reason) = ended else { panic!("{ended:?}") };
            assert!(reason.contains("failed 3 times"), "{reason}");
            let guarded = act(3, 0) == Do::PanicGuarded;
            let expected = if guarded { "Joust panicked: the referee of 3 fell" } else { LOST };
            assert!(reason.ends_with(expected), "{reason}");
            assert_eq!(stored, [0, 1, 2, 4, 5, 6, 7], "{crew:?} {parallel}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn executors_that_lose_everything_end_the_run() {
    let worst: [fn(u32, usize) -> Do; 3] = [|_, _| Do::Panic, |_, _| Do::Forget, |_, _| Do::Leave];
    for act in worst {
        for (crew, parallel) in CREWS {
            let executor = Unruly::new(crew, parallel, act);
            let (ended, stored) = play_unruly(&executor).await;
            assert!(matches!(ended, Ended::MachineFailed(_)), "{ended:?}");
            assert!(stored.is_empty(), "{stored:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_execute_is_tried_again() {
    let executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Play);
    executor.panics.store(2, Ordering::SeqCst);
    assert_eq!(play_unruly(&executor).await, (Ended::Complete, ALL.to_vec()));
    executor.panics.store(9, Ordering::SeqCst);
    let (ended, stored) = play_unruly(&executor).await;
    let reason = "nobody plays: Joust panicked: no power".to_owned();
    assert_eq!((ended, stored), (Ended::MachineFailed(reason), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_twice_or_from_strangers_is_stored_once_or_not_at_all() {
    for (crew, parallel) in CREWS {
        let odd: [fn(u32, usize) -> Do; 2] = [
            |number, _| if number % 2 == 0 { Do::DeliverTwice } else { Do::Play },
            |_, _| Do::DeliverStranger,
        ];
        for act in odd {
            let executor = Unruly::new(crew, parallel, act);
            assert_eq!(play_unruly(&executor).await, (Ended::Complete, ALL.to_vec()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_another_bout_is_no_result() {
    let once = |number, time| lose(number, time, Do::Confuse);
    let executor = Unruly::new(Crew::Threads, 2, once);
    assert_eq!(play_unruly(&executor).await, (Ended::Complete, ALL.to_vec()));
    assert_eq!(executor.times(3), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_end_early_are_replaced() {
    for (crew, parallel) in CREWS {
        let early = |number, time| if number % 2 == 1 && time == 0 { Do::Leave } else { Do::Play };
        let executor = Unruly::new(crew, parallel, early);
        assert_eq!(play_unruly(&executor).await, (Ended::Complete, ALL.to_vec()), "{crew:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_after_a_cancel_is_stored_and_nothing_is_begun() {
    let executor =
        Unruly::new(
            Crew::Threads,
            1,
            |number, _| if number == 2 { Do::CancelFirst } else { Do::Play },
        );
    let (ended, stored) = play_unruly(&executor).await;
    assert_eq!(ended, Ended::Interrupted);
    assert!(stored.starts_with(&[0, 1, 2]) && stored.len() < ALL.len(), "{stored:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_that_panics_costs_nobody_anything() {
    struct Clumsy(AtomicBool);
    impl Listener for Clumsy {
        fn notice(&self, _: &Notice) {
            self.0.store(true, Ordering::SeqCst);
            panic!("no terminal");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = database(folder.path()).await;
    let executor = Unruly::new(Crew::Threads, 2, |_, _| Do::Play);
    let clumsy = Arc::new(Clumsy(AtomicBool::new(false)));
    let told = (clumsy.clone() as Arc<dyn Listener>, &Cancel::default());
    let ended = play_on(&executor, &store, ALL.into_iter().map(plan), told).await;
    assert_eq!(ended.expect("a sound database"), Ended::Complete);
    assert!(clumsy.0.load(Ordering::SeqCst));
    let bout = store.bout(&plan(7).bout.to_string()).await.expect("a sound database");
    assert!(bout.is_some());
}

#[test]
fn a_release_unwinds_so_that_panics_can_be_caught() {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the workspace's manifest");
    let aborts = manifest.lines().any(|line| line.trim_start().starts_with("panic"));
    assert!(!aborts, "with `panic = \"abort\"` one bout would end the run");
}
