//! A worker that lies: its messages are refused or detected, and the tournament is unaffected.

use std::collections::BTreeSet;
use std::time::Duration;

use joust_cluster::transport::WorkerTransport;
use joust_cluster::transport::nats::{Address, NatsWorker};
use joust_cluster::{Announcement, Batch, MachineOffer, Report, Stage, WorkerState};
use joust_model::{BoutResult, BuildHash, Occupant, TurnLog, Verdict};
use joust_play::executor::{Delivery, Toolchain};
use joust_store::{Access, Store};

use crate::lab::Lab;

const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the result of every bout of the tournament.
async fn results_of(played: &Store) -> Vec<BoutResult> {
    let mut results = Vec::new();
    for bout in played.finished("league").await.expect("it can be read").into_keys() {
        let bout = played.bout(&bout.to_string()).await;
        results.push(bout.expect("it can be read").expect("it was played").result);
    }
    results
}

/// A worker that has seen the future: the tournament as this machine played it.
pub(crate) struct Liar {
    transport: NatsWorker,
    card: Announcement,
    played: Store,
}

impl Liar {
    async fn connect(lab: &Lab) -> Self {
        Self::called("liar", lab, "here.db").await
    }

    /// Connects under a name, with the results of this database.
    pub(crate) async fn called(name: &str, lab: &Lab, database: &str) -> Self {
        Self::with_key(name, lab, database, None).await
    }

    /// As [`Liar::called`], with the key in this file of the lab.
    pub(crate) async fn with_key(name: &str, lab: &Lab, database: &str, key: Option<&str>) -> Self {
        let offer = MachineOffer {
            cores: 1,
            tier: joust_sandbox::Tier::A,
            toolchains: BTreeSet::<Toolchain>::new(),
        };
        let database = lab.env.path().join(database);
        let played = Store::open(&database, Access::ReadOnly).await.expect("it was played");
        let card = Announcement {
            instance: 1,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            machine: results_of(&played).await.remove(0).machine,
            state: WorkerState::Playing,
            ..Announcement::new(name, offer)
        };
        let key = key.map(|file| lab.env.path().join(file));
        let address = Address { url: &lab.url, credentials: key.as_deref(), name };
        let transport = NatsWorker::connect(&address, &card).await.expect("it is let in");
        Self { transport, card, played }
    }

    /// Waits until there is something to play.
    pub(crate) async fn stage(&self) -> Stage {
        loop {
            let stages = self.transport.list_stages().await.expect("the server answers");
            if let Some(stage) = stages.into_iter().find(|it| !it.classes.is_empty()) {
                return stage;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub(crate) async fn take(&self, stage: &Stage) -> Option<Batch> {
        let classes: Vec<_> = stage.classes.iter().map(|class| class.id.clone()).collect();
        let taken = self.transport.take_batch(stage, &classes, PATIENCE).await;
        taken.expect("the server answers").map(|taken| taken.batch)
    }

    /// Returns the results of the bouts of a batch.
    pub(crate) async fn results(&self, batch: &Batch) -> Vec<BoutResult> {
        let mut results = Vec::new();
        for assignment in &batch.bouts {
            let bout = self.played.bout(&assignment.plan.bout.to_string()).await;
            results.push(bout.expect("it can be read").expect("it was played").result);
        }
        results
    }

    /// Returns the result of every bout of the tournament.
    pub(crate) async fn all_results(&self) -> Vec<BoutResult> {
        results_of(&self.played).await
    }

    pub(crate) async fn send(
        &self,
        stage: &Stage,
        batch: &Batch,
        attempt: u32,
        results: Vec<BoutResult>,
    ) {
        let delivery = |result: BoutResult| Delivery::new(result.bout, Ok(result));
        let report = Report {
            worker: self.card.worker.clone(),
            epoch: batch.epoch,
            batch: batch.number,
            attempt,
            deliveries: results.into_iter().map(delivery).collect(),
            returned: Vec::new(),
        };
        self.transport.deliver_report(stage, &report).await.expect("the server takes it");
    }
}

fn with_changed_turn(result: &mut BoutResult, change: impl Fn(&mut joust_model::TurnRecord)) {
    let mut turns = TurnLog::read(&result.turn_log).expect("the log is whole");
    change(&mut turns[1]);
    let mut log = TurnLog::default();
    turns.iter().for_each(|turn| log.push(turn));
    result.turn_log = log.compress();
}

/// A lie, and the expected message about it.
struct Lie {
    tell: fn(&mut BoutResult),
    found: &'static str,
}

const LIES: [Lie; 8] = [
    Lie {
        tell: |it| it.state_hash = "0".repeat(it.state_hash.len()),
        found: "state hash: recorded",
    },
    Lie {
        tell: |it| with_changed_turn(it, |turn| turn.action = "B N".to_owned()),
        found: "action: recorded `B N`",
    },
    Lie {
        tell: |it| with_changed_turn(it, |turn| turn.verdict = Verdict::Timeout.code()),
        found: "verdict: recorded `timeout`",
    },
    Lie {
        tell: |it| it.seats[0].occupant = Occupant::Build(BuildHash([9; 32])),
        found: "its bots or builds are others",
    },
    Lie {
        tell: |it| it.seats[0].cpu = Duration::MAX,
        found: "it says that something took more than a month",
    },
    Lie {
        tell: |it| it.seats[1].calibration.machine = "m".repeat(1 << 16),
        found: "it names its machine, game or languages at great length",
    },
    Lie { tell: |it| it.joust_version = "0.0.1".to_owned(), found: "it was played by Joust 0.0.1" },
    Lie {
        tell: |it| {
            it.seats.reverse();
            it.seats.iter_mut().for_each(|seat| seat.rank = 3 - seat.rank);
        },
        found: "its bots or builds are others",
    },
];

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_follow_from_what_the_bots_did_is_never_stored() {
    let Some(lab) = Lab::new() else { return };
    let expected = lab.played_here();
    let liar = Liar::connect(&lab).await;
    let mut run = lab.start_run();
    let stage = liar.stage().await;
    let mut lies = LIES.iter();
    while lies.len() > 0 {
        let Some(batch) = liar.take(&stage).await else { panic!("nothing is handed out") };
        let mut results = liar.results(&batch).await;
        for (result, lie) in results.iter_mut().zip(lies.by_ref()) {
            (lie.tell)(result);
        }
        liar.send(&stage, &batch, 0, results).await;
    }
    let worker = lab.worker("honest", &["--once"]);
    let said = tokio::task::spawn_blocking(move || {
        run.wait_for("is refused: ");
        run.end().expect(0).stderr
    });
    let said = said.await.expect("it ends");
    for lie in &LIES[1..] {
        assert!(said.contains(lie.found), "{}: {said}", lie.found);
    }
    lab.expect_standings(&expected);
    drop(worker);
}
