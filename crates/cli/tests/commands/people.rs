//! People who play: at the keyboard, and from other terminals over loopback.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, Stdio};
use std::time::Duration;

use joust_testkit::env::{Ran, TestEnv};
use serde_json::Value;

use super::small;

/// Longest time to wait for an expected text.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the binary with `typed` as standard input.
fn typing(env: &TestEnv, arguments: &[&str], typed: &str) -> Ran {
    let mut child = spawn(env, arguments);
    child.stdin.take().expect("it is piped").write_all(typed.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends").into()
}

fn spawn(env: &TestEnv, arguments: &[&str]) -> Child {
    let mut command = env.command(["play", "battlebots", "--format", "json", "--turns"]);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the binary can be started")
}

/// Returns a seat's actions, or the verdicts of turns without one.
fn actions(bout: &Value, seat: u64) -> Vec<String> {
    let turns = bout["turns"].as_array().expect("turns").iter();
    let own = turns.filter(|turn| turn["seat"] == seat);
    own.map(|turn| match turn["action"].as_str().expect("a text") {
        "" => turn["verdict"].as_str().expect("a name").to_owned(),
        action => action.to_owned(),
    })
    .collect()
}

#[test]
fn a_person_plays_against_a_bot_and_is_asked_again_for_what_is_no_action() {
    let env = small();
    let typed = "b se\nnorth\n\u{1b}[A\nM SE\n";
    let ran = typing(&env, &["-o", "max_rounds=3", "--human", "bots/waiter"], typed).expect(0);
    let bout = ran.json();
    assert_eq!(bout["seats"][0]["bot"], "Player 1");
    assert_eq!(bout["seats"][1]["bot"], "waiter");
    assert_eq!(actions(&bout, 0), ["B SE", "M SE", "no-output"], "the third line never came");
    assert_eq!(bout["seats"][0]["wall_ms"], 0.0, "people are not timed");
    assert_eq!(ran.stderr.matches("Player 1, your action: ").count(), 5, "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("type a direction to move").count(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("Y hp=10"), "the view is shown: {}", ran.stderr);
    let ended = "the input has ended: Player 1 does nothing from now on\n";
    assert_eq!(ran.stderr.matches(ended).count(), 1, "{}", ran.stderr);
}

#[test]
fn people_share_a_keyboard_in_turn() {
    let env = small();
    for people in [&["--human=2"][..], &["--human", "--human"]] {
        let arguments = [&["-o", "max_rounds=2"], people].concat();
        let bout = typing(&env, &arguments, "E\nW\nS\nN\n").expect(0).json();
        assert_eq!(actions(&bout, 0), ["E", "S"]);
        assert_eq!(actions(&bout, 1), ["W", "N"]);
        assert_eq!(bout["seats"][1]["bot"], "Player 2");
    }
}

#[test]
fn more_people_than_seats_are_refused() {
    let env = small();
    let ran = env.run(["play", "battlebots", "--human=2", "bots/waiter"]).expect(2);
    assert!(ran.stderr.contains("`battlebots` is played by 2, not 3"), "{}", ran.stderr);
    let ran = env.run(["play", "battlebots", "--human=2", "--listen", "0"]).expect(2);
    assert!(ran.stderr.contains("guests included"), "{}", ran.stderr);
    let ran = env.run(["play", "battlebots", "--listen", "everywhere"]).expect(2);
    assert!(ran.stderr.contains("ADDRESS:PORT"), "{}", ran.stderr);
}

#[test]
fn people_sit_in_games_that_wait_for_an_answer() {
    let env = small();
    let ran = env.run(["play", "coderone-dungeon", "--listen", "0"]).expect(2);
    let text = "`coderone-dungeon` is played on a clock and has no `--listen`";
    assert!(ran.stderr.contains(text), "{}", ran.stderr);
}

/// A game that waits for guests.
struct Waiting {
    child: Child,
    host: ChildStdin,
    heard: BufReader<std::process::ChildStderr>,
    address: SocketAddr,
}

impl Waiting {
    fn open(env: &TestEnv, arguments: &[&str]) -> Self {
        let mut child = spawn(env, &[&["--listen", "127.0.0.1:0"], arguments].concat());
        let host = child.stdin.take().expect("it is piped");
        let mut heard = BufReader::new(child.stderr.take().expect("it is piped"));
        let line = until(&mut heard, "listening at ");
        let address = line.rsplit(' ').next().expect("an address").trim().parse();
        Self { child, host, heard, address: address.expect("an address") }
    }

    fn order(&mut self, order: &str) {
        writeln!(self.host, "{order}").expect("the host reads");
    }

    fn guest(&self) -> Guest {
        let stream = TcpStream::connect(self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        Guest(stream)
    }

    /// Connects a guest and waits until the host has announced it.
    fn join(&mut self, name: &str) -> Guest {
        let mut guest = self.guest();
        guest.hear("your name: ");
        guest.say(name);
        until(&mut self.heard, " has joined");
        guest
    }

    fn end(self) -> (i32, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        let mut child = self.child;
        let mut stdout = child.stdout.take().expect("it is piped");
        let reading = std::thread::spawn(move || stdout.read_to_string(&mut out).map(|_| out));
        let mut heard = self.heard;
        heard.read_to_string(&mut err).expect("text");
        let status = child.wait().expect("it ends").code().expect("no signal");
        (status, reading.join().expect("no panic").expect("text"), err)
    }
}

/// Reads lines up to the one that contains `text`.
fn until(lines: &mut impl BufRead, text: &str) -> String {
    let mut seen = String::new();
    loop {
        let mut line = String::new();
        assert_ne!(lines.read_line(&mut line).expect("text"), 0, "no `{text}` in:\n{seen}");
        if line.contains(text) {
            return line;
        }
        seen.push_str(&line);
    }
}

struct Guest(TcpStream);

impl Guest {
    fn say(&mut self, line: &str) {
        self.0.write_all(format!("{line}\n").as_bytes()).expect("it is open");
    }

    /// Reads up to `text` and returns everything read.
    fn hear(&mut self, text: &str) -> String {
        let (mut heard, mut byte) = (Vec::new(), [0]);
        while !heard.ends_with(text.as_bytes()) {
            let count = self.0.read(&mut byte).expect("it comes in time");
            assert_ne!(count, 0, "no `{text}` in {:?}", String::from_utf8_lossy(&heard));
            heard.push(byte[0]);
        }
        String::from_utf8_lossy(&heard).into_owned()
    }
}

#[test]
fn guests_play_over_loopback_and_one_who_leaves_does_nothing() {
    let env = small();
    let mut game = Waiting::open(&env, &["-o", "max_rounds=3"]);
    let mut ann = game.join("ann");
    game.order("start");
    until(&mut game.heard, "1 here, and it takes 2: not started");
    let mut bob = game.join("bob");
    game.order("start");
    ann.hear("ann, your action: ");
    ann.say("sideways");
    ann.hear("type a direction to move");
    ann.hear("ann, your action: ");
    ann.say("E");
    bob.hear("bob, your action: ");
    bob.say("W");
    ann.hear("ann, your action: ");
    ann.say("S");
    drop(bob);
    ann.hear("ann, your action: ");
    ann.say("NO");
    ann.hear("the game is over\r\n");
    let (status, stdout, stderr) = game.end();
    assert_eq!(status, 0, "{stderr}");
    let bout: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(actions(&bout, 0), ["E", "S", "NO"]);
    assert_eq!(actions(&bout, 1), ["W", "no-output", "no-output"]);
    assert_eq!(
        (&bout["seats"][0]["bot"], &bout["seats"][1]["bot"]),
        (&"ann".into(), &"bob".into())
    );
}

#[test]
fn what_a_guest_types_reaches_no_terminal_raw() {
    let env = small();
    let mut game = Waiting::open(&env, &["-o", "max_rounds=1", "bots/waiter"]);
    let mut guest = game.guest();
    guest.hear("your name: ");
    guest.say("waiter");
    guest.hear("this name is taken\r\nyour name: ");
    guest.say("a name of more than twenty-four characters");
    guest.hear("a name has 1 to 24 characters\r\nyour name: ");
    guest.say("\u{1b}[2Jeve\u{202e}\u{7}");
    until(&mut game.heard, "[2Jeve\\u{202e} has joined (1 here)");
    let mut late = game.guest();
    late.hear("every seat is taken\r\n");
    game.order("start");
    guest.hear("your action: ");
    guest.say("NO");
    let heard = guest.hear("the game is over\r\n");
    assert!(!heard.contains('\u{1b}'), "{heard:?}");
    let (status, stdout, stderr) = game.end();
    assert_eq!(status, 0, "{stderr}");
    assert!(!stdout.contains('\u{1b}') && !stderr.contains('\u{1b}'), "{stdout}{stderr}");
}

#[test]
fn a_line_without_end_closes_the_connection() {
    let env = small();
    let mut game = Waiting::open(&env, &["bots/waiter"]);
    let mut guest = game.join("ann");
    // The connection may be closed before all of it is written.
    let _ = guest.0.write_all(&vec![b'a'; 1 << 16]);
    until(&mut game.heard, "ann has left (0 here)");
    game.order("end");
    assert_eq!(game.end().0, 130);
}
