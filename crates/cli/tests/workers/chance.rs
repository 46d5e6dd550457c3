//! Random faults: worker, server and coordinator are killed, stopped and disconnected while a
//! tournament is played, and its standings equal those of an undisturbed one.
//!
//! `JOUST_FAULTS=N` continues until N faults have happened; `JOUST_FAULT_SEED=S` draws the same
//! faults again, though their effect depends on the clock.

use std::time::{Duration, Instant};

use joust_testkit::env::Ran;
use joust_testkit::seeded_rng::SeededRng;
use joust_testkit::tcp_forwarder::TcpForwarder;
use nix::sys::signal::Signal;

use crate::lab::{Lab, Process};

/// Faults of a usual run.
const USUAL: u32 = 4;
/// Time that a tournament may take, whatever happens to it.
const PATIENCE: Duration = Duration::from_secs(240);

/// Kinds of faults.
#[derive(Clone, Copy, Debug)]
enum Fault {
    WorkerKilled,
    WorkerStopped,
    CoordinatorKilled,
    CoordinatorStopped,
    ServerKilled,
    ServerForgot,
    ServerStopped,
    LineCut,
    LineSilent,
}

const FAULTS: [Fault; 9] = [
    Fault::WorkerKilled,
    Fault::LineSilent,
    Fault::CoordinatorKilled,
    Fault::ServerForgot,
    Fault::WorkerStopped,
    Fault::LineCut,
    Fault::ServerKilled,
    Fault::CoordinatorStopped,
    Fault::ServerStopped,
];

/// A tournament in progress, and all processes that play it.
struct Play<'a> {
    lab: &'a mut Lab,
    forwarder: TcpForwarder,
    workers: [Process; 2],
    run: Process,
    chance: SeededRng,
}

impl Play<'_> {
    fn suffer(&mut self, fault: Fault) {
        let which = usize::from(self.chance.below(2) == 1);
        match fault {
            Fault::WorkerKilled => {
                self.workers[which].kill();
                self.workers[which] = worker(self.lab, &self.forwarder, which);
            }
            Fault::WorkerStopped => pause(&mut self.chance, &self.workers[which]),
            Fault::CoordinatorKilled => {
                self.run.kill();
                self.run = self.lab.start_run();
            }
            Fault::CoordinatorStopped => pause(&mut self.chance, &self.run),
            Fault::ServerKilled | Fault::ServerForgot => {
                self.lab.server.kill();
                std::thread::sleep(self.chance.next_millis(50, 1_000));
                match fault {
                    Fault::ServerForgot => self.lab.server.start_empty(),
                    _ => self.lab.server.start_again(),
                }
            }
            Fault::ServerStopped => {
                self.lab.server.send(Signal::SIGSTOP);
                std::thread::sleep(self.chance.next_millis(100, 3_000));
                self.lab.server.send(Signal::SIGCONT);
            }
            Fault::LineCut => self.forwarder.close_connections(),
            Fault::LineSilent => {
                self.forwarder.drop_bytes();
                std::thread::sleep(self.chance.next_millis(100, 3_000));
                self.forwarder.resume();
            }
        }
    }
}

impl Play<'_> {
    /// Restarts processes that found no server at their start, as their operator would; returns
    /// whether the run has ended otherwise.
    fn is_over(&mut self) -> bool {
        for which in 0..self.workers.len() {
            if self.workers[which].is_over() {
                let fresh = worker(self.lab, &self.forwarder, which);
                expect_no_server(&std::mem::replace(&mut self.workers[which], fresh).end());
            }
        }
        if !self.run.is_over() {
            return false;
        }
        let fresh = self.lab.start_run();
        let ended = std::mem::replace(&mut self.run, fresh).end();
        let is_done = ended.status == Some(0);
        if !is_done {
            expect_no_server(&ended);
        }
        is_done
    }
}

fn expect_no_server(ended: &Ran) {
    assert_eq!(ended.status, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("no server at"), "{}", ended.stderr);
}

/// Stops a process for a while that may be longer than its lease.
fn pause(chance: &mut SeededRng, process: &Process) {
    process.send("-STOP");
    std::thread::sleep(chance.next_millis(100, 4_000));
    process.send("-CONT");
}

/// The second worker is at the end of a cable.
fn worker(lab: &Lab, forwarder: &TcpForwarder, which: usize) -> Process {
    match which {
        0 => lab.worker("near", &[]),
        _ => lab.worker_at(&format!("nats://127.0.0.1:{}", forwarder.port()), "far", &[]),
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

#[test]
#[expect(clippy::print_stdout, reason = "a long test says how far it is")]
fn whatever_fails_by_chance_no_bout_is_lost_or_stored_twice() {
    let faults = number("JOUST_FAULTS").map_or(USUAL, |faults| faults.try_into().expect("fewer"));
    let seed = number("JOUST_FAULT_SEED").unwrap_or(0);
    let mut suffered = 0;
    while suffered < faults {
        let Some(mut lab) = Lab::slow() else { return };
        let expected = lab.played_here();
        let forwarder = TcpForwarder::to(lab.server.port());
        let workers = [worker(&lab, &forwarder, 0), worker(&lab, &forwarder, 1)];
        let run = lab.start_run();
        let chance = SeededRng(seed.wrapping_add(suffered.into()));
        let mut play = Play { lab: &mut lab, forwarder, workers, run, chance };
        play.lab.wait_for_bouts(1);
        let end = Instant::now() + PATIENCE;
        let mut here = Vec::new();
        while !play.is_over() {
            assert!(Instant::now() < end, "seed {seed}: after {here:?} the run never ends");
            if suffered < faults && here.len() < FAULTS.len() {
                let fault = FAULTS[(seed as usize + suffered as usize) % FAULTS.len()];
                here.push(fault);
                suffered += 1;
                play.suffer(fault);
            }
            let rest = play.chance.next_millis(100, 700);
            std::thread::sleep(rest);
        }
        // One that finds everything played.
        let Play { run, workers, .. } = play;
        run.end().expect(0);
        lab.expect_standings(&expected);
        drop(workers);
        println!("{here:?}: as one that was left alone");
    }
}
