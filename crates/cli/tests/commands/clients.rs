//! UWCS Bomberman from clients to standings: programs that connect to the game's
//! port in the sandbox, on the clock, judged again from the log.

use joust_testkit::env::TestEnv;

use super::env;

const TOURNAMENT: &str = "name: clients\nseed: 1\ndatabase: r.db\nevents:\n  - game: uwcs-bomberman\n    \
                          bots: ['*.py']\n    bouts: 2\n    limits: { start: 5s }\n    \
                          options: { turns: 12, tick_ms: 50, window_ms: 5000 }\n";

/// As published: the host's name and the port in the source, no line ends, one action per tick.
const PUBLISHED: &str = r#"
import socket
stream = socket.create_connection(("uwcs.co.uk", 8037))
for line in stream.makefile("r"):
    word = line.split()[0]
    if word == "INIT":
        stream.sendall(b"REGISTER walker pw")
    elif word == "TICK":
        stream.sendall(b"ACTION UP")
"#;

/// Takes part and never acts.
const IDLE: &str = r#"
import os, socket
stream = socket.create_connection((os.environ["JOUST_HOST"], int(os.environ["JOUST_PORT"])))
for line in stream.makefile("r"):
    if line == "INIT\n":
        stream.sendall(b"REGISTER idle pw\n")
"#;

/// Never connects.
const ABSENT: &str = "import time\nwhile True: time.sleep(60)\n";

fn folder(bots: &[(&str, &str)]) -> TestEnv {
    let env = env();
    env.write("tournament.yaml", TOURNAMENT);
    bots.iter().for_each(|(name, source)| env.write(name, source));
    env
}

#[test]
fn clients_as_published_play_a_league_that_can_be_verified() {
    let env = folder(&[("published.py", PUBLISHED), ("idle.py", IDLE)]);
    let standings = env.run(["run", "tournament.yaml", "--format", "json"]).expect(0).json();
    let rows = standings[0]["rows"].as_array().expect("a list");
    assert_eq!(rows.len(), 2, "{standings}");
    assert!(rows.iter().all(|row| row["faults"] == 0), "{standings}");
    env.run(["verify", "-f", "tournament.yaml"]).expect(0);
    // Everything is there: nothing is played again.
    let again = env.run(["run", "tournament.yaml"]).expect(0);
    assert!(again.stderr.contains("0 bouts played"), "{}", again.stderr);
}

#[test]
fn a_client_that_never_connects_has_a_timeout_and_the_bout_goes_on() {
    let env = folder(&[("published.py", PUBLISHED), ("absent.py", ABSENT)]);
    let arguments = ["play", "uwcs-bomberman", "published.py", "absent.py", "--format", "json"];
    let options =
        ["-f", "tournament.yaml", "-o", "turns=5", "-o", "tick_ms=50", "-o", "window_ms=5000"];
    let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
    assert_eq!(bout["seats"][1]["verdicts"]["timeout"], 1, "{bout}");
    assert!(bout["seats"][0]["verdicts"].as_object().is_some_and(|it| it.keys().eq(["ok"])));
    assert_eq!((&bout["seats"][0]["rank"], &bout["seats"][1]["rank"]), (&1.into(), &2.into()));
}

#[test]
fn the_clock_waits_for_nobody_who_has_acted() {
    let env = folder(&[("one.py", PUBLISHED), ("two.py", PUBLISHED)]);
    let arguments = ["play", "uwcs-bomberman", "one.py", "two.py", "--format", "json"];
    let slow = ["-o", "turns=20", "-o", "tick_ms=60000", "-o", "window_ms=60000"];
    let bout = env.run(arguments.into_iter().chain(slow)).expect(0).json();
    assert_eq!((&bout["rounds"], &bout["contended"]), (&20.into(), &false.into()), "{bout}");
    for seat in 0..2 {
        let seat = &bout["seats"][seat];
        assert_eq!((&seat["ticks_idle"], &seat["answers_late"]), (&0.into(), &0.into()), "{bout}");
    }
}

