//! Leagues of the repository's Python and Ruby bots, played cold and warm: the same bouts, turn by
//! turn.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::league::{bare, empty, results};

/// Events whose bots are started once a turn, with their Python and Ruby bots.
const EVENTS: [(&str, &[&str], &str); 4] = [
    ("battlebots", &["random", "miner", "hello"], "max_rounds: 30"),
    ("battleships-2017", &["checker", "splasher"], "map_size: small"),
    ("bomberman-2016", &["digger", "collector"], "max_rounds: 10"),
    ("connect-four", &["planner", "blocker"], ""),
];
/// Number of them that are played by two bots each in one bout, unless `JOUST_WARM_BOUTS` gives a
/// number of bouts for all.
const FEW: usize = 2;

/// Plays all of it; returns the result of each bout, without times and memory.
fn league(start: &str) -> BTreeMap<String, Value> {
    let env = empty();
    let bots = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bots");
    let wanted = std::env::var("JOUST_WARM_BOUTS").ok();
    let all = wanted.is_some();
    let events = if all { &EVENTS[..] } else { &EVENTS[..FEW] };
    let bouts = wanted.unwrap_or_else(|| "1".to_owned());
    let mut text = "name: Warm\nseed: 7\ndatabase: results.db\n\
                    defaults:\n  calibration: { runs: 2 }\nevents:\n"
        .to_owned();
    for (game, names, options) in events {
        let names = if all { names } else { &names[..2] };
        let bots: Vec<String> =
            names.iter().map(|name| bots.join(game).join(name).display().to_string()).collect();
        text.push_str(&format!(
            "  - {{ game: {game}, bots: [{}], bouts: {bouts}, mirror: false, start: {start}, \
             options: {{ {options} }} }}\n",
            bots.join(", ")
        ));
    }
    env.write("tournament.yaml", &text);
    env.run(["run"]).expect(0);
    results(&env).into_iter().map(|(id, bout)| (id, bare(bout))).collect()
}

#[test]
#[ignore = "long: statistics of many bouts"]
fn leagues_of_python_bots_are_the_same_cold_and_warm() {
    let cold = league("cold");
    assert!(cold.len() >= FEW);
    let turns = |bout: &Value| bout["turns"].as_array().map_or(0, Vec::len);
    assert!(cold.values().all(|bout| turns(bout) > 0));
    for start in ["exact", "quick"] {
        assert_eq!(league(start), cold, "{start}");
    }
}
