//! Accounts of invited workers, with a real server: a worker can do its work and nothing else,
//! wherever it has the replies sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt;
use joust_cluster::transport::nats::{
    Address, Invitation, NatsCoordinator, NatsWorker, PresenceQuery, invite, invite_coordinator,
};
use joust_cluster::{Announcement, MachineOffer};
use joust_testkit::nats::NatsServer;
use serde_json::{Value, json};

/// Subjects to which a worker must not be able to publish.
const PUBLISHED: [&str; 21] = [
    "joust.roll",
    "joust.part.other",
    "$KV.joust_names.run.t",
    "joust.t.plan.c",
    "joust.t.result.other",
    "joust.here.other",
    "$KV.joust_names.worker.other",
    "$O.joust_builds.C.0000",
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
const HEARD: [&str; 9] = [
    ">",
    "joust.hello",
    "joust.here.*",
    "$KV.joust_names.>",
    "joust.t.result.>",
    "$O.joust_builds.>",
    "_INBOX_other.>",
    "_R_.>",
    "$JS.>",
];
const ITS_OWN: [&str; 13] = [
    "joust.hello",
    "joust.part.left",
    "joust.here.left",
    "joust.t.result.left",
    "$JS.API.CONSUMER.MSG.NEXT.joust_t_plans_c.all",
    "$JS.ACK.joust_t_plans_c.all.1.1.1.1.0",
    "$JS.API.DIRECT.GET.OBJ_joust_builds.$O.joust_builds.C.0000",
    "$JS.API.DIRECT.GET.OBJ_joust_builds",
    "$JS.API.CONSUMER.INFO.joust_t_plans_c.all",
    "$JS.API.STREAM.INFO.OBJ_joust_builds",
    "$JS.API.STREAM.INFO.KV_joust_names",
    "$JS.API.DIRECT.GET.KV_joust_names.$KV.joust_names.worker.left",
    "$KV.joust_names.worker.left",
];

/// Returns the name of one of [`ITS_OWN`] in a worker's account, or the name that another subject
/// would have there.
fn there(subject: &str) -> String {
    let to = subject.replace("$JS.API.", "joust.js.");
    if subject.starts_with("$KV.") { format!("joust.js.{subject}") } else { to }
}

/// Subjects to which a hostile worker has the server send its answers.
const REPLIES: [&str; 10] = [
    "joust.t.plan.c",
    "joust.t.result.other",
    "joust.here.other",
    "$O.joust_builds.C.0000",
    "joust.roll",
    "_INBOX_office.1",
    "$JS.API.STREAM.DELETE.joust_t_results",
    "$JS.API.STREAM.PURGE.joust_t_plans_c",
    "$JS.API.STREAM.DELETE.OBJ_joust_builds",
    "$JS.API.CONSUMER.DELETE.joust_t_plans_c.all",
];

/// The longest time that any step may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Last message of a worker.
const DONE: &str = "done";

/// A server with a coordinator and two workers.
struct House {
    server: NatsServer,
    coordinator: Invitation,
    left: Invitation,
    right: Invitation,
}

impl House {
    fn open() -> Option<Self> {
        let coordinator = invite_coordinator("coordinator").expect("it is a name");
        let left = invite("left").expect("it is a name");
        let right = invite("right").expect("it is a name");
        let entries = [&coordinator.entry, &left.entry, &right.entry].map(String::as_str).concat();
        let server = NatsServer::configured(&format!("accounts {{\n{entries}}}"))?;
        Some(Self { server, coordinator, left, right })
    }

    async fn client(&self, name: &str, key: &Invitation) -> Client {
        let options = ConnectOptions::new()
            .nkey(key.seed.clone())
            .custom_inbox_prefix(format!("_INBOX_{name}"));
        options.connect(self.server.url()).await.expect("it is let in")
    }

    /// Writes a key to a file of a test.
    fn key(file: &str, invitation: &Invitation) -> std::path::PathBuf {
        let key = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
        std::fs::write(&key, &invitation.seed).expect("it can be written");
        key
    }
}

/// A message: its subject and its payload.
type Heard = (String, Vec<u8>);

/// A coordinator's connection, with all that is said in its account.
struct TestCoordinator {
    client: Client,
    heard: Arc<Mutex<Vec<Heard>>>,
}

impl TestCoordinator {
    async fn open(house: &House) -> Self {
        let client = house.client("coordinator", &house.coordinator).await;
        let streams = [
            ("joust_t_plans_c", "joust.t.plan.c", Some("all")),
            ("joust_t_results", "joust.t.result.*", Some("coordinator")),
            ("OBJ_joust_builds", "$O.joust_builds.>", None),
        ];
        let coordinator = Self { client, heard: Arc::default() };
        for (stream, subject, consumer) in streams {
            let settings = json!({"name": stream, "subjects": [subject], "allow_direct": true});
            coordinator.api(&format!("STREAM.CREATE.{stream}"), &settings).await;
            let Some(consumer) = consumer else { continue };
            let config = json!({"durable_name": consumer, "ack_policy": "explicit"});
            let body = json!({"stream_name": stream, "config": config});
            coordinator.api(&format!("CONSUMER.DURABLE.CREATE.{stream}.{consumer}"), &body).await;
        }
        for subject in ["joust.t.plan.c", "$O.joust_builds.C.0000"] {
            coordinator
                .client
                .request(subject, "what lies there".into())
                .await
                .expect("it is kept");
        }
        let mut all = coordinator.client.subscribe(">").await.expect("it may");
        coordinator.client.flush().await.expect("the server answers");
        let heard = Arc::clone(&coordinator.heard);
        tokio::spawn(async move {
            while let Some(message) = all.next().await {
                // The server publishes the records of answered calls with a delay.
                if message.subject.starts_with("$JS.EVENT.ADVISORY.") {
                    continue;
                }
                let said = (message.subject.to_string(), message.payload.to_vec());
                heard.lock().expect("nobody panics").push(said);
            }
        });
        coordinator
    }

    async fn api(&self, call: &str, body: &Value) -> Value {
        let asked = self.client.request(format!("$JS.API.{call}"), body.to_string().into()).await;
        let answer = asked.expect("the server answers").payload;
        let answer: Value = serde_json::from_slice(&answer).expect("it is JSON");
        assert!(answer["error"].is_null(), "{call}: {answer}");
        answer
    }

    /// Returns how many messages each stream has, and how many consumers.
    async fn streams(&self) -> BTreeMap<String, (u64, u64)> {
        let listed = self.api("STREAM.LIST", &json!({})).await;
        let streams = listed["streams"].as_array().expect("there are some");
        let number = |it: &Value, key: &str| it["state"][key].as_u64().expect("it is a number");
        let of = |it: &Value| {
            let name = it["config"]["name"].as_str().expect("it is a name").to_owned();
            (name, (number(it, "messages"), number(it, "consumer_count")))
        };
        streams.iter().map(of).collect()
    }

    /// Returns the subjects of the messages that `worker` has caused so far. Its messages arrive in
    /// order.
    async fn heard(&self, worker: &Client) -> BTreeSet<String> {
        worker.publish("joust.hello", DONE.into()).await.expect("it is sent");
        worker.flush().await.expect("it is sent");
        let is_done = || {
            let heard = self.heard.lock().expect("nobody panics");
            heard.iter().any(|(_, payload)| payload == DONE.as_bytes())
        };
        let end = Instant::now() + PATIENCE;
        while !is_done() {
            assert!(Instant::now() < end, "nothing is heard");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let said = std::mem::take(&mut *self.heard.lock().expect("nobody panics"));
        let of_test = said.into_iter().filter(|(_, payload)| payload != DONE.as_bytes());
        of_test.map(|(subject, _)| subject).collect()
    }
}

/// Publishes at a subject as `worker`; returns the subjects at which it comes out.
async fn said(coordinator: &TestCoordinator, worker: &Client, subject: &str) -> BTreeSet<String> {
    coordinator.heard(worker).await;
    worker.publish(subject.to_owned(), "".into()).await.expect("it is sent");
    coordinator.heard(worker).await
}

/// Returns which replies come out in the coordinator's account.
async fn reached(coordinator: &TestCoordinator, worker: &Client) -> Vec<&'static str> {
    let heard = coordinator.heard(worker).await;
    // A batch is handed out under its own subject; whether one came is in the stream's count.
    let is_told = |reply: &&str| *reply != "joust.t.plan.c" && heard.contains(*reply);
    REPLIES.into_iter().filter(is_told).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_tries_everything_else_reaches_none_of_it() {
    let Some(house) = House::open() else { return };
    let coordinator = TestCoordinator::open(&house).await;
    let left = house.client("left", &house.left).await;
    for subject in ITS_OWN {
        assert!(said(&coordinator, &left, &there(subject)).await.contains(subject), "{subject}");
    }
    let before = coordinator.streams().await;
    for subject in PUBLISHED.into_iter().flat_map(|subject| [subject.to_owned(), there(subject)]) {
        assert_eq!(said(&coordinator, &left, &subject).await, BTreeSet::new(), "{subject}");
    }
    assert_eq!(coordinator.streams().await, before);
    let mut heard = Vec::new();
    for subject in HEARD {
        heard.push(left.subscribe(subject).await.expect("it is sent"));
    }
    let mut roll = left.subscribe("joust.roll").await.expect("it is sent");
    // Earlier requests are done when this one is answered.
    left.request("$SYS.REQ.USER.INFO", "".into()).await.expect("the server answers");
    for subject in HEARD.iter().filter(|subject| !subject.contains('*') && **subject != ">") {
        let subject = subject.replace('>', "x");
        coordinator.client.publish(subject, "secret".into()).await.expect("it is sent");
    }
    coordinator.client.publish("joust.here.other", "secret".into()).await.expect("it is sent");
    coordinator.client.publish("joust.roll", "all".into()).await.expect("it is sent");
    coordinator.client.flush().await.expect("the server answers");
    // It was said last.
    let called = tokio::time::timeout(PATIENCE, roll.next()).await.expect("it is called");
    assert_eq!(called.expect("it is called").payload, "all");
    for listener in &mut heard {
        listener.unsubscribe().await.expect("it listened");
        while let Some(message) = listener.next().await {
            assert_ne!(message.payload, "secret", "{message:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_to_answer_elsewhere_does_nothing_that_the_worker_may_not() {
    let Some(house) = House::open() else { return };
    let coordinator = TestCoordinator::open(&house).await;
    for (name, key) in [("left", &house.left), ("right", &house.right)] {
        let worker = house.client(name, key).await;
        let before = coordinator.streams().await;
        coordinator.heard(&worker).await;
        for subject in ITS_OWN.map(|subject| there(subject).replace("left", name)) {
            if subject.contains(".result.") {
                continue;
            }
            for reply in REPLIES {
                let body = r#"{"batch": 1, "no_wait": true}"#;
                let sent = worker.publish_with_reply(subject.clone(), reply, body.into()).await;
                sent.expect("it is sent");
            }
        }
        worker.flush().await.expect("the server answers");
        assert_eq!(reached(&coordinator, &worker).await, [""; 0], "{name}");
        assert_eq!(coordinator.streams().await, before, "{name}");
        // What it may send is kept, and the receipt goes nowhere else.
        for reply in REPLIES {
            let subject = format!("joust.t.result.{name}");
            let sent = worker.publish_with_reply(subject, reply, "x".into()).await;
            sent.expect("it is sent");
        }
        assert_eq!(reached(&coordinator, &worker).await, [""; 0], "{name}");
        let mut after = before;
        after.get_mut("joust_t_results").expect("it is there").0 += REPLIES.len() as u64;
        let end = Instant::now() + PATIENCE;
        while coordinator.streams().await != after && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(coordinator.streams().await, after, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_let_in_without_an_invitation() {
    let Some(house) = House::open() else { return };
    let address = Address { url: &house.server.url(), credentials: None, name: "stranger" };
    let refused = PresenceQuery::connect(&address).await.err().expect("it has no key").to_string();
    assert!(refused.contains("authorization violation"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_speaks_under_another_s_name_or_runs_what_it_may_not_is_told_so() {
    let Some(house) = House::open() else { return };
    let key = House::key("left.nk", &house.left);
    let url = house.server.url();
    let address = |name| Address { url: &url, credentials: Some(&key), name };
    let tier = joust_sandbox::Tier::B;
    let offer = MachineOffer { cores: 1, tier, toolchains: BTreeSet::new() };
    let card = Announcement::new("right", offer);
    let refused = NatsWorker::connect(&address("right"), &card).await.err();
    let text = refused.expect("it is another's name").to_string();
    assert!(text.contains("`--name left`"), "{text}");
    let refused = NatsCoordinator::connect(&address("left"), "t").await.err();
    let text = refused.expect("it is a worker's key").to_string();
    assert!(text.contains("`joust workers invite NAME --coordinator`"), "{text}");
    let refused = PresenceQuery::connect(&address("roll")).await.err();
    let text = refused.expect("it is a worker's key").to_string();
    assert!(text.contains("key of worker `left`"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_roll_has_whoever_is_there_each_under_the_name_of_its_own_key() {
    let Some(house) = House::open() else { return };
    let url = house.server.url();
    let offer =
        || MachineOffer { cores: 1, tier: joust_sandbox::Tier::B, toolchains: BTreeSet::new() };
    let mut there = Vec::new();
    for (name, key) in [("left", &house.left), ("right", &house.right)] {
        let key = House::key(&format!("roll-{name}.nk"), key);
        let address = Address { url: &url, credentials: Some(&key), name };
        let card = Announcement::new(name, offer());
        there.push(NatsWorker::connect(&address, &card).await.expect("it is let in"));
    }
    let liar = house.client("right", &house.right).await;
    let coordinator = House::key("roll-coordinator.nk", &house.coordinator);
    let address = Address { url: &url, credentials: Some(&coordinator), name: "roll" };
    let roll = PresenceQuery::connect(&address).await.expect("it is let in");
    let lie = joust_cluster::envelope::write(&Announcement::new("other", offer()));
    let lie = lie.expect("it is short");
    liar.publish("joust.here.right", lie.into()).await.expect("it is sent");
    let names: Vec<String> = roll
        .list_workers()
        .await
        .expect("the server answers")
        .into_iter()
        .map(|it| it.worker)
        .collect();
    assert_eq!(names, ["left", "right"]);
}
