//! What becomes of contended and of voided bouts, with executors that follow a
//! script.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};

use super::*;
use joust_model::clock::FixedClock;
use joust_model::notices::Nobody;
use joust_model::{BotRow, SeatResult, VerdictCounts};
use joust_model::{
    BuildHash, EventSettings, GameOptions, Limits, Mirror, SeatPlan, Seats, TieBreak,
};
use joust_store::{Access, GroupCommitter};

mod unruly;

const BOTS: [&str; 2] = ["anna", "bert"];

/// What an executor does with every bout of a number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Act {
    Play,
    Contend,
    Fail,
}

/// Delivers what its script says, and notes what it was given while how many
/// other bouts were under way anywhere.
struct Scripted<'a> {
    act: fn(u32) -> Act,
    parallel: usize,
    given: Arc<Mutex<Vec<(u32, usize)>>>,
    busy: &'a Arc<AtomicUsize>,
}

impl<'a> Scripted<'a> {
    fn new(parallel: usize, busy: &'a Arc<AtomicUsize>, act: fn(u32) -> Act) -> Self {
        Self { act, parallel, given: Arc::default(), busy }
    }

    fn numbers(&self) -> Vec<u32> {
        self.given.lock().expect("nobody panicked").iter().map(|(number, _)| *number).collect()
    }

    fn most_beside(&self) -> usize {
        let given = self.given.lock().expect("nobody panicked");
        given.iter().map(|(_, beside)| *beside).max().unwrap_or(0)
    }
}

impl Executor for Scripted<'_> {
    fn execute(&self, plans: Receiver<BoutPlan>, deliveries: Sender<Delivery>) {
        let plans = Arc::new(tokio::sync::Mutex::new(plans));
        for _ in 0..self.parallel {
            let (plans, deliveries) = (Arc::clone(&plans), deliveries.clone());
            let (act, given, busy) = (self.act, Arc::clone(&self.given), Arc::clone(self.busy));
            tokio::spawn(async move {
                loop {
                    let next = plans.lock().await.recv().await;
                    let Some(plan) = next else { return };
                    let beside = busy.fetch_add(1, Ordering::SeqCst);
                    given.lock().expect("nobody panicked").push((plan.number, beside));
                    // Others may begin now.
                    tokio::time::sleep(Duration::from_millis(5)).await;
                    busy.fetch_sub(1, Ordering::SeqCst);
                    let result = match act(plan.number) {
                        Act::Play => Ok(result(&plan, false)),
                        Act::Contend => Ok(result(&plan, true)),
                        Act::Fail => Err(Failure::Infrastructure("the power failed".to_owned())),
                    };
                    if deliveries.send(Delivery { plan, result }).await.is_err() {
                        return;
                    }
                }
            });
        }
    }

    fn parallel(&self) -> usize {
        self.parallel
    }
}

fn plan(number: u32) -> BoutPlan {
    let build = |bot: &str| BuildHash::of("test", &[bot.as_bytes()]);
    BoutPlan {
        bout: BoutPlan::id("cup", "league", &BOTS, number),
        event: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default().into(),
        seed: u64::from(number),
        match_number: 0,
        number,
        seats: BOTS.iter().map(|bot| SeatPlan { bot: (*bot).into(), build: build(bot) }).collect(),
        limits: Limits::default().into(),
        clock: None,
    }
}

fn result(plan: &BoutPlan, contended: bool) -> BoutResult {
    let seat = |(seat, rank): (&SeatPlan, u8)| SeatResult {
        bot: seat.bot.clone(),
        build: seat.build,
        rank,
        score: 0,
        verdicts: VerdictCounts::default(),
        limits_hit: 0,
        cpu: Duration::ZERO,
        wall: Duration::ZERO,
        stall: Duration::ZERO,
        peak_memory_bytes: 0,
        calibration: Default::default(),
        ticks_idle: 0,
        answers_late: 0,
    };
    BoutResult {
        bout: plan.bout,
        key: plan.key(),
        ended: "round-limit".to_owned(),
        rounds: 1,
        state_hash: "00".repeat(32),
        seats: plan.seats.iter().zip(1..).map(seat).collect(),
        tier: "A".to_owned(),
        machine: "here".to_owned(),
        joust_version: "0.1.0".to_owned(),
        contended,
        oversubscribed: false,
        started_at: 0,
        took: Duration::ZERO,
        action_log: Vec::new(),
        turn_log: Vec::new(),
        ticks_late: 0,
    }
}

async fn database(folder: &std::path::Path) -> Store {
    let store =
        Store::open(&folder.join("results.db"), Access::CreateOrOpen).await.expect("a database");
    let settings = EventSettings {
        id: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        bouts_per_match: 8,
        bots_per_match: 2,
        max_matches: None,
        mirror: Mirror::Off,
        seats: Seats::Drawn,
        tie_breaks: TieBreak::DEFAULT.to_vec(),
    };
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
    together: &Scripted<'_>,
    alone: &Scripted<'_>,
    self_test: &(dyn Fn() -> Result<(), String> + Sync),
) -> (Ended, Vec<(u32, bool)>) {
    play_until(together, alone, (self_test, &Cancel::default())).await
}

