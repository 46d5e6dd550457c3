//! Reports that are longer than a message, and more than a server keeps.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use joust_cluster::envelope::{self, StoredReport, hash_of};
use joust_cluster::transport::PublishOutcome;
use joust_cluster::transport::nats::{
    Address, Invitation, NatsCoordinator, NatsWorker, invite, invite_coordinator,
};
use joust_cluster::transport::{CoordinatorTransport, TransportError, WorkerTransport};
use joust_cluster::{Batch, Class, ClassId, Report, RequiredBuild, Stage, Work};
use joust_model::{BoutResult, BuildHash};
use joust_play::executor::{Assignment, Delivery, Needs};
use joust_testkit::nats::{NatsServer, Streams};
use tokio::time::{sleep, timeout};

use crate::fixtures::*;

/// Returns a report that is too long for any message.
fn long_report(worker: &str) -> Report {
    let large = BoutResult { action_log: vec![0x5a; 9 << 20], ..result(&plan(0)) };
    Report {
        worker: worker.to_owned(),
        epoch: 1,
        batch: 1,
        attempt: 0,
        deliveries: vec![Delivery::new(plan(0).bout, Ok(large))],
        returned: Vec::new(),
    }
}

/// Sends messages that are longer than the server's limit between a coordinator and the worker
/// `one`.
async fn long_letters(office: &Address<'_>, one: &Address<'_>) {
    let office = NatsCoordinator::connect(office, "t").await.expect("it is let in");
    let worker = NatsWorker::connect(one, &card("one")).await.expect("it is let in");
    let class = Class { id: ClassId::of(&Needs::default()), needs: Needs::default() };
    let builds = (0..9000_u64).map(|it| {
        let build = BuildHash::of("test", &[&it.to_be_bytes()]);
        RequiredBuild { build, ..needed() }
    });
    let work = Work { builds: builds.collect(), ..stage().work };
    let stage = Stage { work, classes: vec![class.clone()], ..stage() };
    office.open_stage(&stage).await.expect("there is room");
    assert_eq!(worker.list_stages().await, Ok(vec![stage.clone()]));
    let rest = (1..3000).map(plan).collect();
    let bouts = vec![Assignment { rest, ..Assignment::new(plan(0), Needs::default()) }];
    let batch = Batch { epoch: 1, number: 1, attempt: 0, class: class.id.clone(), bouts };
    assert_eq!(office.publish_batch(&batch).await, Ok(PublishOutcome::Queued));
    let taken = worker.take_batch(&stage, &[class.id], PATIENCE).await.expect("the server answers");
    assert_eq!(taken.map(|taken| taken.batch), Some(batch));
    let report = long_report("one");
    // It is stored already the second time.
    for _ in 0..2 {
        worker.deliver_report(&stage, &report).await.expect("there is room");
    }
    assert!(office.next_report().await.as_ref() == Ok(&report), "what comes is what was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_a_message_travels_all_the_same() {
    // It accepts a megabyte at once.
    let Some(server) = NatsServer::start(Streams::Kept) else { return };
    let url = server.url();
    long_letters(&address(&url, "office"), &address(&url, "one")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_longer_than_a_message_travels_to_and_from_an_invited_worker() {
    let keys = [invite_coordinator("office"), invite("one")].map(|key| key.expect("it is a name"));
    let Some((server, files)) = with_keys("long", &keys) else { return };
    let url = server.url();
    let [office, one] = addresses(&url, &files);
    long_letters(&office, &one).await;
}

/// Starts a server that knows these keys, of `office`, of `one` and of others; returns the files
/// with the first two.
fn with_keys(name: &str, keys: &[Invitation]) -> Option<(NatsServer, [PathBuf; 2])> {
    let accounts: String = keys.iter().map(|key| &*key.entry).collect();
    let server = NatsServer::configured(&format!("accounts {{\n{accounts}}}"))?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let files = ["office", "one"].map(|end| folder.join(format!("{name}-{end}.nk")));
    for (file, key) in files.iter().zip(keys) {
        std::fs::write(file, &key.seed).expect("it can be written");
    }
    Some((server, files))
}

fn addresses<'a>(url: &'a str, [office, one]: &'a [PathBuf; 2]) -> [Address<'a>; 2] {
    [("office", office), ("one", one)]
        .map(|(name, file)| Address { credentials: Some(file), ..address(url, name) })
}

/// Messages of a worker with a header that could delete all other messages of a stream.
#[tokio::test(flavor = "multi_thread")]
async fn a_roll_up_header_removes_nothing_of_another_worker() {
    let keys = [invite_coordinator("office"), invite("one"), invite("evil")];
    let keys = keys.map(|key| key.expect("it is a name"));
    let Some((server, files)) = with_keys("wipe", &keys) else { return };
    let url = server.url();
    let [office, one] = addresses(&url, &files);
    let office = NatsCoordinator::connect(&office, "t").await.expect("it is let in");
    office.open_stage(&stage()).await.expect("there is room");
    let worker = NatsWorker::connect(&one, &card("one")).await.expect("it is let in");
    let report = long_report("one");
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    let seen = async_nats::ConnectOptions::new().nkey(keys[0].seed.clone()).connect(&url).await;
    let seen = async_nats::jetstream::new(seen.expect("it is let in"));
    let counted = async |stream: &str| {
        let mut stream = seen.get_stream(stream).await.expect("it is there");
        stream.info().await.expect("the server answers").state.messages
    };
    let streams = ["KV_joust_names", "joust_parts", "joust_t_results"];
    for stream in streams {
        assert!(counted(stream).await > 0, "{stream}");
    }
    let evil = async_nats::ConnectOptions::new().nkey(keys[2].seed.clone()).connect(&url).await;
    let evil = evil.expect("it is let in");
    let own = ["joust.js.$KV.joust_names.worker.evil", "joust.part.evil", "joust.t.result.evil"];
    for (subject, stream) in own.into_iter().zip(streams) {
        for extent in ["all", "sub"] {
            let before = counted(stream).await;
            let mut headers = async_nats::HeaderMap::new();
            headers.insert("Nats-Rollup", extent);
            let sent = evil.request_with_headers(subject, headers, "".into()).await;
            let answer = sent.expect("the server answers").payload;
            let answer = String::from_utf8_lossy(&answer).into_owned();
            assert!(answer.contains("rollup not permitted"), "{subject}: {answer}");
            assert!(counted(stream).await >= before, "{subject} {extent}");
        }
    }
    assert!(office.next_report().await.as_ref() == Ok(&report), "what comes is what was sent");
}

/// Long reports of a worker that do not match their references: each is refused, and the next one
/// is read.
#[tokio::test(flavor = "multi_thread")]
async fn parts_that_are_no_report_keep_no_report_waiting() {
    let Some(lab) = Lab::open().await else { return };
    let evil = async_nats::connect(&lab.url).await.expect("it is let in");
    let worker = lab.worker().await;
    // Its parts are the numbers 1 to 19.
    let of_one = Report { batch: 7, ..long_report("one") };
    worker.deliver_report(&stage(), &of_one).await.expect("there is room");
    let named = StoredReport { hash: BuildHash([8; 32]), parts: Vec::new() };
    let bytes = envelope::write(&of_one).expect("it is short enough");
    let parts = (1..=19).collect();
    let hash = hash_of(&bytes);
    for body in ["abc", "", "abc"] {
        evil.request("joust.part.evil", body.into()).await.expect("the server has it");
    }
    for report in [
        StoredReport { hash, parts },
        StoredReport { parts: vec![20, 21, 22], ..named.clone() },
        StoredReport { parts: vec![22, 21, 20, 20, 1], ..named.clone() },
        StoredReport { parts: vec![0], ..named.clone() },
        StoredReport { parts: vec![u64::MAX], ..named.clone() },
        StoredReport { parts: vec![20; 20_000], ..named.clone() },
        named,
    ] {
        let named = envelope::write(&report).expect("it is short");
        let sent = evil.request("joust.t.result.evil", named.into()).await;
        let answer = sent.expect("the server answers").payload;
        assert!(!String::from_utf8_lossy(&answer).contains("error"), "{answer:?}");
    }
    let report = long_report("one");
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    for report in [of_one, report] {
        let read = timeout(Duration::from_secs(20), lab.office.next_report()).await;
        assert!(read.expect("it waits behind what nobody reads").as_ref() == Ok(&report));
    }
    // Those of refused reports are removed, and of the second report, which has the first one's
    // bout.
    assert_eq!(stored_parts(&lab.url).await, 19);
}

/// Returns the number of stored parts of long reports.
async fn stored_parts(url: &str) -> u64 {
    let seen = async_nats::jetstream::new(async_nats::connect(url).await.expect("it is let in"));
    let parts = seen.get_stream("joust_parts").await.expect("it is there");
    parts.cached_info().state.messages
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_tournament_removes_reports_that_were_not_read() {
    let Some(lab) = Lab::open().await else { return };
    let worker = lab.worker().await;
    let elsewhere = Stage { tournament: "u".to_owned(), ..stage() };
    let other = NatsCoordinator::connect(&address(&lab.url, "other"), "u").await;
    let other = other.expect("it is let in");
    other.open_stage(&elsewhere).await.expect("there is room");
    let report = Report { batch: 2, ..long_report("one") };
    worker.deliver_report(&stage(), &long_report("one")).await.expect("there is room");
    worker.deliver_report(&elsewhere, &report).await.expect("there is room");
    assert_eq!(stored_parts(&lab.url).await, 2 * 19);
    lab.office.close_tournament().await.expect("the server answers");
    assert_eq!(stored_parts(&lab.url).await, 19);
    assert!(other.next_report().await.as_ref() == Ok(&report), "it is of another tournament");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_reports_of_one_attempt_with_other_results_both_arrive() {
    let Some(lab) = Lab::open().await else { return };
    let worker = lab.worker().await;
    for length in [9 << 20, 5 << 20, 100] {
        let action_log = vec![0x5a; length];
        let result = BoutResult { action_log, ..result(&plan(length as u64)) };
        let deliveries = vec![Delivery::new(result.bout, Ok(result))];
        let report = Report { deliveries, ..long_report("one") };
        worker.deliver_report(&stage(), &report).await.expect("there is room");
        let read = timeout(Duration::from_secs(20), lab.office.next_report()).await;
        assert!(read.expect("it comes").as_ref() == Ok(&report));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "long: a worker waits for a minute"]
async fn a_report_without_space_for_its_parts_is_given_up_after_a_minute() {
    let Some(lab) = Lab::open().await else { return };
    let full = async_nats::connect(&lab.url).await.expect("it is let in");
    for _ in 0..1024 {
        full.request("joust.part.one", "x".into()).await.expect("the server has it");
    }
    let worker = lab.worker().await;
    let (stage, reports) = (stage(), [1, 2].map(|batch| Report { batch, ..long_report("one") }));
    let sending = async {
        tokio::join!(
            worker.deliver_report(&stage, &reports[0]),
            worker.deliver_report(&stage, &reports[1]),
        )
    };
    // The second does not wait for another minute.
    let (first, second) = timeout(Duration::from_secs(100), sending).await.expect("it ends");
    assert!(matches!(first, Err(TransportError::Refused(_))), "{first:?}");
    assert_eq!(first, second);
    let short = Report { batch: 3, deliveries: Vec::new(), ..long_report("one") };
    worker.deliver_report(&stage, &short).await.expect("there is room");
    assert!(lab.office.next_report().await.as_ref() == Ok(&short));
}

/// A worker that stores more parts than its reports can have.
#[tokio::test(flavor = "multi_thread")]
async fn parts_of_one_worker_take_no_room_of_others() {
    let Some(lab) = Lab::open().await else { return };
    let worker = lab.worker().await;
    let report = long_report("one");
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    let evil = async_nats::connect(&lab.url).await.expect("it is let in");
    let answer = async |bytes: usize| {
        let sent = evil.request("joust.part.evil", vec![7; bytes].into()).await;
        String::from_utf8_lossy(&sent.expect("the server answers").payload).into_owned()
    };
    let long = answer(600 << 10).await;
    assert!(long.contains("message size exceeds maximum allowed"), "{long}");
    for _ in 0..1024 {
        let stored = answer(1).await;
        assert!(!stored.contains("error"), "{stored}");
    }
    let more = answer(1).await;
    assert!(more.contains("maximum messages per subject exceeded"), "{more}");
    let seen = async_nats::jetstream::new(evil);
    let parts = seen.get_stream("joust_parts").await.expect("it is there");
    assert_eq!(parts.cached_info().config.max_messages, 16_384);
    assert!(lab.office.next_report().await.as_ref() == Ok(&report));
}

/// A worker whose reports are stored faster than its coordinator reads them.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_parts_take_up_its_space_waits_and_loses_no_report() {
    const REPORTS: u64 = 1100;
    let Some(lab) = Lab::open().await else { return };
    let worker = lab.worker().await;
    let sending = tokio::spawn(async move {
        for number in 0..REPORTS {
            let result = BoutResult { action_log: vec![0; 64 << 10], ..result(&plan(number)) };
            let deliveries = vec![Delivery::new(result.bout, Ok(result))];
            let report = Report { batch: number, deliveries, ..long_report("one") };
            worker.deliver_report(&stage(), &report).await.expect("it waits until there is room");
        }
    });
    let seen =
        async_nats::jetstream::new(async_nats::connect(&lab.url).await.expect("it is let in"));
    let stored = async || {
        let parts = seen.get_stream("joust_parts").await.expect("it is there");
        parts.cached_info().state.messages
    };
    while stored().await < 1024 {
        sleep(Duration::from_millis(20)).await;
    }
    lab.office.refresh_stage(&stage()).await.expect("the server answers");
    assert!(!sending.is_finished(), "it waits");
    let mut read = BTreeSet::new();
    while (read.len() as u64) < REPORTS {
        let next = timeout(Duration::from_secs(60), lab.office.next_report()).await;
        let report = next.expect("it comes").expect("the server answers");
        lab.office.mark_settled(report.deliveries[0].bout);
        read.insert(report.batch);
    }
    sending.await.expect("it ends");
    assert_eq!(read, (0..REPORTS).collect());
}

/// Reports of a worker that are as many and as long as the server takes.
#[tokio::test(flavor = "multi_thread")]
async fn reports_of_one_worker_fill_a_stated_room_and_keep_no_report_of_another_out() {
    let Some(lab) = Lab::open().await else { return };
    let evil = async_nats::connect(&lab.url).await.expect("it is let in");
    let answer = async |bytes: usize| {
        let sent = evil.request("joust.t.result.evil", vec![7; bytes].into()).await;
        String::from_utf8_lossy(&sent.expect("the server answers").payload).into_owned()
    };
    let long = answer((64 << 10) + 1).await;
    assert!(long.contains("message size exceeds maximum allowed"), "{long}");
    for _ in 0..2304 {
        let kept = answer(63 << 10).await;
        assert!(!kept.contains("error"), "{kept}");
    }
    let more = answer(1).await;
    assert!(more.contains("maximum messages per subject exceeded"), "{more}");
    let seen = async_nats::jetstream::new(evil);
    let reports = seen.get_stream("joust_t_results").await.expect("it is there");
    let bytes = reports.cached_info().state.bytes;
    assert!(bytes <= 145 << 20, "{bytes}");
    // One that is longer than a message of the queue, and shorter than one of the server.
    let action_log = vec![0x5a; 100 << 10];
    let result = BoutResult { action_log, ..result(&plan(0)) };
    let deliveries = vec![Delivery::new(plan(0).bout, Ok(result))];
    let report = Report { deliveries, ..long_report("one") };
    let worker = lab.worker().await;
    worker.deliver_report(&stage(), &report).await.expect("there is room");
    let read = timeout(Duration::from_secs(20), lab.office.next_report()).await;
    assert!(read.expect("it waits behind what nobody reads").as_ref() == Ok(&report));
}
