//! `joust play` for people who write a bot.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use joust_testkit::league::bot;
use serde_json::Value;

use super::small;

#[test]
fn a_recording_has_the_bout_each_turn_and_the_result() {
    let env = small();
    env.write("bout.jsonl", "of before");
    let play = ["play", "battlebots", "bots/walker", "bots/waiter", "-o", "max_rounds=2"];
    let files = ["--turn-log", "bout.jsonl", "--record", "same.jsonl"];
    env.run(play.into_iter().chain(files).chain(["--seed", "9"])).expect(0);
    // The original of this game wrote no recording.
    let read = |name| fs::read(env.path().join(name)).expect("it is written");
    assert_eq!(read("same.jsonl"), read("bout.jsonl"));
    let text = fs::read_to_string(env.path().join("bout.jsonl")).expect("it is written");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(lines[0]["bout"]["seats"], serde_json::json!(["walker", "waiter"]));
    assert_eq!(lines[0]["bout"]["seed"], 9);
    assert_eq!(lines[1]["turn"]["action"], "E");
    assert_eq!(lines[4]["turn"]["round"], 2);
    assert_eq!(lines[5]["result"]["rounds"], 2);
}

#[test]
fn a_recording_that_cannot_be_written_is_told_before_anything_is_played() {
    let env = small();
    let play = ["play", "battlebots", "bots/walker", "bots/waiter", "--turn-log", "no/where.jsonl"];
    let ran = env.run(play).expect(2);
    assert!(ran.stderr.contains("`no/where.jsonl` cannot be written"), "{}", ran.stderr);
}

#[test]
fn bots_are_started_as_the_event_does_and_who_goes_cold_is_counted() {
    let env = small();
    let warm = joust_testkit::league::SMALL.replace("bouts: 2", "bouts: 2\n    start: exact");
    env.write("tournament.yaml", &warm);
    env.write("bots/leaver/bot.yaml", "name: leaver\nlanguage: python\nentry: main.py\n");
    let leave = "import os, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('NO')\n";
    env.write("bots/leaver/main.py", leave);
    let play = ["play", "battlebots", "bots/leaver", "bots/waiter", "-f", "tournament.yaml"];
    let ran = env.run(play.into_iter().chain(["--format", "json"])).expect(0);
    let seats = &ran.json()["seats"];
    if ran.stderr.contains("played with cold starts") {
        assert!(seats[0].get("cold_starts").is_none(), "{seats}");
        return;
    }
    // Its interpreter is created again three times.
    assert_eq!((&seats[0]["verdicts"]["ok"], &seats[0]["cold_starts"]), (&6.into(), &2.into()));
    assert!(seats[1].get("cold_starts").is_none(), "{seats}");
}

#[test]
fn debug_names_the_first_bot_in_trouble() {
    let env = small();
    bot(&env, "grumbler", "echo trouble >&2; echo NO");
    let play = ["play", "battlebots", "bots/waiter", "bots/grumbler", "-o", "max_rounds=3"];
    let ran = env.run(play.into_iter().chain(["--debug"])).expect(0);
    assert_eq!(
        ran.stderr.matches("`grumbler` (seat 1) in round 1: ok").count(),
        1,
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("stderr| trouble"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("in round 2"), "only the first: {}", ran.stderr);
}

#[test]
fn debug_waits_for_the_person_who_plays() {
    let env = small();
    bot(&env, "grumbler", "echo trouble >&2; echo NO");
    let play = ["play", "battlebots", "--human", "bots/grumbler", "-o", "max_rounds=3", "--debug"];
    let mut command = env.command(play);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    child.stdin.take().expect("piped").write_all(b"NO\nq\n").expect("it reads");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    assert!(lines.any(|line| line.expect("text").contains("press Enter to continue")));
    lines.for_each(drop);
    assert_eq!(child.wait().expect("it ends").code(), Some(130), "`q` stops");
}

#[test]
fn without_limits_a_bot_may_think_longer_than_its_turn() {
    let env = small();
    bot(&env, "sleeper", "sleep 0.6; echo NO");
    let limits = "events: [{ game: battlebots, bots: [bots/*], limits: { cpu: 100ms, turn: 200ms, \
                  kill: 200ms, bout: 300ms } }]\n";
    env.write("tight.yaml", limits);
    let play = ["play", "battlebots", "bots/sleeper", "bots/waiter", "-o", "max_rounds=2"];
    let tight = ["-f", "tight.yaml", "--format", "json"];
    let of = |bout: &Value, verdict: &str| bout["seats"][0]["verdicts"][verdict].clone();
    let free = env.run(play.into_iter().chain(tight).chain(["--no-limit"])).expect(0).json();
    assert_eq!(of(&free, "ok"), 2, "{free}");
}

#[test]
fn a_bout_begins_again_when_the_source_of_a_bot_changes() {
    let env = small();
    let play = ["play", "battlebots", "--human", "bots/waiter", "-o", "max_rounds=3"];
    let mut command = env.command(play.into_iter().chain(["--reload", "-v"]));
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut keys = child.stdin.take().expect("piped");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut until = |text: &str| {
        let found = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains(text)));
        found.unwrap_or_else(|| panic!("no `{text}`")).expect("text")
    };
    writeln!(keys, "NO").expect("it reads");
    until("waiter: NO");
    // A script that is no longer there cannot be built.
    fs::remove_file(env.path().join("bots/waiter/main.sh")).expect("it is there");
    until("waiting for the source of a bot to change");
    bot(&env, "waiter", "echo E");
    until("`bots/waiter` has changed: the bout begins again");
    writeln!(keys, "NO").expect("it reads");
    until("waiter: E");
    drop(keys);
    // A bout that is over waits for the next change.
    until("waiting for the source of a bot to change");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill can be started").success());
    assert!(child.wait().expect("it ends").success());
}