/// Plays eight bouts as long as the run is not stopped.
async fn play_until(
    together: &dyn Executor,
    alone: &dyn Executor,
    (self_test, cancel): (&(dyn Fn() -> Result<(), String> + Sync), &Cancel),
) -> (Ended, Vec<(u32, bool)>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = database(folder.path()).await;
    let committer = GroupCommitter::start(&store);
    let listener: Arc<dyn Listener> = Arc::new(Nobody);
    let mut league = League {
        store: &store,
        committer: committer.committer(),
        listener: &listener,
        cancel,
        self_test,
        clock: &FixedClock::at(0),
        until: None,
        replaced: &HashMap::new(),
        contended: Contended::PlayAgain,
    };
    let executors = Executors { together, alone };
    let ended = league.play_all(executors, (0..8).map(plan)).await.expect("a sound database");
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
    let busy = Arc::default();
    let crowded = |number| if number % 3 == 0 { Act::Contend } else { Act::Play };
    let together = Scripted::new(4, &busy, crowded);
    let alone = Scripted::new(1, &busy, |_| Act::Play);
    let (ended, stored) = play(&together, &alone, &passes).await;
    assert_eq!(ended, Ended::Complete);
    assert_eq!(stored, (0..8).map(|number| (number, false)).collect::<Vec<_>>());
    assert_eq!(together.numbers().len(), 8);
    assert!(together.most_beside() > 0, "several were played at once");
    let mut again = alone.numbers();
    again.sort_unstable();
    assert_eq!((again, alone.most_beside()), (vec![0, 3, 6], 0));
}

#[tokio::test]
async fn a_bout_that_is_contended_alone_counts_and_is_marked() {
    let busy = Arc::default();
    let together =
        Scripted::new(2, &busy, |number| if number == 5 { Act::Contend } else { Act::Play });
    let alone = Scripted::new(1, &busy, |_| Act::Contend);
    let (ended, stored) = play(&together, &alone, &passes).await;
    assert_eq!(ended, Ended::Complete);
    assert_eq!(stored, (0..8).map(|number| (number, number == 5)).collect::<Vec<_>>());
    assert_eq!(alone.numbers(), [5]);
}

#[tokio::test]
async fn without_contention_nobody_plays_alone() {
    let busy = Arc::default();
    let together = Scripted::new(2, &busy, |_| Act::Play);
    let alone = Scripted::new(1, &busy, |_| Act::Play);
    let (ended, stored) = play(&together, &alone, &passes).await;
    assert_eq!((ended, stored.len(), alone.numbers().len()), (Ended::Complete, 8, 0));
}

#[tokio::test]
async fn a_voided_bout_is_repeated_while_the_machine_passes_its_self_test() {
    let busy = Arc::default();
    let tests = AtomicUsize::new(0);
    let self_test = || {
        tests.fetch_add(1, Ordering::SeqCst);
        Ok(())
    };
    let together =
        Scripted::new(1, &busy, |number| if number == 2 { Act::Fail } else { Act::Play });
    let alone = Scripted::new(1, &busy, |_| Act::Play);
    let (ended, stored) = play(&together, &alone, &self_test).await;
    let Ended::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.contains("failed 3 times, although the sandbox passes"), "{reason}");
    assert!(reason.contains("anna vs bert") && reason.contains("the power failed"), "{reason}");
    assert_eq!(together.numbers().iter().filter(|number| **number == 2).count(), 3);
    assert_eq!(tests.load(Ordering::SeqCst), 3);
    assert!(stored.iter().all(|(number, _)| *number != 2), "a voided bout has no result");
}

#[tokio::test]
async fn a_self_test_that_fails_beside_bots_is_repeated_without_them() {
    static FAILED: AtomicUsize = AtomicUsize::new(0);
    let (busy, tests) = (Arc::default(), AtomicUsize::new(0));
    let together = Scripted::new(1, &busy, |number| {
        let fails = number == 2 && FAILED.fetch_add(1, Ordering::SeqCst) == 0;
        if fails { Act::Fail } else { Act::Play }
    });
    let alone = Scripted::new(1, &busy, |_| Act::Play);
    let self_test = || match tests.fetch_add(1, Ordering::SeqCst) {
        0 => Err("no descriptors".to_owned()),
        _ => Ok(()),
    };
    let (ended, stored) = play(&together, &alone, &self_test).await;
    assert_eq!(ended, Ended::Complete);
    assert_eq!(tests.load(Ordering::SeqCst), 2);
    assert!(stored.iter().any(|(number, _)| *number == 2), "the bout was played after all");
}

#[tokio::test]
async fn a_machine_that_fails_its_self_test_stops_the_run_at_once() {
    let busy = Arc::default();
    let together =
        Scripted::new(1, &busy, |number| if number == 2 { Act::Fail } else { Act::Play });
    let alone = Scripted::new(1, &busy, |_| Act::Play);
    let (ended, stored) = play(&together, &alone, &|| Err("no processes".to_owned())).await;
    let Ended::MachineFailed(reason) = ended else { panic!("{ended:?}") };
    assert!(reason.contains("fails its self-test (no processes)"), "{reason}");
    assert_eq!(together.numbers().iter().filter(|number| **number == 2).count(), 1);
    assert!(stored.len() >= 2, "what was finished is kept");
}
