//! A standing table: a custom game with all guests that join, one bout after another.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::Duration;

use joust_testkit::env::TestEnv;

use super::external::cup;

const PATIENCE: Duration = Duration::from_secs(60);

/// Joins, takes a stone whenever it is asked, and returns all messages that it received.
fn play_one(port: u16, name: &str) -> String {
    let mut guest = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    guest.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
    // Everything at once: early input is kept until it is asked for.
    guest.write_all(format!("{name}\n{}", "1\n".repeat(40)).as_bytes()).expect("it reads");
    let mut told = String::new();
    guest.read_to_string(&mut told).expect("it is told the end");
    told
}

fn server(env: &TestEnv, bots: &[&str]) -> std::process::Child {
    let mut command = env.command(["serve", "nim/", "--listen", "127.0.0.1:0"]);
    command.args(bots).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the binary can be started")
}

#[test]
fn people_play_a_game_of_ones_own_bout_after_bout_at_a_table_that_stands() {
    let env = cup("well", "['bots/*']", 1);
    let mut child = server(&env, &["bots/perfect.py"]);
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    for name in ["ada", "bob"] {
        let mut line = String::new();
        while !line.contains("listening at ") {
            line.clear();
            assert_ne!(said.read_line(&mut line).expect("it is text"), 0, "it has ended");
        }
        let (_, port) = line.trim().rsplit_once(' ').expect("it ends with a port");
        let told = play_one(port.trim_end_matches('`').parse().expect("a port"), name);
        assert!(told.contains("stones ") && told.contains("the game is over"), "{told}");
        assert!(told.contains(name), "{told}");
    }
    child.kill().expect("it is ours");
    child.wait().expect("it has ended");
}

#[test]
fn a_table_has_as_many_connections_of_an_address_as_may_be() {
    let env = cup("well", "['bots/*']", 1);
    let mut child = server(&env, &["bots/perfect.py", "--per-address", "1"]);
    let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("listening at ") {
        line.clear();
        assert_ne!(said.read_line(&mut line).expect("it is text"), 0, "it has ended");
    }
    let (_, port) = line.trim().rsplit_once(' ').expect("it ends with a port");
    let port: u16 = port.trim_end_matches('`').parse().expect("a port");
    let _silent = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    let mut told = String::new();
    let mut second = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    second.set_read_timeout(Some(PATIENCE)).expect("a time can be set");
    second.read_to_string(&mut told).expect("it is told");
    assert_eq!(told, "as many are here as may be, or as many from your address\r\n");
    child.kill().expect("it is ours");
    child.wait().expect("it has ended");
}

#[test]
fn what_a_table_does_not_have_is_refused() {
    let env = cup("well", "['bots/*']", 1);
    for [option, value] in [
        ["--spectators", "0"],
        ["--database", "server.db"],
        ["--accounts", "5"],
        ["--new-names", "5"],
    ] {
        let told = env.run(["serve", "nim/", option, value]).expect(2).stderr;
        assert!(told.contains(&format!("has no `{option}`\nhint: ")), "{told}");
    }
    let told = env.run(["serve", "nim/", "bots/perfect.py", "--rules", "other"]).expect(2).stderr;
    assert!(told.contains("no rule set `other`"), "{told}");
}

#[test]
fn a_game_whose_answers_are_more_than_a_line_has_no_table() {
    let env = cup("well", "['bots/*']", 1);
    let yaml = super::external::GAME[0].1;
    env.write("nim/game.yaml", &format!("{yaml}answer: {{ lines: 2 }}\n"));
    let told = env.run(["serve", "nim/"]).expect(2).stderr;
    assert!(told.contains("an answer is more than a line"), "{told}");
}
