//! A game that is none of ours on the server: its words, its accounts, its rounds.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use joust_referee::{
    Connection, GameServer, SendTo, ServerEffect, ServerPace, ServerReport, ServerScore,
};
use joust_serve::{Caps, Listeners, ServerNotice, Settings, serve};
use joust_store::{Access, Store};
use tokio::sync::oneshot;

/// Longer than anything takes that is not broken.
const PATIENCE: Duration = Duration::from_secs(30);

/// Game in which the player that says the most in a round wins it. `name/password` registers; a
/// round lasts for two strokes of the clock.
#[derive(Default)]
struct Shouting {
    strokes: u32,
    players: Vec<Player>,
}

struct Player {
    connection: Connection,
    name: String,
    is_in: bool,
    shouts: i64,
}

fn said(to: SendTo, text: &str) -> ServerEffect {
    ServerEffect::Send { to, bytes: text.as_bytes().into() }
}

impl Shouting {
    fn is_registration(&self) -> bool {
        self.strokes.is_multiple_of(3)
    }
}

impl GameServer for Shouting {
    fn begin(&mut self, out: &mut Vec<ServerEffect>) {
        out.push(said(SendTo::All, "who is there?\n"));
    }

    fn pace(&self) -> ServerPace {
        ServerPace { until_next_ms: 300, is_registration: self.is_registration() }
    }

    fn quiet_ms(&self) -> u32 {
        10
    }

    fn open(&mut self, _: Connection) {}

    fn close(&mut self, connection: Connection) {
        self.players.retain(|player| player.connection != connection);
    }

    fn receive(&mut self, connection: Connection, bytes: &[u8], out: &mut Vec<ServerEffect>) {
        for line in String::from_utf8_lossy(bytes).lines() {
            match line.split_once('/') {
                Some((name, password)) if self.is_registration() => {
                    let (name, password) = (name.to_owned(), password.to_owned());
                    self.players.retain(|player| player.connection != connection);
                    let player = Player { connection, name: name.clone(), is_in: false, shouts: 0 };
                    self.players.push(player);
                    out.push(ServerEffect::Check { connection, name, password });
                }
                Some(_) => out.push(said(SendTo::Connection(connection), "too late\n")),
                None => {
                    let mut own = self.players.iter_mut();
                    let own = own.find(|player| player.connection == connection && player.is_in);
                    if let Some(player) = own {
                        player.shouts += 1;
                        out.push(said(SendTo::Connection(connection), "heard\n"));
                    }
                }
            }
        }
    }

    fn quiet(&mut self, _: Connection, _: &mut Vec<ServerEffect>) {}

    fn checked(&mut self, connection: Connection, is_right: bool, out: &mut Vec<ServerEffect>) {
        for player in self.players.iter_mut().filter(|player| player.connection == connection) {
            player.is_in = is_right;
        }
        let answer = if is_right { "welcome\n" } else { "go away\n" };
        out.push(said(SendTo::Connection(connection), answer));
    }

    fn flush(&mut self, _: &mut Vec<ServerEffect>) {}

    fn strike(&mut self, out: &mut Vec<ServerEffect>) {
        self.strokes += 1;
        if !self.is_registration() {
            return out.push(said(SendTo::All, "shout!\n"));
        }
        let players = std::mem::take(&mut self.players).into_iter().filter(|player| player.is_in);
        let scores: Vec<ServerScore> = players
            .map(|player| ServerScore {
                shown: player.name.to_uppercase(),
                name: player.name,
                points: player.shouts,
            })
            .collect();
        let report = ServerReport { ended: "hoarse", turns: 2, scores, note: None };
        let is_played = !report.scores.is_empty();
        out.push(said(SendTo::All, "enough\n"));
        out.push(ServerEffect::Over(is_played.then_some(report)));
        self.begin(out);
    }
}

/// A client that reads lines.
struct Client(BufReader<TcpStream>);

impl Client {
    fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
        Self(BufReader::new(stream))
    }

    fn say(&mut self, line: &str) {
        self.0.get_mut().write_all(line.as_bytes()).expect("the server takes it");
    }

    fn until(&mut self, wanted: &[&str]) -> String {
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).expect("a line in time") > 0, "it was closed");
            if wanted.contains(&line.trim_end()) {
                return line.trim_end().to_owned();
            }
        }
    }

    /// Registers at the beginning of a round, and returns the answer.
    fn register(&mut self, words: &str) -> String {
        loop {
            self.until(&["who is there?"]);
            self.say(words);
            let answer = self.until(&["welcome", "go away", "too late"]);
            // A machine under load is too slow at times.
            if answer != "too late" {
                return answer;
            }
        }
    }

    /// Shouts three times within one round.
    fn shout_thrice(&mut self) {
        loop {
            self.until(&["shout!"]);
            self.say("a\na\na\n");
            let is_heard = (0..3).all(|_| self.until(&["heard", "enough"]) == "heard");
            if is_heard {
                break;
            }
            self.register("ada/secret\n");
        }
        self.until(&["enough"]);
    }
}

fn play(address: SocketAddr) {
    let (mut ada, mut bob) = (Client::connect(address), Client::connect(address));
    assert_eq!(ada.register("ada/secret\n"), "welcome");
    assert_eq!(bob.register("ada/guessed\n"), "go away");
    assert_eq!(ada.register("ada/secret\n"), "welcome");
    ada.shout_thrice();
}

#[tokio::test]
async fn a_game_of_somebody_else_is_served_with_accounts_and_rounds() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let database = folder.path().join("server.db");
    let store = Store::open(&database, Access::CreateOrOpen).await.expect("it is made");
    let settings = Settings {
        listen: ([127, 0, 0, 1], 0).into(),
        spectators: None,
        game: "shouting".to_owned(),
        server: Box::new(Shouting::default()),
        caps: Caps::default(),
    };
    let (tell, told) = mpsc::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let listeners = Listeners::open(&settings).await.expect("a port is free");
    let serving = tokio::spawn(serve(
        settings,
        listeners,
        store,
        async { drop(stopped.await) },
        move |happened| drop(tell.send(happened)),
    ));
    let reports = tokio::task::spawn_blocking(move || {
        let Ok(ServerNotice::Listening(address)) = told.recv_timeout(PATIENCE) else {
            panic!("it does not listen");
        };
        play(address);
        told
    });
    let told = reports.await.expect("the game is played");
    stop.send(()).expect("it runs still");
    serving.await.expect("it does not panic").expect("it was started");

    let reports: Vec<ServerReport> = told.try_iter().filter_map(over).collect();
    assert!(reports.iter().all(|report| report.ended == "hoarse"), "{reports:?}");
    let points: Vec<i64> = reports.iter().map(|report| report.scores[0].points).collect();
    assert!(points.contains(&3), "{points:?}");
    assert_eq!(reports[0].scores[0].shown, "ADA");
    let store = Store::open(&database, Access::CreateOrOpen).await.expect("it is there");
    let accounts = store.accounts("shouting").await.expect("it can be read");
    assert_eq!(accounts.len(), 1);
    assert_eq!((accounts[0].name.as_str(), accounts[0].score), ("ada", points.iter().sum()));
    assert!(store.accounts("uwcs-bomberman").await.expect("it can be read").is_empty());
}

fn over(happened: ServerNotice) -> Option<ServerReport> {
    match happened {
        ServerNotice::GameOver(report) => Some(report),
        _ => None,
    }
}
