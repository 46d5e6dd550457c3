//! Whole tournaments by workers.

use joust_cluster::transport::nats::{invite, invite_coordinator};

use crate::lab::{Lab, OWN};

#[test]
fn what_two_workers_play_is_what_one_machine_plays() {
    // A worker that comes when all is played waits for the next tournament.
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let (left, right) = (lab.worker("left", &["--once"]), lab.worker("right", &["--once"]));
    let run = lab.start_run().end().expect(0);
    for name in ["left", "right"] {
        assert!(
            run.stderr.contains(&format!("worker `{name}` is there with 1 core")),
            "{}",
            run.stderr
        );
    }
    lab.expect_standings(&expected);
    // Builds from a coordinator are never used as the worker's own builds.
    let received = std::fs::read_dir(lab.env.cache().join("workers/left/received/builds"));
    assert!(received.expect("it is there").count() > 0);
    for worker in [left, right] {
        let said = worker.end().expect(0).stderr;
        assert!(said.contains("plays `league` of `Small`"), "{said}");
    }
    let again = lab.start_run().end().expect(0);
    assert!(again.stderr.contains("24 have a result already"), "nothing is played again");
}

#[test]
fn a_worker_that_is_asked_to_end_finishes_what_it_plays_and_gives_the_rest_back() {
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let (first, second) = (lab.worker("first", &[]), lab.worker("second", &["--once"]));
    let run = lab.start_run();
    lab.wait_for_bouts(2);
    first.send("-TERM");
    let said = first.end().expect(0).stderr;
    assert!(said.contains("in play are over"), "{said}");
    let run = run.end().expect(0);
    assert!(!run.stderr.contains("voided"), "{}", run.stderr);
    lab.expect_standings(&expected);
    drop(second);
}

#[test]
fn a_referee_of_ones_own_travels_to_workers_and_judges_what_they_send() {
    let Some(lab) = Lab::with_a_game() else { return };
    lab.env.write("here.yaml", &OWN.replace("results.db", "here.db"));
    // The referee of the second event fails in each bout.
    lab.env.run(["run", "here.yaml"]).expect(1);
    let expected = lab.standings("here.db");
    // One of them may have played all before the other comes.
    let once = ["--once", "--idle", "30s"];
    let (left, right) = (lab.worker("left", &once), lab.worker("right", &once));
    let run = lab.start_run().end().expect(1);
    assert!(!run.stderr.contains("this machine plays it"), "{}", run.stderr);
    assert!(!run.stderr.contains("voided"), "{}", run.stderr);
    lab.expect_standings(&expected);
    let said = [left, right].map(|worker| worker.end().expect(0).stderr).join("\n");
    assert!(said.contains("plays `own` of `Nim cup`"), "{said}");
    let failed = lab.env.run(["bouts", "--format", "json"]).expect(0).stdout;
    assert_eq!(failed.matches("referee_error").count(), 2, "{failed}");
}

#[test]
fn a_worker_ends_when_it_has_had_nothing_to_play_for_as_long_as_it_was_told_to_wait() {
    let Some(lab) = Lab::slow() else { return };
    let waited = lab.worker("early", &["--idle", "1s"]).end().expect(0).stderr;
    assert!(waited.contains("ends: there was nothing to play for 1s"), "{waited}");
    let worker = lab.worker("steady", &["--idle", "5s"]);
    lab.start_run().end().expect(0);
    let said = worker.end().expect(0).stderr;
    assert!(said.contains("has played 24 bouts"), "{said}");
    assert!(said.contains("ends: there was nothing to play for 5s"), "{said}");
}

#[test]
fn an_invited_worker_has_all_the_rights_it_needs() {
    let worker = invite("left").expect("it is a name");
    let office = invite_coordinator("office").expect("it is a name");
    let users = format!("accounts {{\n{}{}}}", office.entry, worker.entry);
    let Some(lab) = Lab::configured(&users) else { return };
    let expected = lab.played_here();
    lab.env.write("left.nkey", &worker.seed);
    lab.env.write("office.nkey", &office.seed);
    let left = lab.worker("left", &["--once", "--credentials", "left.nkey"]);
    let words = lab.run_words();
    let key = ["--credentials", "office.nkey"];
    lab.env.run(words.iter().chain(&key)).expect(0);
    lab.expect_standings(&expected);
    left.end().expect(0);
}
