//! Chess, with engines of our own: UCI messages, ends of games, and PGN.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::{adapter, copy};
use crate::env;
use joust_testkit::env::TestEnv;

/// Engine that names itself when asked, and plays the moves of a list, one after the other.
const ENGINE: &str = "\
import sys
moves = iter('MOVES'.split())
for line in sys.stdin:
    if line.strip() == 'uci':
        print('id name Scripted\\nuciok', flush=True)
    if line.strip() == 'isready':
        print('readyok', flush=True)
    if line.startswith('go '):
        assert line.split()[1::2] == ['wtime', 'btime', 'winc', 'binc'], line
        assert all(word.isdigit() for word in line.split()[2::2]), line
        print('info depth 1\\nbestmove', next(moves), 'ponder e7e5', flush=True)
";

/// Copies the game into the folder `chess`, with the program that is installed beside `joust`.
fn game() -> TestEnv {
    let env = env();
    copy(&adapter("../../chess/game"), &env.path().join("chess"));
    fs::copy(program(), env.path().join("chess/joust-chess"))
        .expect("the whole workspace is built");
    for (name, moves) in [("fool", "f2f3 g2g4"), ("wise", "e7e5 d8h4"), ("cheat", "e2e5")] {
        env.write(&format!("{name}.py"), &ENGINE.replace("MOVES", moves));
    }
    env.write("dead.py", "input()\n");
    env
}

fn program() -> &'static Path {
    Path::new(concat!(env!("CARGO_BIN_EXE_joust"), "-chess"))
}

fn play(env: &TestEnv, white: &str, black: &str) -> String {
    let options = ["--option", "openings=none", "--format", "json", "--turns"];
    env.run([&["play", "chess", white, black][..], &options].concat()).expect(0).stdout
}

#[test]
fn an_engine_that_speaks_uci_is_a_bot_and_its_bout_is_pgn() {
    let env = game();
    let bout = play(&env, "fool.py", "wise.py");
    let path = env.path().join("bout.json");
    fs::write(&path, &bout).expect("the folder can be written");
    let input = Stdio::from(fs::File::open(path).expect("it was written"));
    let pgn = Command::new(program()).arg("pgn").stdin(input).output().expect("it is built");
    let pgn = String::from_utf8(pgn.stdout).expect("it is UTF-8");
    assert!(pgn.contains("[Termination \"checkmate\"]"), "{pgn} {bout}");
    assert!(pgn.ends_with("1. f3 e5 2. g4 Qh4# 0-1\n\n"), "{pgn}");
}

#[test]
fn who_plays_no_legal_move_or_is_dead_loses() {
    let env = game();
    for (white, verdict) in [("cheat.py", "illegal-output"), ("dead.py", "no-output")] {
        let bout: serde_json::Value =
            serde_json::from_str(&play(&env, white, "wise.py")).expect("it is JSON");
        assert_eq!(bout["seats"][0]["rank"], 2, "{bout}");
        assert_eq!(bout["seats"][0]["verdicts"][verdict], 1, "{bout}");
    }
}
