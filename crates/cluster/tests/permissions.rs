//! Permissions of an invited worker, with a real server: it does its work and nothing else.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::{Client, ConnectOptions, Event, ServerError};
use joust_cluster::transport::nats::{
    Address, NatsCoordinator, NatsWorker, Roll, invite, invite_guest,
};
use joust_cluster::{Announcement, MachineOffer};
use joust_testkit::nats::NatsServer;

/// What a worker has no business with.
const PUBLISHED: [&str; 18] = [
    "joust.t.plan.c",
    "joust.t.result.other",
    "joust.here.other",
    "joust.name.other",
    "joust.blob.0000.0",
    "$JS.API.INFO",
    "$JS.API.STREAM.CREATE.joust_t_plans_c",
    "$JS.API.STREAM.DELETE.joust_t_results",
    "$JS.API.STREAM.PURGE.joust_t_plans_c",
    "$JS.API.STREAM.INFO.joust_t_plans_c",
    "$JS.API.STREAM.MSG.GET.joust_t_results",
    "$JS.API.DIRECT.GET.joust_t_plans_c.joust.t.plan.c",
    "$JS.API.CONSUMER.DURABLE.CREATE.joust_t_results.mine",
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_results.coordinator",
    "$JS.ACK.joust_t_results.coordinator.1.1.1.1.0",
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_plans_c.mine",
    "$JS.API.CONSUMER.DELETE.joust_t_plans_c.all",
    "$JS.API.CONSUMER.PAUSE.joust_t_plans_c.all",
];
const HEARD: [&str; 7] = [
    ">",
    "joust.hello",
    "joust.here.*",
    "joust.office.t",
    "joust.t.result.>",
    "joust.name.other",
    "_INBOX_other.>",
];
const ITS_OWN: [&str; 10] = [
    "joust.hello",
    "joust.roll",
    "joust.here.left",
    "joust.name.left",
    "joust.t.result.left",
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_plans_c.all",
    "$JS.ACK.joust_t_plans_c.all.1.1.1.1.0",
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_plans_c-own.own",
    "$JS.ACK.joust_t_plans_c-own.own.1.1.1.1.0",
    "$JS.API.DIRECT.GET.joust_blobs.joust.blob.0000.0",
];

/// What a guest has no business with, beside that.
const OF_OWN_WORKERS: [&str; 2] = [
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_plans_c-own.own",
    "$JS.ACK.joust_t_plans_c-own.own.1.1.1.1.0",
];

/// A worker's connection, and how often the server has refused it something.
struct Worker {
    client: Client,
    refused: Arc<Mutex<Vec<String>>>,
    name: String,
}

impl Worker {
    async fn connect(server: &NatsServer, name: &str, seed: &str) -> Self {
        let refused = Arc::<Mutex<Vec<String>>>::default();
        let heard = Arc::clone(&refused);
        let options = ConnectOptions::new()
            .nkey(seed.to_owned())
            .custom_inbox_prefix(format!("_INBOX_{name}"))
            .event_callback(move |event| {
                if let Event::ServerError(ServerError::Other(text)) = event {
                    heard.lock().expect("nobody panics").push(text);
                }
                std::future::ready(())
            });
        let client = options.connect(server.url()).await.expect("it is let in");
        Self { client, refused, name: name.to_owned() }
    }

    /// Tries to say something; returns whether the server refuses it.
    async fn is_refused(&self, subject: &str) -> bool {
        self.client.publish(subject.to_owned(), "".into()).await.expect("it is sent");
        self.refused().await.iter().any(|it| it.contains("Permissions Violation"))
    }

    /// Returns what was refused since this was last asked.
    async fn refused(&self) -> Vec<String> {
        self.client.flush().await.expect("the server answers");
        // What the server says of it comes before its answer to a ping.
        let own = self
            .client
            .subscribe(format!("_INBOX_{}.done", self.name))
            .await
            .expect("it is its own");
        drop(own);
        self.client.flush().await.expect("the server answers");
        tokio::time::sleep(Duration::from_millis(50)).await;
        std::mem::take(&mut *self.refused.lock().expect("nobody panics"))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_tries_everything_else_is_denied_all_of_it() {
    let invitation = invite("left").expect("it is a name");
    let text = format!("authorization {{ users: [ {} ] }}", invitation.entry);
    let Some(server) = NatsServer::configured(&text) else { return };
    let worker = Worker::connect(&server, "left", &invitation.seed).await;
    for subject in ITS_OWN {
        worker.client.publish(subject, "".into()).await.expect("it is sent");
        assert_eq!(worker.refused().await, [""; 0], "{subject}");
    }
    for subject in PUBLISHED {
        assert!(worker.is_refused(subject).await, "{subject}");
    }
    for subject in HEARD {
        let heard = worker.client.subscribe(subject).await.expect("it is sent");
        let refused = worker.refused().await;
        assert!(refused.iter().any(|it| it.contains("Permissions Violation")), "{subject}");
        drop(heard);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_takes_nothing_that_waits_for_workers_of_one_s_own() {
    let invitation = invite_guest("ann").expect("it is a name");
    let text = format!("authorization {{ users: [ {} ] }}", invitation.entry);
    let Some(server) = NatsServer::configured(&text) else { return };
    let guest = Worker::connect(&server, "guest-ann", &invitation.seed).await;
    for subject in ITS_OWN.iter().filter(|subject| !OF_OWN_WORKERS.contains(subject)) {
        let subject = subject.replace("left", "guest-ann");
        assert!(!guest.is_refused(&subject).await, "{subject}");
    }
    for subject in OF_OWN_WORKERS.iter().chain(&PUBLISHED) {
        assert!(guest.is_refused(subject).await, "{subject}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_let_in_without_an_invitation() {
    let invitation = invite("left").expect("it is a name");
    let text = format!("authorization {{ users: [ {} ] }}", invitation.entry);
    let Some(server) = NatsServer::configured(&text) else { return };
    let address = Address { url: &server.url(), credentials: None, name: "stranger" };
    let refused = Roll::connect(&address).await.err().expect("it has no key").to_string();
    assert!(refused.contains("authorization violation"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_speaks_under_another_s_name_or_runs_what_it_may_not_is_told_so() {
    let invitation = invite("left").expect("it is a name");
    let text = format!("authorization {{ users: [ {} ] }}", invitation.entry);
    let Some(server) = NatsServer::configured(&text) else { return };
    let key = Path::new(env!("CARGO_TARGET_TMPDIR")).join("left.nk");
    std::fs::write(&key, &invitation.seed).expect("it can be written");
    let url = server.url();
    let address = |name| Address { url: &url, credentials: Some(&key), name };
    let tier = joust_sandbox::Tier::B;
    let offer = MachineOffer { cores: 1, tier, toolchains: BTreeSet::new() };
    let card = Announcement::new("right", offer);
    let refused = NatsWorker::connect(&address("right"), &card).await.err();
    let text = refused.expect("it is another's name").to_string();
    assert!(text.contains("`--name` has to be the name that its key was made for"), "{text}");
    let refused = NatsCoordinator::connect(&address("left"), "t").await.err();
    let text = refused.expect("it is a worker's key").to_string();
    assert!(text.contains("`joust workers invite NAME --coordinator`"), "{text}");
}
