//! Tests of refusals: addresses, servers, names and versions that do not fit.

use std::collections::{BTreeMap, BTreeSet};
use std::net::TcpListener;
use std::time::Duration;

use joust_cluster::transport::nats::{Address, NatsCoordinator, NatsWorker};
use joust_cluster::transport::{CoordinatorTransport, WorkerTransport};
use joust_cluster::{
    Announcement, Batch, Class, ClassId, MachineOffer, RequiredBuild, Stage, Work,
};
use joust_model::{BuildHash, GameOptions, Limits, Tier};
use joust_play::executor::Needs;
use joust_testkit::env::TestEnv;
use joust_testkit::league::{SMALL, bot};
use joust_testkit::nats::{NatsServer, Streams};
use joust_testkit::tcp_forwarder::TcpForwarder;

use crate::lab::{Lab, Process};

#[test]
fn what_is_no_address_is_a_wrong_command_line() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    for words in [["worker", "http://localhost"], ["run", "--workers=localhost"]] {
        let said = env.run(words).expect(2).stderr;
        assert!(said.contains("which is `nats://HOST:4222`"), "{said}");
    }
}

#[test]
fn a_server_that_is_not_there_is_said_before_anything_is_built() {
    let Some(lab) = Lab::new() else { return };
    let nowhere = "nats://127.0.0.1:1";
    for words in [["worker", nowhere], ["run", &format!("--workers={nowhere}")]] {
        let said = lab.env.run(words).expect(4).stderr;
        assert!(said.contains("no server at `nats://127.0.0.1:1`"), "{said}");
        assert!(!said.contains("building"), "{said}");
    }
}

#[test]
fn a_server_that_never_answers_is_left_at_a_signal() {
    let env = TestEnv::new(env!("CARGO_BIN_EXE_joust"));
    env.write("tournament.yaml", SMALL);
    for name in ["one", "two"] {
        bot(&env, name, "echo NO");
    }
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let url = format!("nats://{}", silent.local_addr().expect("it has an address"));
    for words in [["worker", &url], ["run", &format!("--workers={url}")]] {
        for signal in ["-INT", "-TERM", "-HUP"] {
            let process = Process::start(env.command(words));
            let _connection = silent.accept().expect("it connects");
            process.send(signal);
            let said = process.end().expect(130).stderr;
            assert!(said.contains("interrupted"), "{said}");
        }
    }
}

#[test]
fn a_server_without_streams_is_no_use() {
    let (Some(lab), Some(bare)) = (Lab::new(), NatsServer::start(Streams::None)) else { return };
    for words in [["run", &format!("--workers={}", bare.url())], ["worker", &bare.url()]] {
        let said = lab.env.run(words).expect(4).stderr;
        assert!(said.contains("has no JetStream: start it with `--jetstream`"), "{said}");
    }
}

#[test]
fn no_two_workers_have_one_name() {
    let Some(lab) = Lab::new() else { return };
    let mut first = lab.worker("twin", &[]);
    first.wait_for("waits");
    let said = lab.worker("twin", &[]).end().expect(4).stderr;
    assert!(said.contains("a worker called `twin` already exists"), "{said}");
}

