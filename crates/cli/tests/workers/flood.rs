//! A hostile worker that sends without end: random bytes, messages of others, old and forged ones,
//! messages that are never complete. The run continues as if it were not there.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use joust_cluster::envelope::{self, StoredReport, VERSION, WireMessage};
use joust_cluster::transport::nats::{invite, invite_coordinator};
use joust_cluster::{Announcement, MachineOffer, Report, Stage, WorkerState};
use joust_model::{BoutId, BoutResult, BuildHash};
use joust_play::executor::{Delivery, Failure};
use joust_testkit::nats::NatsServer;
use joust_testkit::seeded_rng::SeededRng;

use crate::lab::Lab;
use crate::liar::Liar;
use crate::wire::{Message, Wire};

/// Time that the tournament may take.
const PATIENCE: Duration = Duration::from_secs(240);
/// Number of different letters that are sent, again and again.
const LETTERS: usize = 600;
/// The most memory that the run may have, bytes.
const MEMORY: u64 = 512 << 20;
/// The longest message that a usual server takes, headers apart.
const LONGEST: u64 = (1 << 20) - 1024;

/// Answers to a batch that end or prolong the right to it.
const WORDS: [&str; 7] =
    ["", "+ACK", "-NAK", "-NAK {\"delay\":60000000000}", "+WPI", "+TERM", "+NXT"];

/// Hostile worker, with all its data.
struct Mallory {
    stage: Stage,
    /// Results of bouts of the tournament.
    results: Vec<BoutResult>,
    chance: SeededRng,
}

impl Mallory {
    fn number(&mut self) -> u64 {
        match self.chance.below(3) {
            0 => self.chance.below(12),
            1 => u64::MAX - self.chance.below(2),
            _ => self.chance.next_u64(),
        }
    }

    fn bytes(&mut self, most: u64) -> Vec<u8> {
        let length = self.chance.below(most);
        let seed = self.chance.next_u64();
        (0..length).map(|at| (seed.wrapping_mul(at | 1) >> 32) as u8).collect()
    }

    fn name(&mut self) -> String {
        let names = ["mallory", "honest", "result.honest", "", "\u{1b}[2J\n"];
        names[self.chance.below(names.len() as u64) as usize].to_owned()
    }

    fn announcement(&mut self) -> Announcement {
        let mut offer = MachineOffer {
            cores: usize::MAX,
            tier: joust_sandbox::Tier::A,
            toolchains: BTreeSet::new(),
        };
        offer.cores -= self.chance.below(2) as usize;
        let state = match self.chance.below(3) {
            0 => WorkerState::Refused("w".repeat(self.chance.below(200_000) as usize)),
            1 => WorkerState::Playing,
            _ => WorkerState::Draining,
        };
        Announcement {
            instance: self.number(),
            machine: "m".repeat(self.chance.below(100_000) as usize),
            state,
            tournament: self.chance.next_permille(500).then(|| self.stage.tournament.clone()),
            held: (0..self.chance.below(20_000)).collect(),
            epoch: if self.chance.next_permille(800) { self.stage.epoch } else { self.number() },
            in_hand: u32::MAX,
            playing: self.results.iter().map(|it| it.bout).collect(),
            played: u64::MAX,
            clock: i64::MIN,
            up: Duration::MAX,
            ..Announcement::new(&self.name(), offer)
        }
    }

    fn failure(&mut self) -> Failure {
        match self.chance.next_permille(500) {
            true => Failure::Cancelled,
            false => Failure::Infrastructure("\u{1b}[31m".repeat(10_000)),
        }
    }

    fn delivery(&mut self) -> Delivery {
        let at = self.chance.below(self.results.len() as u64) as usize;
        let mut result = self.results[at].clone();
        let bout = match self.chance.next_permille(500) {
            true => result.bout,
            false => BoutId(self.chance.next_u64().to_le_bytes()),
        };
        match self.chance.below(6) {
            0 => return Delivery::new(bout, Err(self.failure())),
            1 => result.took = Duration::MAX,
            2 => result.action_log = self.bytes(100_000),
            3 => result.turn_log = self.bytes(100_000),
            4 => result.seats.iter_mut().for_each(|seat| seat.cpu = Duration::MAX),
            _ => result.state_hash = "0".repeat(self.chance.below(100_000) as usize),
        }
        if self.chance.next_permille(200) {
            result.seats.clear();
        }
        let rest = self.chance.below(3) as usize;
        Delivery::of_all(bout, Ok(vec![result; 1 + rest]))
    }

    fn report(&mut self) -> Report {
        let bouts: Vec<BoutId> = self.results.iter().map(|it| it.bout).collect();
        let deliveries = (0..self.chance.below(4)).map(|_| self.delivery()).collect();
        Report {
            worker: self.name(),
            epoch: if self.chance.next_permille(800) { self.stage.epoch } else { self.number() },
            batch: self.number(),
            attempt: self.chance.below(3) as u32,
            deliveries,
            returned: if self.chance.next_permille(100) { bouts } else { Vec::new() },
        }
    }

    fn stored(&mut self) -> StoredReport {
        let hash = BuildHash([self.chance.below(16) as u8; 32]);
        let parts = (0..self.chance.below(9)).map(|_| self.chance.below(40)).collect();
        StoredReport { hash, parts }
    }

