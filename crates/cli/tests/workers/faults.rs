//! Workers, the server and the coordinator end in the middle.

use std::time::Duration;

use crate::lab::Lab;

#[test]
fn the_bouts_of_a_worker_that_was_killed_are_played_elsewhere() {
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let (first, second) = (lab.worker("first", &[]), lab.worker("second", &["--once"]));
    let run = lab.start_run();
    lab.wait_for_bouts(2);
    first.send("-KILL");
    let run = run.end().expect(0);
    assert!(!run.stderr.contains("voided"), "{}", run.stderr);
    lab.expect_standings(&expected);
    drop((first, second));
}

#[test]
fn a_server_that_was_killed_and_forgot_everything_ends_nothing() {
    let Some(mut lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let worker = lab.worker("only", &["--once"]);
    let run = lab.start_run();
    lab.wait_for_bouts(2);
    lab.server.kill();
    std::thread::sleep(Duration::from_millis(300));
    lab.server.start_empty();
    run.end().expect(0);
    lab.expect_standings(&expected);
    worker.end().expect(0);
}

#[test]
fn a_coordinator_that_was_killed_goes_on_by_the_same_command() {
    let Some(lab) = Lab::slow() else { return };
    let expected = lab.played_here();
    let worker = lab.worker("only", &[]);
    let killed = lab.start_run();
    lab.wait_for_bouts(2);
    killed.send("-KILL");
    drop(killed);
    let run = lab.start_run().end().expect(0);
    assert!(run.stderr.contains("have a result already"), "{}", run.stderr);
    lab.expect_standings(&expected);
    drop(worker);
}
