//! Guests: workers of others play where they are let in, and what they invent does not count.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use joust_orchestrator::cluster::signature::Signature;
use joust_orchestrator::cluster::transport::nats::{invite, invite_coordinator, invite_guest};
use joust_orchestrator::model::Change;
use joust_orchestrator::store::{Access, Store};
use joust_testkit::league::bot;

use crate::lab::Lab;
use crate::liar::Liar;

/// How long a tournament of some seconds may take beside a guest that plays nothing.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_guest_plays_where_it_is_let_in_and_nowhere_else() {
    let guest = invite_guest("ann").expect("it is a name");
    let own = invite("own").expect("it is a name");
    let office = invite_coordinator("office").expect("it is a name");
    let entries = [&guest.entry, &own.entry, &office.entry].map(String::as_str).concat();
    let Some(lab) = Lab::configured(&format!("accounts {{\n{entries}}}")) else {
        return;
    };
    let expected = lab.played_here();
    for (file, invitation) in [("ann", &guest), ("own", &own), ("office", &office)] {
        lab.env.write(file, &invitation.seed);
    }
    let alone = lab.start_run_with(&["--workers-credentials", "office"]);
    let said = lab.worker("guest-ann", &["--once", "--credentials", "ann"]).end().expect(4).stderr;
    assert!(said.contains("guests do not play here"), "{said}");
    alone.send("-INT");
    alone.end();
    let ann = lab.worker("guest-ann", &["--once", "--credentials", "ann"]);
    let own = lab.worker("own", &["--once", "--credentials", "own"]);
    let run = lab.start_run_with(&["--workers-credentials", "office", "--guests"]).end().expect(0);
    assert!(run.stderr.contains("worker `guest-ann` is there"), "{}", run.stderr);
    assert!(!run.stderr.contains("set aside"), "{}", run.stderr);
    lab.expect_standings(&expected);
    drop((ann, own));
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_that_a_guest_invents_are_found_and_do_not_count() {
    let Some(lab) = Lab::new() else { return };
    let expected = lab.played_here();
    // What it sends is what these bots would do if two of them were others.
    bot(&lab.env, "walker", "echo W");
    bot(&lab.env, "waiter", "echo N");
    lab.played_into("forged.db");
    bot(&lab.env, "walker", "echo 'E'");
    bot(&lab.env, "waiter", "echo 'NO'");
    let forger = Liar::called("guest-forger", &lab, "forged.db").await;
    let mut run = lab.start_run_with(&["--guests"]);
    let stage = forger.stage().await;
    let batch = forger.take(&stage).await.expect("something is handed out");
    let mut results = forger.results(&batch).await;
    for (result, assignment) in results.iter_mut().zip(&batch.bouts) {
        result.key = assignment.plan.key();
        for (seat, planned) in result.seats.iter_mut().zip(&assignment.plan.seats) {
            seat.occupant = planned.occupant;
        }
    }
    forger.send(&stage, &batch, 0, results).await;
    let own = lab.worker("own", &["--once"]);
    let said = tokio::task::spawn_blocking(move || {
        run.wait_for("guest `guest-forger` is set aside: workers of yours play bout");
        run.end().expect(0)
    });
    said.await.expect("it ends");
    lab.expect_standings(&expected);
    let forged = forger.results(&batch).await;
    let store = Store::open(&lab.env.path().join("results.db"), Access::ReadOnly).await;
    let store = store.expect("it was played");
    let mut signed = 0;
    for (mut result, assignment) in forged.into_iter().zip(&batch.bouts) {
        result.key = assignment.plan.key();
        let history = store.history(result.bout).await.expect("it can be read");
        let lines = history.iter().filter(|line| line.change == Change::Signed);
        let found = lines.filter_map(|line| Signature::found_in(result.bout, &line.reason));
        signed += found.filter(|signature| signature.is_of(&result)).count();
    }
    assert_eq!(signed, batch.bouts.len(), "what was forged is signed");
    let told = batch.bouts.iter().any(|assignment| {
        let bout = assignment.plan.bout.to_string();
        let history = lab.env.run(["history", &bout]).expect(0).stdout;
        history.contains("guest `guest-forger`")
    });
    assert!(told, "no history tells of what was forged");
    drop(own);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_whose_rates_are_not_those_of_the_others_is_set_aside_and_a_person_is_told() {
    let Some(lab) = Lab::of_many_bouts() else { return };
    let expected = lab.played_here();
    let guest = Arc::new(Liar::called("guest-crowded", &lab, "here.db").await);
    let mut run = lab.start_run_with(&["--guests"]);
    let stage = guest.stage().await;
    let own = lab.worker("own", &["--once"]);
    let told = tokio::task::spawn_blocking(move || {
        let why = run.wait_for("guest `guest-crowded` is set aside: ");
        run.end().expect(0);
        why
    });
    // While it waits for a batch, too: nothing is there for who says nothing.
    let held = Arc::new(Mutex::new(Vec::new()));
    let (voice, said, has) = (Arc::clone(&guest), stage.clone(), Arc::clone(&held));
    let voice = tokio::spawn(async move {
        loop {
            let batches = has.lock().expect("nobody panics").clone();
            voice.says_it_plays(&said, &batches).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    });
    // It plays as everybody does, on a machine that others use, too.
    let mut sent = 0;
    while !told.is_finished() {
        let Some(batch) = guest.take_while_it_runs(&stage).await else { continue };
        *held.lock().expect("nobody panics") = vec![batch.number];
        let mut results = guest.results(&batch).await;
        results.iter_mut().for_each(|result| result.contended = true);
        sent += results.len();
        guest.send(&stage, &batch, 0, results).await;
        held.lock().expect("nobody panics").clear();
        while lab.bouts() < sent / 2 && !told.is_finished() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    voice.abort();
    let why = told.await.expect("it ends");
    assert!(why.contains("bouts that shared their processor"), "{why}");
    assert!(sent >= 64, "{sent}: {why}");
    lab.expect_standings(&expected);
    drop(own);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_that_keeps_or_gives_back_all_that_it_takes_holds_nobody_up() {
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let guest = Liar::called("guest-idle", &lab, "here.db").await;
    let mut run = lab.start_run_with(&["--guests"]);
    let own = lab.worker("own", &["--once"]);
    let stage = guest.stage().await;
    let (mut kept, mut returned) = (Vec::new(), 0);
    let ended = tokio::task::spawn_blocking(move || {
        let end = Instant::now() + PATIENCE;
        while !run.is_over() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(50));
        }
        let is_over = run.is_over();
        if !is_over {
            run.send("-INT");
        }
        (is_over, run.end())
    });
    while !ended.is_finished() {
        guest.says_it_plays(&stage, &kept).await;
        let Some(batch) = guest.take_while_it_runs(&stage).await else { continue };
        match batch.number.is_multiple_of(2) {
            true => kept.push(batch.number),
            false => {
                guest.give_back(&stage, &batch).await;
                returned += 1;
            }
        }
    }
    let (is_over, run) = ended.await.expect("it ends");
    assert!(is_over, "it goes on and on: {}", run.stderr);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(!kept.is_empty() && returned > 0, "{kept:?} kept, {returned} returned");
    lab.expect_standings(&expected);
    drop(own);
}