    fn body(&mut self) -> Vec<u8> {
        fn with_head<L: WireMessage>(body: &[u8]) -> Vec<u8> {
            let version = VERSION.to_le_bytes();
            [b"joust", &version[..], &[L::KIND], body].concat()
        }
        let written = match self.chance.below(9) {
            0..3 => envelope::write(&self.report()),
            3 | 4 => envelope::write(&self.announcement()),
            5 | 6 => envelope::write(&self.stored()),
            _ => {
                let most = if self.chance.next_permille(20) { LONGEST } else { 20_000 };
                let bytes = self.bytes(most);
                return match self.chance.below(4) {
                    0 => bytes,
                    1 => with_head::<Announcement>(&bytes),
                    2 => with_head::<StoredReport>(&bytes),
                    _ => with_head::<Report>(&bytes),
                };
            }
        };
        let mut bytes = written.expect("it is short");
        if self.chance.next_permille(100) {
            let at = self.chance.below(bytes.len() as u64) as usize;
            bytes[at] = self.chance.next_u64() as u8;
        }
        bytes
    }

    /// Returns a message that an invited worker may send.
    fn message(&mut self) -> Message {
        let (tournament, class) = (&self.stage.tournament, &self.stage.classes[0].id);
        let ack = |it: u64| format!("$JS.ACK.joust_{tournament}_plans_{class}.all.1.{it}.{it}.1.0");
        let subject = match self.chance.below(13) {
            12 => "joust.js.$KV.joust_names.worker.mallory".to_owned(),
            11 => "joust.part.mallory".to_owned(),
            10 => "joust.js.DIRECT.GET.OBJ_joust_builds.$O.joust_builds.M.x".to_owned(),
            0..4 => format!("joust.{tournament}.result.mallory"),
            4..7 => "joust.here.mallory".to_owned(),
            7 => ["joust.hello", "joust.roll", "joust.name.mallory"][self.chance.below(3) as usize]
                .to_owned(),
            8 => ack(self.chance.below(100)),
            _ => "joust.other.result.mallory".to_owned(),
        };
        // Where others shall speak for it.
        let replies = [
            String::new(),
            "_INBOX_mallory.x".to_owned(),
            format!("joust.{tournament}.plan.{class}"),
            format!("joust.{tournament}.result.honest"),
            format!("$JS.API.STREAM.PURGE.joust_{tournament}_results"),
            format!("$JS.API.STREAM.PURGE.joust_{tournament}_plans_{class}"),
            format!("$JS.API.STREAM.DELETE.joust_{tournament}_results"),
            "joust.here.honest".to_owned(),
        ];
        let reply = replies[self.chance.below(replies.len() as u64) as usize].clone();
        let mut body = match subject.starts_with("$JS.ACK") && self.chance.next_permille(900) {
            true => WORDS[self.chance.below(WORDS.len() as u64) as usize].into(),
            false => self.body(),
        };
        body.truncate(LONGEST as usize);
        Message { subject, reply, body }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_sends_whatever_it_may_ends_and_changes_nothing() {
    let keys = ["office", "honest", "mallory"].map(|name| match name {
        "office" => invite_coordinator(name).expect("it is a name"),
        _ => invite(name).expect("it is a name"),
    });
    let entries = keys.each_ref().map(|key| &*key.entry).concat();
    let Some(server) = NatsServer::configured(&format!("accounts {{\n{entries}}}")) else { return };
    let lab = Lab::slow_at(server);
    let [office, honest, mallory] = keys.map(|key| key.seed);
    for (file, seed) in [("office", &office), ("honest", &honest), ("mallory", &mallory)] {
        lab.env.write(file, seed);
    }
    let expected = lab.played_here();
    let known = Liar::with_key("mallory", &lab, "here.db", Some("mallory")).await;
    let mut run = lab.start_run_with(&["--credentials", "office"]);
    let stage = known.stage().await;
    let results = known.all_results().await;
    drop(known);
    let is_over = Arc::new(AtomicBool::new(false));
    let (port, over) = (lab.server.port(), Arc::clone(&is_over));
    let flood = std::thread::spawn(move || {
        let key = mallory;
        let mut mallory = Mallory { stage, results, chance: SeededRng(7) };
        // Made before, so that they cost their sender nothing and everybody else what they may.
        let letters: Vec<Message> = (0..LETTERS).map(|_| mallory.message()).collect();
        let mut wire = Wire::to(port, Some(&key)).expect("the server is there");
        let mut sent = 0_u64;
        while !over.load(Ordering::Relaxed) {
            let letter = &letters[sent as usize % letters.len()];
            sent += 1;
            if !wire.send(letter) {
                let Some(fresh) = Wire::to(port, Some(&key)) else { break };
                wire = fresh;
            }
            // The bots and their supervisors share these processors.
            if sent.is_multiple_of(5) {
                std::thread::sleep(Duration::from_millis(20));
            }
        }
        sent
    });
    let honest = lab.worker("honest", &["--once", "--credentials", "honest"]);
    let ended = tokio::task::spawn_blocking(move || {
        let (end, mut memory) = (Instant::now() + PATIENCE, 0);
        while !run.is_over() {
            if Instant::now() > end {
                run.send("-INT");
                panic!("the run does not end: {}", run.end().stderr);
            }
            memory = memory.max(run.most_memory());
            std::thread::sleep(Duration::from_millis(100));
        }
        (run.end(), memory)
    });
    let (run, memory) = ended.await.expect("it ends");
    is_over.store(true, Ordering::Relaxed);
    let sent = flood.join().expect("it ends");
    let said = &run.stderr;
    assert_eq!(run.status, Some(0), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said}");
    assert!(said.len() < 100_000, "{} bytes are told", said.len());
    assert!(memory < MEMORY, "{} MiB of memory", memory >> 20);
    assert!(sent > 1000, "{sent} letters are no flood");
    lab.expect_standings(&expected);
    drop(honest);
}
