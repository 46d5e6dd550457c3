//! An engine of our own that starts its bots by command lines, as engines of contests do.

use super::with_adapter;
use crate::env;

const TOURNAMENT: &str = "\
games: { bridge-race: { referee: bridge } }
events:
  - { game: bridge-race, bots: ['bridge/bots/*'], players_per_match: 3, bouts: 1 }
";

#[test]
fn an_engine_that_starts_its_bots_plays_with_those_in_the_sandbox() {
    let env = env();
    with_adapter(&env, "bridge");
    env.write("tournament.yaml", TOURNAMENT);
    env.run(["run"]).expect(0);
    // The engine prints how long it took: that is no part of the position.
    env.run(["verify"]).expect(0);
    let bots = ["bridge/bots/always-3.py", "bridge/bots/always-6.py", "bridge/bots/tired.py"];
    let words = [&["play", "bridge"][..], &bots, &["--seed", "0", "--format", "json"]].concat();
    let bout = env.run(words).expect(0).json();
    let scores: Vec<_> = (0..3).map(|seat| bout["seats"][seat]["score"].clone()).collect();
    // The third ends in its third round and stays where it is.
    assert_eq!(scores, [18, 36, 10], "{bout}");
    assert_eq!(bout["seats"][2]["verdicts"]["exit-nonzero"], 1, "{bout}");
}

#[test]
fn an_engine_that_fails_is_a_referee_that_fails() {
    let env = env();
    with_adapter(&env, "bridge");
    let engine = env.path().join("bridge/engine.py");
    let text = std::fs::read_to_string(&engine).expect("it is there");
    let text = text.replace("print(f\"engine 1.0", "sys.exit(3)\nprint(f\"engine 1.0");
    std::fs::write(&engine, text).expect("it can be written");
    env.write("tournament.yaml", TOURNAMENT);
    let said = env.run(["run"]).expect(1).stderr;
    assert!(said.contains("the referee gives up"), "{said}");
    // A referee's own error text is for the organiser alone.
    let id = said.split("bout ").filter_map(|rest| rest.split_once(": referee-error")).next();
    let (id, _) = id.expect("the bout is named");
    let history = env.run(["history", id]).expect(0).stdout;
    assert!(history.contains("the engine ended with status 3"), "{history}");
}
