//! NATS as transport, with a real server on the loopback interface. Without `nats-server`, which
//! `scripts/install-tools` builds with a recent Go, these tests are skipped with a message.

#![expect(clippy::print_stdout, reason = "a failed test says what happened before")]

mod fixtures;
mod messages;
mod reports;

use std::sync::Arc;

use joust_cluster::Announcement;
use joust_cluster::transport::nats::{NatsCoordinator, NatsWorker, PresenceQuery};
use joust_cluster::transport::{CoordinatorTransport, TransportError, WorkerTransport};
use joust_model::{BuildHash, Round};
use joust_play::executor::{Assignment, Executor, ExecutorEvent, Needs};
use joust_referee::Scene;
use joust_testkit::nats::{NatsServer, Streams};
use tokio::sync::mpsc::channel;
use tokio::sync::watch;
use tokio::time::timeout;

use fixtures::*;

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
    assert_eq!(position, &ExecutorEvent::Position { bout, round: Round(3), scene });
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
    let Some(lab) = Lab::start().await else { return };
    let (name, blob) = (BuildHash([3; 32]), vec![7; 3_000_000]);
    lab.office.put_blob(&name, || Ok(blob.clone())).await.expect("there is room");
    lab.office.put_blob(&name, || panic!("it is there")).await.expect("it is there");
    let worker = lab.worker().await;
    assert!(worker.get_blob(&name).await.expect("the server answers").as_ref() == Some(&blob));
    assert_eq!(worker.get_blob(&BuildHash([4; 32])).await, Ok(None));
    let there = PresenceQuery::connect(&address(&lab.url, "asks")).await.expect("it is let in");
    let there = there.list_workers().await.expect("the server answers");
    assert_eq!(there.iter().map(|it| &*it.worker).collect::<Vec<_>>(), ["one"]);
    let second = Announcement { instance: 2, ..card("one") };
    let refused = NatsWorker::connect(&address(&lab.url, "one"), &second).await.err();
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
