//! Test of a coordinator whose validator is slow.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use joust_model::{GameOptions, Limits, Tier};
use joust_play::executor::{MachineOffer, Needs};
use joust_testkit::fixtures;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::*;
use crate::message::{Batch, Work, WorkerState};
use crate::transport::{PublishOutcome, TransportError, TransportState};

const BEAT: Duration = Duration::from_millis(300);
/// Number of attempts; on a busy machine the worker may be too slow in some of them.
const TRIES: u32 = 5;
const WORKER: &str = "anna";
const TOURNAMENT: &str = "t";

/// A transport with one worker, which announces itself often and plays at once.
struct Lively {
    machine: String,
    result: BoutResult,
    reports: mpsc::UnboundedSender<Report>,
    reported: tokio::sync::Mutex<mpsc::UnboundedReceiver<Report>>,
    /// Time of the worker's last announcement, and its longest silence.
    spoke: Mutex<(Instant, Duration)>,
}

impl Lively {
    fn new(result: BoutResult) -> Self {
        let (reports, reported) = mpsc::unbounded_channel();
        let reported = tokio::sync::Mutex::new(reported);
        let spoke = Mutex::new((Instant::now(), Duration::ZERO));
        Self { machine: result.machine.clone(), result, reports, reported, spoke }
    }

    /// Records an announcement; returns the worker's longest silence.
    fn speak(&self) -> Duration {
        let mut spoke = self.spoke.lock().unwrap_or_else(PoisonError::into_inner);
        *spoke = (Instant::now(), spoke.1.max(spoke.0.elapsed()));
        spoke.1
    }
}

impl CoordinatorTransport for Lively {
    async fn open_stage(&self, _: &Stage) -> Result<(), TransportError> {
        Ok(())
    }

    async fn refresh_stage(&self, _: &Stage) -> Result<TransportState, TransportError> {
        Ok(TransportState::Intact)
    }

    async fn publish_batch(&self, batch: &Batch) -> Result<PublishOutcome, TransportError> {
        let delivery = Delivery::new(self.result.bout, Ok(self.result.clone()));
        let report = Report {
            worker: WORKER.to_owned(),
            epoch: batch.epoch,
            batch: batch.number,
            attempt: batch.attempt,
            deliveries: vec![delivery],
            returned: Vec::new(),
        };
        self.reports.send(report).expect("the transport is there");
        Ok(PublishOutcome::Queued)
    }

    async fn next_report(&self) -> Result<Report, TransportError> {
        let mut reported = self.reported.lock().await;
        reported.recv().await.ok_or_else(|| TransportError::Unavailable("it is over".to_owned()))
    }

    async fn next_announcement(&self) -> Result<Announcement, TransportError> {
        sleep(BEAT / 5).await;
        self.speak();
        let offer =
            MachineOffer { cores: 1, tier: joust_sandbox::Tier::A, toolchains: BTreeSet::new() };
        let card = Announcement::new(WORKER, offer);
        let (machine, tournament) = (self.machine.clone(), Some(TOURNAMENT.to_owned()));
        Ok(Announcement { machine, tournament, state: WorkerState::Playing, ..card })
    }

    async fn put_blob(
        &self,
        _: &BuildHash,
        _: impl FnOnce() -> io::Result<Vec<u8>> + Send,
    ) -> Result<(), TransportError> {
        Ok(())
    }

    async fn recall_batches(&self) -> Result<(), TransportError> {
        Ok(())
    }

    async fn close_tournament(&self) -> Result<(), TransportError> {
        Ok(())
    }
}

/// A validator that takes many beats, and keeps the notices.
#[derive(Default)]
struct Thorough {
    news: Mutex<Vec<CoordinatorNotice>>,
}

impl ResultValidator for Thorough {
    fn find_fault(&self, _: &BoutPlan, _: &BoutResult) -> Option<String> {
        // Blocks the thread, as unpacking a long log does.
        std::thread::sleep(4 * BEAT);
        None
    }

    fn pack_build(&self, _: &BuildHash) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn notify(&self, notice: CoordinatorNotice) {
        self.news.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
    }
}

fn stage() -> Stage {
    let work = Work {
        event: "event".to_owned(),
        game: "battlebots".to_owned(),
        revision: 1,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        limits: Limits::default(),
        seats: 2,
        tier: Tier::A,
        calibration_runs: 1,
        own_languages: BTreeMap::new(),
        builds: Vec::new(),
        library_sets: Vec::new(),
        referee: None,
    };
    Stage {
        tournament: TOURNAMENT.to_owned(),
        title: "T".to_owned(),
        epoch: 1,
        version: String::new(),
        lease: Duration::from_secs(30),
        work,
        classes: Vec::new(),
        is_watched: false,
        excluded: BTreeSet::new(),
    }
}

/// Has a bout played and checked; returns the notices, and the worker's longest silence.
async fn play_one() -> (Vec<CoordinatorNotice>, Duration) {
    let (plan, result) = fixtures::bout("event", ["anna", "bert"], 1);
    let inspector = Arc::new(Thorough::default());
    let (stage, cancel) = (stage(), Cancel::default());
    let terms = CoordinatorConfig { stage, beat: BEAT, cancel };
    let transport = Arc::new(Lively::new(result));
    let coordinator = Coordinator::new(Arc::clone(&transport), Arc::clone(&inspector), terms);
    let (assignments, given) = mpsc::channel(1);
    let (events, mut happened) = mpsc::channel(64);
    let (told, delivered) = oneshot::channel();
    let listening = tokio::spawn(async move {
        let (mut told, mut heartbeats_after) = (Some(told), 0);
        while let Some(event) = happened.recv().await {
            match event {
                ExecutorEvent::Delivered(delivery) => {
                    assert!(delivery.result.is_ok(), "it is judged");
                    _ = told.take().map(|told| told.send(()));
                }
                ExecutorEvent::Heartbeat(_) if told.is_none() => heartbeats_after += 1,
                _ => {}
            }
        }
        heartbeats_after
    });
    let running = tokio::spawn(coordinator.execute(given, events));
    // The announcement comes first.
    sleep(2 * BEAT).await;
    assignments.send(Assignment::new(plan, Needs::default())).await.expect("it takes bouts");
    delivered.await.expect("the bout is delivered");
    // The coordinator reviews its workers once more.
    sleep(2 * TICK).await;
    drop(assignments);
    running.await.expect("it does not panic").expect("it is not lost");
    assert!(listening.await.expect("it listens") > 0, "it looked after everything");
    let news = std::mem::take(&mut *inspector.news.lock().unwrap_or_else(PoisonError::into_inner));
    (news, transport.speak())
}

/// The test tolerates a machine on which nothing runs for some beats.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_worker_is_not_gone_because_a_result_took_long_to_judge() {
    for _ in 0..TRIES {
        let (news, silence) = play_one().await;
        if silence >= BEAT {
            continue;
        }
        assert!(
            news.iter().any(|one| matches!(one, CoordinatorNotice::WorkerJoined { .. })),
            "{news:?}"
        );
        assert!(
            !news.iter().any(|one| matches!(one, CoordinatorNotice::WorkerLost(_))),
            "{news:?}"
        );
        return;
    }
    panic!("this machine was too busy {TRIES} times");
}
