//! Sample transcripts for people who write parsers.

use super::{Action, Admission, Effect, GameOptions, Quirks, Series, Server};
use crate::{Connection, Parts, Sample, Seed, SendTo};

/// The map of the README's example game.
const MAP: [&str; 5] = ["11100", "02020", "10111", "12020", "10001"];

/// Row and column of alice and bob.
const STARTS: [i64; 4] = [0, 4, 4, 2];

/// Actions of alice and bob in the README's example game, turn by turn.
const ACTIONS: [[Option<Action>; 2]; 4] = [
    [Some(Action::Left), Some(Action::Up)],
    [Some(Action::Bomb), Some(Action::Bomb)],
    [Some(Action::Right), Some(Action::Down)],
    [Some(Action::Down), None],
];

const ALICE: Connection = Connection(0);
const BOB: Connection = Connection(1);
const WATCHER: Connection = Connection(2);
const LATE: Connection = Connection(3);

/// Returns file names and what one client received, every line that a parser
/// must cope with among them.
pub(super) fn transcripts(quirks: Quirks) -> Vec<Sample> {
    let mut server = SampleServer::open(quirks, [5, 5], 8);
    server.force_example();
    server.register_both();
    server.server_strikes();
    for actions in ACTIONS {
        server.act(actions);
    }
    server.open_late();
    for _ in 0..4 {
        server.act([None, None]);
    }
    let mut samples = vec![
        Sample::new("example-game-alice.txt", server.seen_by(ALICE)),
        Sample::new("example-game-bob.txt", server.seen_by(BOB)),
        Sample::new("never-registered.txt", server.seen_by(WATCHER)),
        Sample::new("late-joiner.txt", server.seen_by(LATE)),
    ];
    samples.push(Sample::new("every-answer.txt", every_answer(quirks)));
    samples.push(Sample::new("first-tick-13-by-13.txt", first_tick(quirks)));
    samples.push(Sample::new("idle-server.txt", idle(quirks)));
    samples
}

/// A server and what each of its connections received.
struct SampleServer {
    server: Server,
    seen: Vec<Vec<u8>>,
}

impl SampleServer {
    fn open(quirks: Quirks, [rows, columns]: [u16; 2], turns: u32) -> Self {
        let options = GameOptions { rows, columns, turns, ..GameOptions::new(quirks) };
        let server = Server::new(options, Admission::Anyone, Series::BackToBack, Seed(2026));
        let mut server = Self { server, seen: vec![Vec::new(); 3] };
        for connection in [ALICE, BOB, WATCHER] {
            server.server.open(connection, None);
        }
        server.run(Server::begin);
        server
    }

    fn force_example(&mut self) {
        let digits = MAP.iter().flat_map(|row| row.bytes());
        let map = digits.map(|digit| i64::from(digit - b'0')).collect();
        self.server.resolve("map".to_owned(), map);
        self.server.resolve("players".to_owned(), vec![0, 1]);
        self.server.resolve("starts".to_owned(), STARTS.to_vec());
    }

    fn register_both(&mut self) {
        self.send(ALICE, "REGISTER alice secret\n");
        self.send(BOB, "REGISTER bob hunter2\n");
    }

    fn open_late(&mut self) {
        self.server.open(LATE, None);
        self.seen.push(Vec::new());
    }

    fn act(&mut self, actions: [Option<Action>; 2]) {
        for (connection, action) in [ALICE, BOB].into_iter().zip(actions) {
            if let Some(action) = action {
                self.send(connection, &format!("ACTION {}\n", action.name()));
            }
        }
        self.server_strikes();
    }

    fn server_strikes(&mut self) {
        self.run(Server::strike);
    }

    fn send(&mut self, connection: Connection, command: &str) {
        self.run(|server, out| server.receive(connection, command.as_bytes(), out));
    }

    /// Feeds the server; of passwords, only `wrong` is refused.
    fn run(&mut self, call: impl FnOnce(&mut Server, &mut Vec<Effect>)) {
        let mut effects = Vec::new();
        call(&mut self.server, &mut effects);
        self.carry_out(effects);
    }

    fn carry_out(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send { to: SendTo::All, bytes } => {
                    self.seen.iter_mut().for_each(|seen| seen.extend_from_slice(&bytes));
                }
                Effect::Send { to: SendTo::Connection(connection), bytes } => {
                    self.seen[connection.0 as usize].extend_from_slice(&bytes);
                }
                Effect::Check { connection, password, .. } => {
                    let is_right = password != "wrong";
                    let mut follow = Vec::new();
                    self.server.checked(connection, is_right, &mut follow);
                    self.carry_out(follow);
                }
                Effect::Close { .. } | Effect::Turn(_) | Effect::Over(_) => {}
            }
        }
    }

    fn seen_by(&self, connection: Connection) -> Parts {
        Parts::single(self.seen[connection.0 as usize].clone())
    }
}

fn every_answer(quirks: Quirks) -> Parts {
    let mut server = SampleServer::open(quirks, [5, 5], 8);
    for command in ["REGISTER", "REGISTER alice", "REGISTER alice wrong", "ACTION UP"] {
        server.send(ALICE, &format!("{command}\n"));
    }
    server.force_example();
    server.register_both();
    server.server_strikes();
    for command in ["REGISTER alice secret", "ACTION JUMP", "ACTION LEFT", "ACTION UP"] {
        server.send(ALICE, &format!("{command}\n"));
    }
    server.server_strikes();
    server.seen_by(ALICE)
}

fn first_tick(quirks: Quirks) -> Parts {
    let mut server = SampleServer::open(quirks, [super::ROWS, super::COLUMNS], 8);
    server.register_both();
    server.server_strikes();
    server.seen_by(WATCHER)
}

fn idle(quirks: Quirks) -> Parts {
    let mut server = SampleServer::open(quirks, [5, 5], 8);
    server.force_example();
    server.server_strikes();
    server.server_strikes();
    server.seen_by(WATCHER)
}
