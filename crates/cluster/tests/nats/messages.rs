//! Servers and messages that are none of Joust.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use joust_cluster::envelope::{StoredMessage, hash_of, write};
use joust_cluster::transport::nats::{NatsCoordinator, NatsWorker};
use joust_cluster::transport::{
    CoordinatorTransport, LeaseAction, ReceivedBatch, TransportError, WorkerTransport,
};
use joust_cluster::{
    Announcement, Batch, Class, ClassId, ExitConditions, Report, Stage, Worker, WorkerExit,
};
use joust_model::BuildHash;
use joust_play::executor::{Assignment, Needs};
use joust_testkit::nats::{NatsServer, Streams};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::fixtures::*;

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
    let Some(lab) = Lab::start().await else { return };
    let worker = lab.worker().await;
    let id = ClassId::of(&Needs::default());
    let class = Class { id: id.clone(), needs: Needs::default() };
    let stage = Stage { classes: vec![class], ..stage() };
    lab.office.open_stage(&stage).await.expect("there is room");
    let stranger = async_nats::connect(&lab.url).await.expect("it is let in");
    let subject = format!("joust.t.plan.{id}");
    for _ in 0..100 {
        say(&stranger, subject.clone(), b"{\"stream\":\"joust_t_results\",\"seq\":1}").await;
        // A message of a future version.
        say(&stranger, subject.clone(), b"joust\xff\xff\x01").await;
    }
    let bouts = vec![Assignment::new(plan(0), Needs::default())];
    let batch = Batch { epoch: 1, number: 1, attempt: 0, class: id.clone(), bouts };
    lab.office.publish_batch(&batch).await.expect("there is room");
    let taking = async {
        loop {
            let taken = worker.take_batch(&stage, std::slice::from_ref(&id), PATIENCE).await;
            if let Ok(Some(taken)) = taken {
                return taken.batch;
            }
        }
    };
    let taken = timeout(Duration::from_secs(5), taking).await;
    assert_eq!(taken, Ok(batch), "it waits behind what nobody reads");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_refer_to_one_long_stage_are_bounded_together() {
    let Some(lab) = Lab::start().await else { return };
    let worker = lab.worker().await;
    let long = Stage { title: "x".repeat(9 << 20), ..stage() };
    let bytes = write(&long).expect("it is short enough");
    let hash = hash_of(&bytes);
    lab.office.put_blob(&hash, || Ok(bytes)).await.expect("there is room");
    let reference = write(&StoredMessage { hash }).expect("it is short");
    let stranger = async_nats::connect(&lab.url).await.expect("it is let in");
    let mut queries = stranger.subscribe("joust.hello").await.expect("it is let in");
    stranger.flush().await.expect("the server answers");
    tokio::spawn(async move {
        while let Some(query) = queries.next().await {
            let inbox = query.reply.expect("it is a query");
            for _ in 0..200 {
                let sent = stranger.publish(inbox.clone(), reference.clone().into()).await;
                sent.expect("it is sent");
            }
        }
    });
    // On a busy machine not all answers come in time.
    let mut most = 0;
    for _ in 0..20 {
        most = most.max(worker.list_stages().await.expect("the server answers").len());
        if most >= 14 {
            break;
        }
    }
    assert_eq!(most, 14, "stages of 9 MiB in 128 MiB");
}

/// Server that accepts everything and answers nothing.
struct SilentServer;

impl WorkerTransport for SilentServer {
    type Lease = ();

    async fn list_stages(&self) -> Result<Vec<Stage>, TransportError> {
        pending().await
    }

    async fn take_batch(
        &self,
        _: &Stage,
        _: &[ClassId],
        _: Duration,
    ) -> Result<Option<ReceivedBatch<()>>, TransportError> {
        pending().await
    }

    async fn renew_lease(&self, (): &()) -> Result<(), TransportError> {
        Ok(())
    }

    async fn end_lease(&self, (): &(), _: LeaseAction) -> Result<(), TransportError> {
        Ok(())
    }

    async fn deliver_report(&self, _: &Stage, _: &Report) -> Result<(), TransportError> {
        pending().await
    }

    async fn get_blob(&self, _: &BuildHash) -> Result<Option<Vec<u8>>, TransportError> {
        pending().await
    }

    async fn announce(&self, _: &Announcement) -> Result<(), TransportError> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_sent_without_a_server_waits_for_it() {
    let Some(mut server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    let office = NatsCoordinator::connect(&address(&url, "office"), "t").await.expect("let in");
    let worker = NatsWorker::connect(&address(&url, "one"), &card("one")).await.expect("let in");
    server.kill();
    // The client queues 2,048 messages.
    let sending = async {
        for _ in 0..3000 {
            let _ = worker.announce(&card("one")).await;
            let _ = worker.get_blob(&BuildHash([1; 32])).await;
            let _ = office.refresh_stage(&stage()).await;
        }
    };
    timeout(PATIENCE, sending).await.expect("it ends without a server");
}

#[tokio::test]
async fn a_worker_that_waits_for_an_answer_ends_when_it_is_asked_to() {
    let (stop, stopped) = watch::channel(false);
    let worker = Worker {
        transport: Arc::new(SilentServer),
        host: Arc::new(Machine::default()),
        card: card("one"),
        beat: Duration::from_secs(1),
        exit_conditions: ExitConditions::default(),
        stop: stopped,
    };
    let running = tokio::spawn(worker.run());
    tokio::task::yield_now().await;
    stop.send(true).expect("it runs");
    let ended = timeout(Duration::from_secs(20), running).await.expect("it ends");
    assert_eq!(ended.expect("it does not panic"), WorkerExit::Drained);
}
