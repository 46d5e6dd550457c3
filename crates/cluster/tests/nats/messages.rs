//! Servers and messages that are none of Joust.

use std::time::Duration;

use joust_cluster::transport::nats::NatsCoordinator;
use joust_cluster::transport::{CoordinatorTransport, WorkerTransport};
use joust_cluster::{Batch, Class, ClassId, Stage};
use joust_play::executor::{Assignment, Needs};
use joust_testkit::nats::{NatsServer, Streams};
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
