//! UWCS at a terminal: keys, plain TCP by hand, and `watch`.

use joust_testkit::env::TestEnv;
use joust_testkit::pty::Pty;

use super::super::env;
use super::{Guest, address, play, rows};

/// Connects, registers and stays where it is.
const IDLE: &str = r#"
import socket, sys
stream = socket.create_connection(("uwcs.co.uk", 8037))
for line in stream.makefile("r"):
    if line == "INIT\n":
        stream.sendall(b"REGISTER idle pw\n")
"#;

fn folder() -> TestEnv {
    let env = env();
    env.write("idle.py", IDLE);
    env
}

#[test]
#[ignore = "long: real clocks"]
fn a_person_has_the_keys_and_is_told_what_r_is_not() {
    let env = folder();
    let mut game = play(&env, &["uwcs-bomberman", "--human", "idle.py", "-o", "turns=8"]);
    let screen = game.until("w a s d or arrows walk, space or b bomb");
    assert!(!screen.contains("r new map"), "{screen}");
    game.press("r");
    game.until("r: there is no new map here");
    game.press(" ");
    let (status, screen) = game.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(["you won", "you drew", "you lost"].iter().any(|end| screen.contains(end)), "{screen}");
}

#[test]
#[ignore = "long: real clocks"]
fn a_person_with_nc_has_time_and_is_called_as_on_the_wire() {
    let env = folder();
    let arguments = ["uwcs-bomberman", "--listen", "127.0.0.1:0", "idle.py", "-o", "turns=3"];
    let mut host = play(&env, &[&arguments[..], &["-o", "tick_ms=200"]].concat());
    let mut guest = Guest::connect(address(&mut host));
    host.until("Guest 1 has joined");
    host.press("start\r");
    guest.hear("INIT\n");
    host.until("started: 60 s to register, until everybody has; then a turn every 0.2 s");
    // Five times as long as the window of programs.
    std::thread::sleep(std::time::Duration::from_millis(2500));
    guest.say("REGISTER ann secret");
    guest.hear("REGISTERED\n");
    guest.hear("TICK 1\n");
    guest.say("ACTION BOMB");
    guest.hear("ACTIONS 1\n");
    let (status, screen) = host.end();
    assert_eq!(status, Some(0), "{screen}");
    assert!(screen.contains("A ann score="), "{screen}");
    assert_eq!(rows(&screen, "  seat 0  ann  rank").len(), 1, "{screen}");
}

#[test]
#[ignore = "long: real clocks"]
fn watch_shows_one_picture_and_clears_its_lines() {
    let env = folder();
    let serve = ["serve", "uwcs-bomberman", "--listen", "127.0.0.1:0", "-o", "turns=6"];
    let quick = ["-o", "tick_ms=100", "-o", "window_ms=500"];
    let mut server = Pty::start(&env.command(serve.iter().chain(&quick)));
    let screen = server.until("127.0.0.1:");
    let after = screen.split("127.0.0.1:").nth(1).expect("a port");
    let port: String = after.chars().take_while(char::is_ascii_digit).collect();
    let address = format!("127.0.0.1:{port}");
    let mut alice = Guest::connect(address.parse().expect("an address"));
    alice.hear("INIT\n");
    alice.say("REGISTER alice pw");
    let mut watch = Pty::start(&env.command(["watch", &address, "--games", "2"]));
    for _ in 0..3 {
        alice.hear("INIT\n");
        alice.say("REGISTER alice pw");
    }
    let (status, screen) = watch.end();
    assert_eq!(status, Some(0), "{screen}");
    assert_eq!(rows(&screen, "turn ").len(), 1, "one picture:\n{screen}");
    assert!(screen.contains("game over: alice") && !screen.contains("a new game"), "{screen}");
    server.press("\u{3}");
}
