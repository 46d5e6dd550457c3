//! UWCS Bomberman from clients to standings: programs that connect to the game's
//! port in the sandbox, on the clock, judged again from the log.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use joust_testkit::env::{Ran, TestEnv, copy_folder};
use joust_testkit::league::bout_ids;

use super::env;

const TOURNAMENT: &str = "name: clients\nseed: 1\ndatabase: r.db\nevents:\n  - game: uwcs-bomberman\n    \
                          bots: ['*.py']\n    bouts: 2\n    limits: { start: 5s }\n    \
                          options: { turns: 12, tick_ms: 50, window_ms: 5000 }\n";

/// As published: the host's name and the port in the source, no line ends, one action per tick.
pub(super) const PUBLISHED: &str = r#"
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

pub(super) fn folder(bots: &[(&str, &str)]) -> TestEnv {
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
    let id = bout_ids(&env).remove(0);
    let sent = env.run(["replay", &id, "--round", "3", "--seat", "1"]).expect(0).stdout;
    assert!(sent.contains("\nTICK 3\n"), "{sent}");
    // Everything is there: nothing is played again.
    let again = env.run(["run", "tournament.yaml"]).expect(0);
    assert!(again.stderr.contains("0 bouts played"), "{}", again.stderr);
}

#[test]
#[ignore = "long: real clocks"]
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
fn a_client_that_never_registers_fails_its_check() {
    let silent = PUBLISHED.replace("REGISTER walker pw", "HELLO walker");
    let env = folder(&[("silent.py", &silent)]);
    let arguments = ["bot", "check", "uwcs-bomberman", "silent.py", "--bouts", "1"];
    let silent = env.run(arguments.into_iter().chain(["--format", "json"])).expect(1).json();
    assert_eq!((&silent["ok"], &silent["bouts_unregistered"]), (&false.into(), &1.into()));
}

