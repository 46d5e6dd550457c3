//! Executors that panic, lose bouts, deliver too much or too late, fall silent, never
//! end or end early: nothing hangs, nothing is stored twice, and everything else is
//! played.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use tokio::sync::Mutex as AsyncMutex;
use tokio::sync::mpsc::{Receiver, Sender};

use super::*;
use executor::{Conduct, Crew, Do, Unruly};

mod executor;

/// Time that a bout may go without a sign of life.
const PATIENCE: Duration = Duration::from_millis(500);

/// Plays eight bouts; a hang fails.
async fn play_unruly(executor: &Unruly) -> (RunOutcome, Vec<u32>) {
    play_with_listener(executor, &(Arc::new(NullListener) as _)).await
}

async fn play_with_listener(
    executor: &Unruly,
    listener: &Arc<dyn Listener>,
) -> (RunOutcome, Vec<u32>) {
    let playing = play_script(executor, &passes, &executor.cancel, listener);
    let played = tokio::time::timeout(Duration::from_secs(60), playing).await;
    let (ended, stored) = played.expect("nothing hangs");
    (ended, stored.into_iter().map(|(number, _)| number).collect())
}

/// Notices that the listener received.
#[derive(Default)]
struct RecordingListener {
    warnings: Mutex<Vec<String>>,
    begun: Mutex<Vec<u32>>,
}

impl Listener for RecordingListener {
    fn notice(&self, notice: &Notice) {
        match notice {
            Notice::Warning(text) => self.warnings.lock().unwrap().push(text.clone()),
            Notice::BoutStarted(plan) => self.begun.lock().unwrap().push(plan.number),
            _ => {}
        }
    }
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
            assert_eq!(
                (&ended, &stored[..]),
                (&RunOutcome::Complete, &ALL[..]),
                "{crew:?} {parallel}"
            );
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
            let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
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
            assert!(matches!(ended, RunOutcome::MachineFailed(_)), "{ended:?}");
            assert!(stored.is_empty(), "{stored:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_in_execute_is_tried_again() {
    let executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Play);
    executor.panics.store(2, Ordering::SeqCst);
    assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()));
    executor.panics.store(9, Ordering::SeqCst);
    let (ended, stored) = play_unruly(&executor).await;
    let reason = "nobody plays: Joust panicked: no power".to_owned();
    assert_eq!((ended, stored), (RunOutcome::MachineFailed(reason), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_while_it_is_polled_is_tried_again() {
    let executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Play);
    executor.panics_in_poll.store(2, Ordering::SeqCst);
    assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()));
    executor.panics_in_poll.store(99, Ordering::SeqCst);
    let (ended, stored) = play_unruly(&executor).await;
    let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.contains("Joust panicked: no light") && stored.is_empty(), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_that_cannot_go_on_says_why() {
    let mut executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Play);
    executor.conduct = Conduct::Lost;
    let (ended, stored) = play_unruly(&executor).await;
    let reason = "nobody plays: no road".to_owned();
    assert_eq!((ended, stored), (RunOutcome::MachineFailed(reason), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_never_ends_is_left_behind_and_told_of() {
    let mut executor = Unruly::new(Crew::Threads, 3, |_, _| Do::Play);
    executor.conduct = Conduct::NeverEnds;
    let told = Arc::new(RecordingListener::default());
    let played = play_with_listener(&executor, &(told.clone() as _)).await;
    assert_eq!(played, (RunOutcome::Complete, ALL.to_vec()));
    let warnings = told.warnings.lock().unwrap();
    let expected = "the executor keeps running although nothing is left to play";
    assert_eq!(*warnings, [expected]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bout_of_which_heartbeats_say_nothing_is_played_again() {
    for conduct in [Conduct::NeverEnds, Conduct::KeepsTheLine] {
        let mut executor = Unruly::new(Crew::Tasks, 2, lose_by_forgetting);
        executor.conduct = conduct;
        let played = play_unruly(&executor).await;
        assert_eq!(played, (RunOutcome::Complete, ALL.to_vec()), "{conduct:?}");
        assert_eq!(executor.times(3), 2, "{conduct:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_keeps_its_line_for_ever_and_loses_everything_ends_the_run() {
    for conduct in [Conduct::NeverEnds, Conduct::KeepsTheLine, Conduct::Silent] {
        let mut executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Forget);
        executor.conduct = conduct;
        let (ended, stored) = play_unruly(&executor).await;
        let RunOutcome::MachineFailed(reason) = ended else { panic!("{ended:?}") };
        let expected = match conduct {
            Conduct::Silent => "nobody plays: the executor has been silent for 500ms",
            Conduct::NeverEnds => "no longer reports it",
            _ => LOST,
        };
        assert!(reason.contains(expected) && stored.is_empty(), "{conduct:?}: {reason}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_late_is_stored_once() {
    let late = |number, time| match (number, time) {
        (0, 0) => Do::DeliverLate,
        (0, _) => Do::Play,
        _ => Do::PlaySlowly,
    };
    let executor = Unruly::new(Crew::Tasks, 2, late);
    assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()));
    assert!(executor.times(0) <= 2, "it is played again at most once");
}

#[tokio::test(flavor = "multi_thread")]
async fn bouts_that_begin_are_told_as_the_executor_says() {
    let executor = Unruly::new(Crew::Tasks, 2, |_, _| Do::Play);
    let told = Arc::new(RecordingListener::default());
    play_with_listener(&executor, &(told.clone() as _)).await;
    let mut begun = told.begun.lock().unwrap().clone();
    begun.sort_unstable();
    assert_eq!(begun, ALL);
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
            assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_of_another_bout_is_no_result() {
    let once = |number, time| lose(number, time, Do::Confuse);
    let executor = Unruly::new(Crew::Threads, 2, once);
    assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()));
    assert_eq!(executor.times(3), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn those_who_end_early_are_replaced() {
    for (crew, parallel) in CREWS {
        let early = |number, time| if number % 2 == 1 && time == 0 { Do::Leave } else { Do::Play };
        let executor = Unruly::new(crew, parallel, early);
        assert_eq!(play_unruly(&executor).await, (RunOutcome::Complete, ALL.to_vec()), "{crew:?}");
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
    assert_eq!(ended, RunOutcome::Interrupted);
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
    let bouts = ALL.into_iter().map(assignment);
    let ended = play_on(&executor, &store, bouts, clumsy.clone(), &Cancel::default()).await;
    assert_eq!(ended.expect("a sound database"), RunOutcome::Complete);
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