/// Says one thing in the window and closes its sending side.
const HALF_CLOSED: &str = r#"
import socket, sys
stream = socket.create_connection(("uwcs.co.uk", 8037))
lines = stream.makefile("r")
while lines.readline() != "INIT\n": pass
stream.sendall(b"REGISTER half pw")
stream.shutdown(socket.SHUT_WR)
for line in lines:
    print(line, end="", file=sys.stderr, flush=True)
"#;

#[test]
fn a_client_that_closes_its_sending_side_listens_to_the_end() {
    let env = folder(&[("published.py", PUBLISHED), ("half.py", HALF_CLOSED)]);
    let arguments = ["play", "uwcs-bomberman", "published.py", "half.py", "--format", "json"];
    let options = ["--turns", "-o", "turns=6", "-o", "tick_ms=200", "-o", "window_ms=5000"];
    let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
    let turns = bout["turns"].as_array().expect("a list");
    assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{bout}");
    let heard = turns.iter().filter(|turn| turn["seat"] == 1).map(|turn| &turn["stderr"]);
    let heard: String = heard.filter_map(serde_json::Value::as_str).collect();
    assert!(heard.contains("REGISTERED") && heard.contains("SCORES 2"), "{heard}");
}

fn without_a_fault(rules: &str, bots: &[&str]) {
    let env = env();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/uwcs-bomberman/");
    let bots: Vec<String> = bots.iter().map(|bot| format!("{demo}{bot}")).collect();
    let arguments = ["play", "uwcs-bomberman"].into_iter().chain(bots.iter().map(|bot| &**bot));
    let options = ["--rules", rules, "-o", "turns=40", "-o", "tick_ms=100", "-o", "window_ms=5000"];
    let ran = env.run(arguments.chain(options).chain(["--format", "json", "--turns"]));
    // A language whose tools are not here is left out.
    if ran.stderr.contains("install it with") {
        return;
    }
    let bout = ran.expect(0).json();
    let turns = bout["turns"].as_array().expect("a list");
    assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{bots:?}: {bout}");
    for seat in 0..bots.len() {
        let acts = |turn: &&serde_json::Value| turn["seat"] == seat && turn["action"] != "";
        assert!(turns.iter().any(|turn| acts(&turn)), "{bots:?} {seat}: {bout}");
    }
    assert!(turns.iter().all(|turn| turn["stderr"] == ""), "{bots:?}: {bout}");
}

#[test]
fn every_demo_client_plays_without_a_fault() {
    without_a_fault("documented", &["sapper.py", "hermit.rb"]);
    without_a_fault("original", &["gambler.rs", "Stalker.java"]);
}

#[test]
fn two_of_a_kind_know_themselves() {
    without_a_fault("documented", &["sapper.py", "sapper.py"]);
    without_a_fault("original", &["hermit.rb", "hermit.rb"]);
}

#[test]
fn starters_play_without_a_fault() {
    let env = env();
    for language in ["python", "ruby", "java"] {
        let folder = format!("mine/{language}");
        env.run(["bot", "new", "uwcs-bomberman", language, &folder]).expect(0);
    }
    for pair in [["mine/python", "mine/ruby"], ["mine/java", "mine/python"]] {
        let arguments = ["play", "uwcs-bomberman", pair[0], pair[1], "--format", "json"];
        let slow = ["-o", "turns=20", "-o", "tick_ms=60000", "-o", "window_ms=60000"];
        let ran = env.run(arguments.into_iter().chain(slow));
        // A language whose tools are not here is left out.
        if ran.stderr.contains("install it with") {
            continue;
        }
        let bout = ran.expect(0).json();
        for seat in 0..2 {
            let seat = &bout["seats"][seat];
            assert!(seat["verdicts"].as_object().is_some_and(|it| it.keys().eq(["ok"])), "{bout}");
            assert_eq!(seat["ticks_idle"], 0, "{bout}");
        }
    }
}
