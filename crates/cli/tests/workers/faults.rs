//! Workers, the server and the coordinator end in the middle.

use std::time::Duration;

use joust_testkit::nats::NatsServer;

use crate::lab::Lab;
use crate::wire::{Message, Wire};

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

/// Connection that fills all the room of a server.
struct Filler(Wire);

impl Filler {
    /// Fills the server of a lab.
    fn of(lab: &Lab) -> Self {
        let wire = Wire::to(lab.server.port(), None).expect("the server is there");
        let mut filler = Self(wire);
        let settings = r#"{"name":"filler","subjects":["filler"],"storage":"file"}"#;
        filler.0.request("$JS.API.STREAM.CREATE.filler", settings.into());
        // What is left of the room is always too little for the next one, and then for anything.
        for (times, bytes) in [(32, 500_000), (32, 30_000), (64, 1_000), (64, 1)] {
            (0..times).for_each(|_| filler.send("filler", vec![b'x'; bytes]));
        }
        // The server answers in order: all of it has arrived.
        filler.0.request("filler", vec![b'x']);
        filler
    }

    fn send(&mut self, subject: &str, body: Vec<u8>) {
        let message = Message { subject: subject.to_owned(), reply: String::new(), body };
        assert!(self.0.send(&message));
    }

    /// Makes room again.
    fn go(mut self) {
        self.0.request("$JS.API.STREAM.DELETE.filler", Vec::new());
    }
}

#[test]
fn results_are_kept_until_a_full_server_has_room() {
    let Some(server) = NatsServer::configured("jetstream { max_file_store: 8MB }") else { return };
    let lab = Lab::slow_at(server);
    let expected = lab.played_here();
    let worker = lab.worker("only", &["--once"]);
    let run = lab.start_run();
    lab.wait_for_bouts(2);
    let filler = Filler::of(&lab);
    std::thread::sleep(Duration::from_secs(3));
    let stored = lab.bouts();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(lab.bouts(), stored, "the server is not full");
    filler.go();
    let run = run.end().expect(0);
    assert!(!run.stderr.contains("voided"), "{}", run.stderr);
    lab.expect_standings(&expected);
    let said = format!("{}{}", run.stderr, worker.end().expect(0).stderr);
    assert!(said.contains("raise its `max_file_store`"), "{said}");
}

#[test]
fn a_server_that_is_full_at_the_start_is_waited_for() {
    let Some(server) = NatsServer::configured("jetstream { max_file_store: 8MB }") else { return };
    let lab = Lab::slow_at(server);
    let expected = lab.played_here();
    let filler = Filler::of(&lab);
    let worker = lab.worker("only", &["--once"]);
    let mut run = lab.start_run();
    run.wait_for("waiting for the server: ");
    assert_eq!(lab.bouts(), 0);
    filler.go();
    let said = run.end().expect(0).stderr;
    assert!(!said.contains("voided"), "{said}");
    lab.expect_standings(&expected);
    worker.end().expect(0);
}
