//! Whole tournaments by workers.

use crate::lab::Lab;

#[test]
fn what_two_workers_play_is_what_one_machine_plays() {
    let Some(lab) = Lab::new() else { return };
    let expected = lab.played_here();
    let (left, right) = (lab.worker("left", &["--once"]), lab.worker("right", &["--once"]));
    let run = lab.start_run().end().expect(0);
    for name in ["left", "right"] {
        assert!(run.stderr.contains(&format!("worker `{name}` is there with 1 core")), "{}", run.stderr);
    }
    lab.expect_standings(&expected);
    for worker in [left, right] {
        let said = worker.end().expect(0).stderr;
        assert!(said.contains("plays `league` of `Small`"), "{said}");
    }
    let again = lab.start_run().end().expect(0);
    assert!(again.stderr.contains("6 have a result already"), "nothing is played again");
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
