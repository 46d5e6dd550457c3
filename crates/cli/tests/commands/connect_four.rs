//! Connect four, the worked example of `crates/referee/docs/add-a-game.md`: starters,
//! shipped bots and a person at the keyboard.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use joust_testkit::env::{Ran, TestEnv};
use joust_testkit::league::bot;
use serde_json::Value;

use super::env;

fn play(env: &TestEnv, arguments: &[&str]) -> Ran {
    let first = ["play", "connect-four", "--format", "json", "--turns"];
    env.run(first.iter().chain(arguments))
}

/// Plays a bout and returns it, or `None` where a language's tools are not here.
fn bout(env: &TestEnv, seats: [&str; 2]) -> Option<Value> {
    let ran = play(env, &seats);
    if ran.stderr.contains("install it with") {
        return None;
    }
    Some(ran.expect(0).json())
}

fn is_flawless(bout: &Value, seat: usize) -> bool {
    bout["seats"][seat]["verdicts"].as_object().is_some_and(|it| it.keys().eq(["ok"]))
}

#[test]
#[ignore = "long: one bout by each starter"]
fn starters_beat_a_bot_that_prints_nothing_from_both_seats() {
    let env = env();
    bot(&env, "idle", "true");
    let languages = ["go", "javascript", "python"];
    let refused = env.run(["bot", "new", "connect-four", "julia", "mine/julia"]).expect(2);
    assert!(refused.stderr.contains(&languages.join(", ")), "{}", refused.stderr);
    for language in languages {
        let folder = format!("mine/{language}");
        env.run(["bot", "new", "connect-four", language, &folder]).expect(0);
        for (seats, own) in [([&*folder, "bots/idle"], 0), (["bots/idle", &*folder], 1)] {
            let Some(bout) = bout(&env, seats) else { continue };
            assert_eq!(bout["seats"][own]["rank"], 1, "{bout}");
            assert_eq!(bout["seats"][1 - own]["rank"], 2, "{bout}");
            assert!(is_flawless(&bout, own), "{bout}");
            assert!(!is_flawless(&bout, 1 - own), "{bout}");
        }
    }
}

#[test]
#[ignore = "long: the demo tournament plays them"]
fn shipped_bots_play_without_a_fault_and_as_before() {
    let env = env();
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/connect-four"));
    let path = |name: &str| shipped.join(name).to_str().expect("a plain path").to_owned();
    let [planner, blocker, random] = ["planner", "blocker", "random"].map(path);
    for seats in [[&*planner, &*blocker], [&*random, &*planner], [&*blocker, &*random]] {
        let Some(first) = bout(&env, seats) else { continue };
        assert!(is_flawless(&first, 0) && is_flawless(&first, 1), "{first}");
        let again = bout(&env, seats).expect("it was played before");
        assert_eq!(first["state_hash"], again["state_hash"]);
    }
}

#[test]
fn a_person_may_answer_again_when_a_column_takes_no_disc() {
    let env = env();
    bot(&env, "idle", "echo 0");
    let arguments = ["play", "connect-four", "--format", "json", "--human", "bots/idle"];
    let mut command = env.command(arguments);
    command.args(["-o", "rows=4", "--turns"]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the binary can be started");
    let typed = b"left\n0\n0\n9\n0\n1\n2\n3\n";
    child.stdin.take().expect("it is piped").write_all(typed).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for reason in ["the number of a column", "the columns are 0 to 6", "column 0 is full"] {
        assert_eq!(said.matches(reason).count(), 1, "{reason}: {said}");
    }
    assert!(said.contains("0 1 2 3 4 5 6"), "the columns have numbers: {said}");
}