#[test]
#[ignore = "long: real clocks"]
fn a_client_that_never_starts_is_named_with_the_last_it_said() {
    let needy = "import no_such_module_anywhere\n";
    let env = folder(&[("published.py", PUBLISHED), ("idle.py", IDLE), ("needy.py", needy)]);
    let ran = env.run(["run", "tournament.yaml"]).expect(0);
    let failing = ran.stderr.lines().filter(|line| line.starts_with("failed in every turn"));
    let failing: Vec<&str> = failing.collect();
    assert_eq!(failing.len(), 1, "{}", ran.stderr);
    assert!(failing[0].contains(": needy: "), "{failing:?}");
    assert!(failing[0].ends_with("No module named 'no_such_module_anywhere'"), "{failing:?}");
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

/// Client that sends one line in the window and closes its sending side.
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
#[ignore = "long: one bout by each client"]
fn every_demo_client_plays_without_a_fault() {
    without_a_fault("documented", &["sapper.py", "hermit.rb"]);
    without_a_fault("original", &["gambler.rs", "Stalker.java"]);
}

#[test]
#[ignore = "long: one bout by each client"]
fn two_of_a_kind_know_themselves() {
    without_a_fault("documented", &["sapper.py", "sapper.py"]);
    without_a_fault("original", &["hermit.rb", "hermit.rb"]);
}

#[test]
#[ignore = "long: one bout by each starter"]
fn starters_play_without_a_fault() {
    let env = env();
    let languages = ["python", "ruby", "java", "rust", "javascript", "go", "c", "csharp"];
    for language in languages {
        let folder = format!("mine/{language}");
        env.run(["bot", "new", "uwcs-bomberman", language, &folder]).expect(0);
    }
    let refused = env.run(["bot", "new", "uwcs-bomberman", "julia", "mine/julia"]).expect(2);
    let mut known = languages;
    known.sort_unstable();
    assert!(
        refused.stderr.contains(&known.join(", ")),
        "every starter is tested: {}",
        refused.stderr
    );
    for language in languages {
        let pair = [&*format!("mine/{language}"), "mine/python"];
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

/// Runs `joust` as on a machine without network name spaces; its bots' users may not enter the home
/// of the user that runs the tests, where languages may be installed.
fn without_name_spaces(env: &TestEnv, arguments: &[&str]) -> Ran {
    let mut command = env.command(arguments);
    command.env("JOUST_TIER", "C").env("PATH", "/usr/bin:/bin");
    let output = command.env("JOUST_CACHE", env.path().join("cache")).output();
    let output = output.expect("the binary can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran { status: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

/// Finds host and port in its arguments.
const TOLD: &str = r#"
import socket, sys
stream = socket.create_connection((sys.argv[1], int(sys.argv[2].split("=")[1])))
for line in stream.makefile("r"):
    if line == "INIT\n":
        stream.sendall(b"REGISTER told pw\n")
    elif line.startswith("TICK"):
        stream.sendall(b"ACTION UP\n")
"#;

const TOLD_MANIFEST: &str = "name: told\nlanguage: python\nargs: [\"{host}\", \"--port={port}\"]\n";

/// Has address and port in its source.
const FIXED: &str = r#"
import socket
stream = socket.create_connection(("127.0.0.1", 8037))
for line in stream.makefile("r"):
    if line == "INIT\n":
        stream.sendall(b"REGISTER fixed pw\n")
"#;

/// Client that tries again and again to reach the server that its source names.
const PATIENT: &str = r#"
import socket, time
while True:
    try:
        stream = socket.create_connection(("uwcs.co.uk", 8037))
        break
    except OSError:
        time.sleep(0.1)
time.sleep(1000)
"#;

#[test]
#[ignore = "long: real clocks"]
fn without_a_network_of_its_own_a_client_that_needs_a_name_is_not_run() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let env = folder(&[("published.py", PUBLISHED), ("idle.py", IDLE), ("patient.py", PATIENT)]);
    fs::set_permissions(env.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    env.write("fixed.py", FIXED);
    env.write("told/bot.yaml", TOLD_MANIFEST);
    env.write("told/main.py", TOLD);
    let file = TOURNAMENT.replace("['*.py']", "['*.py', told]").replace("start: 5s", "start: 3s");
    env.write("tournament.yaml", &file);
    let ran = without_name_spaces(&env, &["run", "--format", "json"]).expect(0);
    let standings = ran.json();
    let rows = standings[0]["rows"].as_array().expect("a list");
    let of = |status: &str| -> Vec<&str> {
        let rows = rows.iter().filter(|row| row["status"] == status);
        rows.map(|row| row["bot"].as_str().expect("a name")).collect()
    };
    assert_eq!(
        (of("playing"), of("not run")),
        (vec!["fixed", "idle", "told"], vec!["patient", "published"])
    );
    assert_eq!((&standings[0]["bouts"], &standings[0]["expected"]), (&6.into(), &6.into()));
    assert!(rows.iter().all(|row| row["faults"] == 0 && row["bouts"]["lost"] == 0), "{standings}");
    for row in rows.iter().filter(|row| row["status"] == "not run") {
        let reason = row["reason"].as_str().expect("a reason");
        assert!(reason.contains("`JOUST_HOST`") && reason.contains("tier C"), "{reason}");
    }
    env.run(["verify"]).expect(0);
    let refused = without_name_spaces(&env, &["play", "uwcs-bomberman", "published.py", "told"]);
    let refused = refused.expect(1);
    assert!(refused.stderr.contains("`published` is not run"), "{}", refused.stderr);
    assert!(refused.stderr.contains("{port}"), "{}", refused.stderr);
}

#[test]
fn the_server_has_the_name_that_the_organiser_chose() {
    let source = PUBLISHED.replace("uwcs.co.uk", "arena.example");
    let env = folder(&[("one.py", &source), ("two.py", &source)]);
    let arguments = ["play", "uwcs-bomberman", "one.py", "two.py", "--format", "json"];
    let slow = ["-o", "turns=2", "-o", "tick_ms=60000", "-o", "window_ms=60000"];
    let named = arguments.into_iter().chain(slow).chain(["-o", "host=arena.example"]);
    let bout = env.run(named).expect(0).json();
    assert!((0..2).all(|seat| bout["seats"][seat]["ticks_idle"] == 0), "{bout}");
    let refused = env.run(arguments.into_iter().chain(["-o", "host=a b"])).expect(2);
    assert!(refused.stderr.contains("the name of a computer"), "{}", refused.stderr);
}

#[test]
fn arguments_tell_host_and_port_everywhere() {
    let env = folder(&[("published.py", PUBLISHED)]);
    env.write("told/bot.yaml", TOLD_MANIFEST);
    env.write("told/main.py", TOLD);
    let arguments = ["play", "uwcs-bomberman", "published.py", "told", "--format", "json"];
    let slow = ["-o", "turns=3", "-o", "tick_ms=60000", "-o", "window_ms=60000"];
    let bout = env.run(arguments.into_iter().chain(slow)).expect(0).json();
    assert_eq!(bout["seats"][1]["ticks_idle"], 0, "{bout}");
}

#[test]
#[ignore = "long: real clocks"]
fn a_client_that_waits_costs_the_whole_tick_of_every_length() {
    let env = folder(&[("published.py", PUBLISHED), ("idle.py", IDLE)]);
    for (tick_ms, turns) in [(500, 3), (100, 5), (25, 8)] {
        let options = [format!("tick_ms={tick_ms}"), format!("turns={turns}")];
        let arguments = ["play", "uwcs-bomberman", "published.py", "idle.py", "--format", "json"];
        let options = ["-o", &options[0], "-o", &options[1], "-o", "window_ms=5000"];
        let began = Instant::now();
        let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
        assert!(began.elapsed() >= Duration::from_millis(tick_ms * turns), "{bout}");
        assert_eq!((&bout["rounds"], &bout["ended"]), (&turns.into(), &"turn-limit".into()));
        let verdicts = |seat: usize| bout["seats"][seat]["verdicts"].as_object().cloned();
        assert!((0..2).all(|seat| verdicts(seat).is_some_and(|it| it.keys().eq(["ok"]))), "{bout}");
        assert_eq!(bout["seats"][1]["ticks_idle"], turns, "{bout}");
    }
}

#[test]
#[ignore = "long: the demo tournament plays it"]
fn the_shipped_event_is_played_once_and_can_be_verified() {
    let env = env();
    let shipped = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../"));
    copy_folder(&shipped.join("bots/uwcs-bomberman"), &env.path().join("bots/uwcs-bomberman"));
    let file = fs::read_to_string(shipped.join("tournament.yaml")).expect("it is shipped");
    assert!(file.contains("tick_ms: 25 "), "the length of a shipped tick");
    env.write("tournament.yaml", &file);
    let event = ["run", "--event", "uwcs-bomberman", "--format", "json"];
    let first = env.run(event).expect(0);
    // A language whose tools are not here is left out.
    if first.stderr.contains("install it with") {
        return;
    }
    let standings = first.json();
    assert_eq!((&standings[0]["bouts"], &standings[0]["expected"]), (&12.into(), &12.into()));
    let rows = standings[0]["rows"].as_array().expect("a list");
    assert!(rows.iter().all(|row| row["faults"] == 0), "{standings}");
    let second = env.run(event).expect(0);
    assert!(second.stderr.contains("0 bouts played"), "{}", second.stderr);
    assert_eq!(first.stdout, second.stdout);
    let verified = env.run(["verify"]).expect(0);
    assert!(verified.stdout.contains("12 bouts agree"), "{}", verified.stdout);
}

#[test]
fn the_keyboard_is_one_person_s_or_the_host_s() {
    let env = folder(&[("published.py", PUBLISHED)]);
    let refused = |arguments: &[&str], reason: &str| {
        let ran = env.run(["play", "uwcs-bomberman"].iter().chain(arguments)).expect(2);
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    };
    refused(&["--human=2"], "one person");
    refused(&["--human", "--listen", "0", "published.py"], "both want the keyboard");
    refused(&["--reload", "--listen", "0", "published.py"], "cannot be used with");
}

#[test]
#[ignore = "long: tests of disputes and of channels show its parts"]
fn a_disputed_bout_is_played_again_over_the_wire() {
    let env = folder(&[("published.py", PUBLISHED), ("idle.py", IDLE)]);
    env.run(["run"]).expect(0);
    let ids = bout_ids(&env);
    assert_eq!(ids.len(), 2);
    for id in ids {
        let again = env.run(["rerun", &id]).expect(0);
        assert!(again.stdout.contains("reproduced: all"), "{}", again.stdout);
    }
}

/// An agent that does nothing.
const STILL: &str = "class Agent:\n    def next_move(self, state, player):\n        return ''\n";

#[test]
fn tools_and_builds_that_bots_cannot_get_at_are_no_fault_of_theirs() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root || !Path::new("/usr/bin/python3").exists() {
        return;
    }
    let env = folder(&[("one.py", STILL), ("two.py", STILL)]);
    let closed = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    closed(env.path(), 0o755);
    env.write("home/bin/python3", "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n");
    closed(&env.path().join("home/bin/python3"), 0o755);
    closed(&env.path().join("home"), 0o700);
    let words = "play coderone-dungeon one.py two.py -o max_iterations=3 --format json";
    let play = |cache: &str| {
        let mut command = env.command(words.split(' '));
        let home = env.path().join("home/bin").display().to_string();
        command.env("JOUST_TIER", "C").env("PATH", format!("{home}:/usr/bin:/bin"));
        command.env("JOUST_CACHE", env.path().join(cache)).output().expect("it can be started")
    };
    let bout: serde_json::Value = serde_json::from_slice(&play("cache").stdout).expect("JSON");
    assert_eq!(bout["tier"], "C", "{bout}");
    for seat in [0, 1] {
        assert!(bout["seats"][seat]["verdicts"]["crash"].is_null(), "{bout}");
    }
    let refused = play("home/cache");
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(4), "{said}");
    assert!(said.contains("home` is closed to other users\nhint: JOUST_CACHE"), "{said}");
}

#[test]
fn node_starts_where_nothing_of_the_machine_is_hidden_but_closed() {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if !is_root || !Path::new("/usr/bin/node").exists() {
        return;
    }
    let bots = [("one.js", "console.log('N')\n"), ("two.js", "console.log('S')\n")];
    let env = folder(&bots);
    fs::set_permissions(env.path(), fs::Permissions::from_mode(0o755)).expect("it is ours");
    let words = "play battlebots one.js two.js -o max_rounds=2 --format json";
    let words: Vec<&str> = words.split(' ').collect();
    let bout = without_name_spaces(&env, &words).expect(0).json();
    for seat in [0, 1] {
        let verdicts = bout["seats"][seat]["verdicts"].as_object().expect("an object");
        assert!(verdicts.keys().eq(["ok"]), "{bout}");
    }
}
