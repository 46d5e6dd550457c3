//! Spectators: `joust watch`, and the port of their own.

use super::{Client, QUICK, Running, env};

#[test]
fn a_running_game_is_watched_in_the_terminal() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let mut alice = server.client();
    let address = server.spectators.to_string();
    let watching = env.start(["watch", &address, "--games", "2"]);
    for _ in 0..3 {
        assert_eq!(alice.register("alice", "pw"), "REGISTERED");
    }
    let output = watching.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("a new game: players register"), "{text}");
    assert!(text.contains("A alice score=0"), "{text}");
    assert!(text.contains("game over: alice 0"), "{text}");
}

#[test]
fn what_a_spectator_sends_is_thrown_away() {
    let env = env();
    let server = Running::start(&env, QUICK);
    let mut spectator = Client::connect(server.spectators);
    spectator.until("INIT");
    spectator.send("REGISTER spy pw\nACTION UP\n");
    let seen = spectator.until("SCORES");
    assert!(seen.contains(&"PLAYERS 0".to_owned()), "{seen:?}");
    assert!(!seen.iter().any(|line| line.starts_with("E_") || line == "REGISTERED"), "{seen:?}");
}

#[test]
fn nobody_there_is_said() {
    let ran = env().run(["watch", "127.0.0.1:1"]).expect(4);
    assert!(ran.stderr.contains("cannot connect to `127.0.0.1:1`"), "{}", ran.stderr);
}