#[test]
fn no_two_coordinators_play_one_tournament() {
    let Some(lab) = Lab::new() else { return };
    let mut first = lab.start_run();
    first.wait_for("no worker is there");
    let copy = lab.env.path().join("tournament.yaml");
    let text = std::fs::read_to_string(copy).expect("it was written");
    lab.env.write("copy.yaml", &text.replace("results.db", "copy.db"));
    let said = lab.env.run(["run", "copy.yaml", "--workers", &lab.url]).expect(4).stderr;
    assert!(said.contains("another coordinator plays this tournament there, `run-on-"), "{said}");
    assert!(said.contains("end that run, or wait until it is over"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_leaves_half_way_begins_anew_or_ends_with_its_address() {
    let Some(lab) = Lab::new() else { return };
    let forwarder = TcpForwarder::to(lab.server.port());
    let url = format!("nats://127.0.0.1:{}", forwarder.port());
    let address = Address { url: &url, credentials: None, name: "restless" };
    let offer =
        MachineOffer { cores: 1, tier: joust_sandbox::Tier::D, toolchains: BTreeSet::new() };
    let card = Announcement::new("restless", offer);
    let questions = ["$SYS.REQ.USER.INFO", "$KV.joust_names.run.", "$KV.joust_names.worker."];
    for question in questions {
        for (times, is_let_in) in [(2, true), (1000, false)] {
            forwarder.fail_on(question, times);
            let started = match question {
                "$KV.joust_names.worker." => NatsWorker::connect(&address, &card).await.map(drop),
                _ => NatsCoordinator::connect(&address, "restless").await.map(drop),
            };
            let said = started.map_err(|error| error.to_string());
            match said {
                Ok(()) => assert!(is_let_in, "{question} is not asked"),
                Err(said) => {
                    assert!(!is_let_in, "{question}: {said}");
                    assert!(said.starts_with(&format!("no server at `{url}`")), "{said}");
                }
            }
        }
    }
}

/// A stage that no machine of this version can play.
fn foreign_stage() -> Stage {
    let python = RequiredBuild {
        build: BuildHash([1; 32]),
        result: BuildHash([2; 32]),
        language: "python".to_owned(),
        toolchain: "Python 1.5.2".to_owned(),
    };
    let work = Work {
        event: "league".to_owned(),
        game: "battlebots".to_owned(),
        revision: 999,
        rules: "documented".to_owned(),
        options: GameOptions::default(),
        limits: Limits::default(),
        seats: 2,
        tier: Tier::D,
        calibration_runs: 1,
        own_languages: BTreeMap::new(),
        builds: vec![python],
        library_sets: Vec::new(),
        referee: None,
    };
    Stage {
        tournament: "foreign".to_owned(),
        title: "Foreign".to_owned(),
        epoch: 1,
        version: "99.0.0".to_owned(),
        lease: Duration::from_secs(2),
        work,
        classes: Vec::new(),
        is_watched: false,
        excluded: BTreeSet::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_that_differs_is_refused_with_every_difference_and_takes_nothing() {
    let Some(lab) = Lab::new() else { return };
    let address = |name| Address { url: &lab.url, credentials: None, name };
    let office = NatsCoordinator::connect(&address("office"), "foreign").await;
    let office = office.expect("it is let in");
    let id = ClassId::of(&Needs::default());
    let class = Class { id: id.clone(), needs: Needs::default() };
    let stage = Stage { classes: vec![class], ..foreign_stage() };
    office.open_stage(&stage).await.expect("there is room");
    let batch = Batch { epoch: 1, number: 1, attempt: 0, class: id.clone(), bouts: Vec::new() };
    office.publish_batch(&batch).await.expect("there is room");
    let worker = lab.worker("other", &["--once"]);
    let said = tokio::task::spawn_blocking(move || worker.end().expect(4).stderr);
    let said = said.await.expect("it ends");
    let offer =
        MachineOffer { cores: 1, tier: joust_sandbox::Tier::D, toolchains: BTreeSet::new() };
    let next = NatsWorker::connect(&address("next"), &Announcement::new("next", offer)).await;
    let taken = next.expect("it is let in").take_batch(&stage, &[id], Duration::from_secs(5)).await;
    let lease = taken.expect("the server answers").expect("it is there").lease;
    assert_eq!(lease.info().expect("it is of a stream").delivered, 1, "nobody took it before");
    for difference in [
        "Joust 99.0.0 is needed",
        "battlebots: rules revision 999 is needed",
        "tier D is needed",
        "python: Python 1.5.2 is needed",
    ] {
        assert!(said.contains(difference), "{difference}: {said}");
    }
}
