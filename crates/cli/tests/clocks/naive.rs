//! Clients in the manner of those that were written for the contest: host and port in
//! the source, loops that block, buffers that hope, line ends of every kind. Each plays
//! in both rule sets.

use serde_json::Value;

use super::env;

/// Acts at once, every tick, so that the clock waits for the other one alone.
const QUICK: &str = r#"
import socket
stream = socket.create_connection(("uwcs.co.uk", 8037))
for line in stream.makefile("r"):
    if line == "INIT\n":
        stream.sendall(b"REGISTER quick pw\n")
    elif line.startswith("TICK"):
        stream.sendall(b"ACTION UP\n")
"#;

/// Number of turns played.
const TURNS: usize = 8;

/// Plays `file` in both rule sets; returns the actions it got through, turn by turn.
fn actions(file: &str, source: &str, tick_ms: u32) -> Vec<Vec<String>> {
    let env = env();
    env.write("quick.py", QUICK);
    env.write(file, source);
    let mut played = Vec::new();
    for rules in ["documented", "original"] {
        let options = [format!("tick_ms={tick_ms}"), format!("turns={TURNS}")];
        let arguments = ["play", "uwcs-bomberman", file, "quick.py", "--rules", rules];
        let options = ["-o", &options[0], "-o", &options[1], "-o", "window_ms=60000"];
        let output = ["--format", "json", "--turns"];
        let ran = env.run(arguments.into_iter().chain(options).chain(output));
        // A language whose tools are not here is left out.
        if ran.stderr.contains("install it with") {
            return Vec::new();
        }
        let bout = ran.expect(0).json();
        let turns = bout["turns"].as_array().expect("a list");
        assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{file} {rules}: {bout}");
        let own = turns.iter().filter(|turn| turn["seat"] == 0);
        let action = |turn: &Value| turn["action"].as_str().expect("a text").to_owned();
        played.push(own.map(action).filter(|action| !action.is_empty()).collect());
    }
    played
}

/// Asserts that a bot that acts on every `TICK` gets an action through every turn.
fn acts_every_turn(file: &str, source: &str, word: &str) {
    for actions in actions(file, source, 60_000) {
        assert_eq!(actions, vec![word; TURNS], "{file}");
    }
}

#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_reads_in_one_thread_and_talks_in_another() {
    acts_every_turn("threads.py", include_str!("naive/threads.py"), "UP");
}

#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_ends_lines_like_a_terminal_and_sends_empty_ones() {
    acts_every_turn("lines.js", include_str!("naive/lines.js"), "LEFT");
}

#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_is_a_shell_with_a_connection() {
    acts_every_turn("telnet.sh", include_str!("naive/telnet.sh"), "DOWN");
}

#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_connects_anew_for_every_game() {
    acts_every_turn("games.rb", include_str!("naive/games.rb"), "RIGHT");
}

#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_knows_what_line_comes_next() {
    acts_every_turn("Lockstep.java", include_str!("naive/Lockstep.java"), "UP");
}

/// It reacts to the `ACTIONS` message, which does not come before the first turn.
#[test]
#[ignore = "long: tests of channels show its parts"]
fn one_that_acts_on_what_the_others_did_and_never_ends_a_line() {
    for actions in actions("buffer.py", include_str!("naive/buffer.py"), 400) {
        assert!((1..TURNS).contains(&actions.len()), "{actions:?}");
    }
}
