//! X04: two bots find no channel through the sandbox, neither from turn to turn
//! nor between bouts that are played at the same time.

use serde_json::Value;

use crate::league::{configure, empty, hostile_bot, results};

/// Attempts of a bot that has a message to leave, and of one that listens.
const TELLS: [&str; 4] = ["leave_marker", "leave_objects", "leave_server", "hold_locks"];
const LISTENS: [&str; 4] = ["find_marker", "find_objects", "hold_locks", "find_server"];

/// Words that the listener prints when it has found something, or is kept from a lock.
const FOUND: [&str; 3] = ["did find", "did reach", "EAGAIN"];

#[test]
fn bots_find_no_channel_to_each_other() {
    let env = empty();
    let limits = "cpu: 500ms, turn: 2s, kill: 2s, memory: 64MiB, processes: 32";
    configure(&env, limits, 2, 3);
    // All use one name, so that each knows the files that the others make.
    for name in ["teller-1", "teller-2"] {
        hostile_bot(&env, name, "joust-x04", &TELLS);
    }
    for name in ["listener-1", "listener-2"] {
        hostile_bot(&env, name, "joust-x04", &LISTENS);
    }
    env.run(["run", "--jobs", "2"]).expect(0);
    let (mut told, mut listened) = (0, 0);
    for bout in results(&env).values() {
        for turn in bout["turns"].as_array().expect("turns") {
            let seat = usize::try_from(turn["seat"].as_u64().expect("a number")).expect("small");
            let bot = bout["seats"][seat]["bot"].as_str().expect("a name");
            let said = turn["stderr"].as_str().expect("a text");
            if bot.starts_with("teller") {
                told += usize::from(tells(turn));
            } else {
                assert!(said.contains("refused find the segment"), "it listened: {turn}");
                assert!(!FOUND.iter().any(|word| said.contains(word)), "{turn}");
                listened += 1;
            }
        }
    }
    assert_eq!(listened, 36);
    assert!(told >= 30, "{told} of 36 turns had something to tell");
}

/// Returns whether a teller managed to leave a marker.
fn tells(turn: &Value) -> bool {
    turn["stderr"].as_str().is_some_and(|said| said.contains("did leave a marker"))
}
