//! Coder One's dungeon from agents to standings: Python agents in the sandbox, on
//! the clock, judged again from the log.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use joust_testkit::env::{TestEnv, copy_folder};
use joust_testkit::league::bout_ids;
use serde_json::Value;

use super::{at_the_keyboard, env, git};

const TOURNAMENT: &str = "name: dungeon\nseed: 1\ndatabase: r.db\nevents:\n  - game: coderone-dungeon\n    \
                          bots: ['*.py', champ]\n    bouts: 1\n    options: { max_iterations: 20 }\n";

/// Folder of this repository, with everything that it ships.
const SHIPPED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");

/// Drops a bomb at once and stays on it.
const MARTYR: &str =
    "class Agent:\n    def next_move(self, game_state, player_state):\n        return 'p'\n";

/// Counts on a library that the contest provides.
const COUNTS: &str = "import numpy\nclass Agent:\n    def next_move(self, game_state, player_state):\n        \
                      return ['u', 'p'][int(numpy.argmin(numpy.array([1, 2])))]\n";

const IDLE: &str =
    "class Agent:\n    def next_move(self, game_state, player_state):\n        return None\n";

const BROKEN: &str = "import no_such_module_anywhere\n";

fn folder() -> TestEnv {
    let env = env();
    env.write("tournament.yaml", TOURNAMENT);
    env.write("martyr.py", MARTYR);
    env.write("broken.py", BROKEN);
    env.write("champ/__init__.py", "from champ.brain import agent\n");
    env.write("champ/brain.py", &IDLE.replace("Agent", "agent"));
    env
}

#[test]
fn agents_as_published_play_a_league_that_can_be_verified() {
    let env = folder();
    let dry = env.run(["run", "--dry-run", "tournament.yaml"]).expect(0).stdout;
    assert!(dry.contains("3 bouts to play, at most "), "{dry}");
    let ran = env.run(["run", "tournament.yaml"]).expect(0);
    let failing = ran.stderr.lines().filter(|line| line.starts_with("failed in every turn"));
    let failing: Vec<&str> = failing.collect();
    assert_eq!(failing.len(), 1, "{}", ran.stderr);
    let missing = "ModuleNotFoundError: No module named 'no_such_module_anywhere'";
    assert!(failing[0].contains(": broken: ") && failing[0].ends_with(missing), "{failing:?}");
    let standings = ran.stdout;
    assert!(standings.contains("3 of 3 bouts"), "{standings}");
    for name in ["martyr", "broken", "champ"] {
        assert!(standings.contains(name), "{standings}");
    }
    assert!(standings.contains("exit-nonzero"), "{standings}");
    env.run(["verify", "-f", "tournament.yaml"]).expect(0);
}

#[test]
#[ignore = "long: one bout by each agent"]
fn every_demo_agent_plays_without_a_fault() {
    let env = folder();
    let demo = format!("{SHIPPED}bots/coderone-dungeon/");
    for pair in [["miner", "hunter"], ["collector.py", "runner.py"], ["wanderer.py", "miner"]] {
        let [first, second] = pair.map(|bot| format!("{demo}{bot}"));
        let arguments = ["play", "coderone-dungeon", &first, &second, "--format", "json"];
        let options = ["-o", "max_iterations=60", "--turns"];
        let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
        let turns = bout["turns"].as_array().expect("a list");
        assert!(turns.len() >= 60, "{pair:?}: {bout}");
        assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{pair:?}: {bout}");
        assert!(turns.iter().all(|turn| turn["cpu_ms"].is_null()), "{pair:?}: {bout}");
        let stderr: Vec<_> = turns.iter().map(|turn| &turn["stderr"]).collect();
        assert!(stderr.iter().all(|text| *text == ""), "{pair:?}: {stderr:?}");
    }
}

/// Writes as its author's folder allowed, and asks modules beside it for its action.
const FILE_WITH_MODULES: &str = r#"
import json, logging, os
logging.basicConfig(filename='agent.log')
from helpers import choose
from strategy.tables import WORDS
here = os.path.dirname(os.path.abspath(__file__))
known = json.load(open('strategy/weights.json'))
class Agent:
    def __init__(self):
        self.log = open(os.path.join(here, 'own.log'), 'w')
    def next_move(self, game_state, player_state):
        print(game_state.tick_number, '\u2603', file=self.log, flush=True)
        return choose(WORDS) if known else None
"#;

/// Lies in a package and takes its action from another module there.
const IN_A_PACKAGE: &str = "from .words import WORD\nclass agent:\n    def next_move(self, s, p):\n        \
                            return WORD\n";

#[test]
fn a_file_is_found_and_finds_its_modules_as_in_the_original() {
    let env = folder();
    env.write("far/my_agent.py", FILE_WITH_MODULES);
    env.write("far/helpers.py", "def choose(words): return words[-1]\n");
    env.write("far/strategy/tables.py", "WORDS = ['l', 'u']\n");
    env.write("far/strategy/weights.json", "[1]");
    env.write("far/stranger.py", "raise SystemExit('nobody imports me')\n");
    env.write("team/__init__.py", "");
    env.write("team/deep.py", IN_A_PACKAGE);
    env.write("team/words.py", "WORD = 'u'\n");
    let agents = ["far/my_agent", "team/deep.py", "champ/__init__.py"];
    let options = ["-o", "max_iterations=5", "--format", "json", "--turns"];
    let words = ["play", "coderone-dungeon"].into_iter().chain(agents).chain(options);
    let bout = env.run(words).expect(0).json();
    let names: Vec<_> = (0..3).map(|seat| bout["seats"][seat]["bot"].clone()).collect();
    assert_eq!(names, ["my_agent", "deep", "champ"]);
    let turns = bout["turns"].as_array().expect("a list");
    for seat in [0, 1] {
        let own = turns.iter().filter(|turn| turn["seat"] == seat && turn["round"] != 1);
        let actions: Vec<_> = own.map(|turn| [&turn["verdict"], &turn["action"]]).collect();
        assert!(actions.len() == 6 && actions.iter().all(|turn| *turn == ["ok", "u"]), "{bout}");
    }
    assert!(!env.path().join("far/own.log").exists() && !env.path().join("agent.log").exists());
}

#[test]
#[ignore = "long: tests of disputes and of builds show its parts"]
fn a_file_with_its_modules_is_made_again_for_a_dispute() {
    let env = env();
    let file = TOURNAMENT.replace("['*.py', champ]", "[far/my_agent.py, near.py]");
    env.write("tournament.yaml", &file);
    env.write("far/my_agent.py", "from helpers import agent\n");
    env.write("far/helpers.py", &MARTYR.replace("Agent", "agent"));
    env.write("near.py", IDLE);
    env.run(["run", "--quiet"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    fs::remove_dir_all(env.path().join("far")).expect("it is there");
    let rerun = rerun_elsewhere(&env, &bout);
    let said = String::from_utf8_lossy(&rerun.stdout).into_owned();
    assert!(
        rerun.status.success() && said.contains("`my_agent`: made again from the source kept"),
        "{said}"
    );
}

fn commit(env: &TestEnv) {
    for words in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "bots"]] {
        git(env.path(), words);
    }
}

/// Settles a dispute on a machine that has built nothing yet.
fn rerun_elsewhere(env: &TestEnv, bout: &str) -> Output {
    let mut rerun = env.command(["rerun", bout]);
    rerun.env("JOUST_CACHE", env.path().join("another")).output().expect("it runs")
}

#[test]
fn a_file_with_its_modules_is_made_again_from_its_commit_alone() {
    let env = env();
    let file = TOURNAMENT.replace("['*.py', champ]", "[far/team/my_agent.py, near.py]");
    env.write("tournament.yaml", &format!("{file}keep_sources: false\n"));
    env.write("far/team/__init__.py", "");
    env.write("far/team/my_agent.py", "from .helpers import agent\nimport maps.small\n");
    env.write("far/team/helpers.py", &MARTYR.replace("Agent", "agent"));
    env.write("far/maps/small.py", "SIZE = 3\n");
    env.write("far/maps/data.txt", "..#\n");
    env.write("far/requirements.txt", "# none\n");
    env.write("near.py", IDLE);
    env.write(".gitignore", "cache\n*.db*\n");
    commit(&env);
    env.run(["run", "--quiet"]).expect(0);
    let bout = bout_ids(&env).remove(0);
    fs::remove_dir_all(env.path().join("far")).expect("it is there");
    let rerun = rerun_elsewhere(&env, &bout);
    let said = String::from_utf8_lossy(&rerun.stdout).into_owned();
    assert!(
        rerun.status.success() && said.contains("`my_agent`: made again from commit "),
        "{said}"
    );
}

#[test]
fn a_file_whose_module_was_changed_since_the_commit_names_none() {
    let env = env();
    let file = TOURNAMENT.replace("['*.py', champ]", "[my_agent.py, near.py]");
    env.write("tournament.yaml", &format!("{file}keep_sources: false\n"));
    env.write("my_agent.py", "from helpers import agent\n");
    env.write("helpers.py", "raise SystemExit\n");
    env.write("near.py", IDLE);
    env.write(".gitignore", "cache\n*.db*\n");
    commit(&env);
    env.write("helpers.py", &MARTYR.replace("Agent", "agent"));
    env.run(["run", "--quiet"]).expect(0);
    let export = env.run(["builds", "export", "kept"]).expect(0);
    assert!(export.stdout.contains("copied"), "{}", export.stdout);
    let bout = bout_ids(&env).remove(0);
    fs::remove_file(env.path().join("helpers.py")).expect("it is there");
    let rerun = rerun_elsewhere(&env, &bout);
    let said = String::from_utf8_lossy(&rerun.stderr).into_owned();
    assert!(!rerun.status.success() && !said.contains("from commit"), "{said}");
}

/// Makes archives in the test's folder: of a package whose modules import it by its
/// name, and of a module to be required, as `pip` takes it.
const PACK: &str = r#"
import zipfile
with zipfile.ZipFile('zipped.zip', 'w') as package:
    package.writestr('__init__.py', 'from zipped.brain import Agent\n')
    package.writestr('brain.py', open('martyr.py').read())
with zipfile.ZipFile('needy/steps-1.0-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('steps.py', 'WORD = "u"\n')
    info = 'steps-1.0.dist-info/'
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: steps\nVersion: 1.0\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
    wheel.writestr(info + 'RECORD', 'steps.py,,\n')
"#;

#[test]
fn packages_in_archives_and_packages_with_requirements_play() {
    let env = folder();
    let needy = "import steps\n\nclass Agent:\n    def next_move(self, game_state, player_state):\n        \
                 return steps.WORD\n";
    env.write("needy/__init__.py", needy);
    env.write("needy/requirements.txt", "./steps-1.0-py3-none-any.whl\n");
    let packed = Command::new("python3").args(["-c", PACK]).current_dir(env.path()).status();
    assert!(packed.expect("Python is on this machine").success());
    let arguments = ["play", "coderone-dungeon", "zipped.zip", "needy", "--format", "json"];
    let options = ["-o", "max_iterations=5", "--turns"];
    let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
    assert_eq!(bout["seats"][0]["bot"], "zipped");
    for (seat, word) in [(0, "b"), (1, "u")] {
        let turns = bout["turns"].as_array().expect("a list").iter();
        let own = turns.filter(|turn| turn["seat"] == seat && turn["round"] != 1);
        assert!(own.clone().all(|turn| turn["verdict"] == "ok"), "{bout}");
        assert!(
            own.clone().count() == 6 && own.clone().all(|turn| turn["action"] == word),
            "{bout}"
        );
    }
}

#[test]
#[ignore = "long: the demo tournament plays it"]
fn the_shipped_event_is_played_once_and_can_be_verified() {
    let env = env();
    let shipped = Path::new(SHIPPED);
    copy_folder(&shipped.join("bots"), &env.path().join("bots"));
    let file = fs::read_to_string(shipped.join("tournament.yaml")).expect("it is shipped");
    env.write("tournament.yaml", &file);
    let event = ["--event", "coderone-dungeon"];
    let first = env.run(["run"].into_iter().chain(event)).expect(0);
    assert!(first.stdout.contains("12 of 12 bouts"), "{}", first.stdout);
    let second = env.run(["run"].into_iter().chain(event)).expect(0);
    assert!(second.stderr.contains("0 bouts played"), "{}", second.stderr);
    assert_eq!(first.stdout, second.stdout);
    let verified = env.run(["verify"]).expect(0);
    assert!(verified.stdout.contains("12 bouts agree"), "{}", verified.stdout);
}

#[test]
#[ignore = "long: one bout by each starter"]
fn the_starter_is_in_order_and_beats_an_agent_that_does_nothing() {
    let env = folder();
    env.write("idle.py", IDLE);
    env.run(["bot", "new", "coderone-dungeon", "python", "mine/starter"]).expect(0);
    let check = env.run(["bot", "check", "coderone-dungeon", "mine/starter"]).expect(0).stdout;
    assert!(check.contains("OK: ") && !check.contains("peak 0 KiB"), "{check}");
    for (seats, winner) in [(["mine/starter", "idle.py"], 0), (["idle.py", "mine/starter"], 1)] {
        let arguments = ["play", "coderone-dungeon", seats[0], seats[1], "--format", "json"];
        let bout = env.run(arguments).expect(0).json();
        assert_eq!(bout["seats"][winner]["rank"], 1, "{bout}");
        assert_eq!(bout["seats"][1 - winner]["rank"], 2, "{bout}");
    }
}

#[test]
fn more_agents_than_processors_take_turns_and_nobody_is_at_fault_for_it() {
    let env = folder();
    let seats = ["martyr.py", "champ", "martyr.py", "champ", "martyr.py", "champ", "champ"];
    let arguments = ["play", "coderone-dungeon"].into_iter().chain(seats);
    let options = ["-o", "max_iterations=60", "--format", "json"];
    let bout = env.run(arguments.chain(options)).expect(0).json();
    assert_eq!(bout["contended"], false, "{bout}");
}

#[test]
#[ignore = "long: one bout in each language"]
fn no_language_costs_a_hosted_agent_anything() {
    let env = folder();
    let measured = env.run(["calibrate", "--game", "coderone-dungeon"]).expect(0);
    assert!(measured.stderr.contains("hosted"), "{}", measured.stderr);
    assert_eq!(measured.stdout, "");
}

#[test]
fn an_agent_is_shown_exactly_one_recorded_state() {
    let env = folder();
    env.run(["run"]).expect(0);
    let id = bout_ids(&env).remove(0);
    let teller = "class Agent:\n    def __init__(self, player_num, env):\n        self.number = player_num\n    \
                  def next_move(self, game_state, player_state):\n        print('heard')\n        \
                  return repr((game_state.tick_number, player_state.id, self.number))\n";
    env.write("teller.py", teller);
    for seat in 0..2 {
        let place = ["--seat".to_owned(), seat.to_string()];
        let turn = ["bot", "turn", "teller.py", "--bout", &id, "--round", "6"].map(String::from);
        let ran = env.run(turn.into_iter().chain(place)).expect(0);
        // The state of the agent's tick 4 is answered in round 6.
        assert_eq!(ran.stdout, format!("(4, {seat}, {})\n", seat + 1));
        assert!(ran.stderr.contains("`teller`: ok"), "{}", ran.stderr);
        assert!(ran.stderr.contains("stdout| heard"), "{}", ran.stderr);
    }
    env.write("wrong.py", &IDLE.replace("None", "player_state.health"));
    let ran = env.run(["bot", "turn", "wrong.py", "--bout", &id, "--round", "2"]).expect(1);
    assert_eq!(ran.stdout, "raised: AttributeError\n");
    assert!(ran.stderr.contains("no attribute 'health'"), "{}", ran.stderr);
    // Nobody is asked before the first tick.
    let refused = env.run(["bot", "turn", "wrong.py", "--bout", &id, "--round", "1"]).expect(2);
    assert!(refused.stderr.contains("was not asked in round 1"), "{}", refused.stderr);
}

#[test]
fn a_bout_is_drawn_while_it_is_played_and_again_from_its_record() {
    let env = folder();
    let arguments = ["play", "coderone-dungeon", "martyr.py", "champ", "--show"];
    let options = ["--turn-log", "bout.json", "-o", "max_iterations=20"];
    let shown = env.run(arguments.into_iter().chain(options)).expect(0).stdout;
    // Twenty-two ticks and the position before them.
    assert!(shown.contains("tick 22"), "{shown}");
    assert_eq!(shown.matches("martyr hp=").count(), 23, "{shown}");
    let recorded = fs::read_to_string(env.path().join("bout.json")).expect("it was written");
    // The bout, a turn of either in every tick, the result.
    assert_eq!(recorded.lines().count(), 1 + 2 * 22 + 1);

    env.run(["run"]).expect(0);
    for id in bout_ids(&env) {
        let drawn = env.run(["replay", &id]).expect(0).stdout;
        assert!(drawn.contains("tick 22"), "{drawn}");
    }
}

#[test]
fn a_recording_has_the_lines_of_the_original() {
    let env = folder();
    let files = ["--record", "r.txt", "--turn-log", "turns.jsonl"];
    let arguments = ["play", "coderone-dungeon", "martyr.py", "champ", "-o", "max_iterations=20"];
    env.run(arguments.into_iter().chain(files)).expect(0);
    let read = |name| fs::read_to_string(env.path().join(name)).expect("it was written");
    let recording = read("r.txt");
    let mut lines = recording.lines();
    assert_eq!(lines.next(), Some("0: add_player \"martyr\""));
    assert_eq!(lines.next(), Some("0: add_player \"champ\""));
    let map = lines.next().and_then(|line| line.strip_prefix("0: map ")).expect("a map");
    let map: Value = serde_json::from_str(map).expect("JSON");
    let squares = map.as_object().expect("columns").values().map(|rows| rows.as_object());
    // Two players, 18 blocks of metal, 20 of wood, 5 of ore, one ammo.
    assert_eq!(squares.map(|rows| rows.expect("rows").len()).sum::<usize>(), 46);

    // Every order that was taken is there, in any order within its tick.
    let mut orders: Vec<&str> = lines.collect();
    let turns = read("turns.jsonl");
    let turns = turns.lines().filter_map(|line| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        let turn = line["turn"].as_object().filter(|turn| turn["action"] != "")?;
        let action = turn["action"].as_str().expect("a text");
        let tick = turn["round"].as_u64().expect("a number") - 1;
        Some(format!("{tick}: {} {action}", turn["seat"]))
    });
    let mut taken: Vec<String> = turns.collect();
    assert!(!taken.is_empty(), "{recording}");
    taken.sort_unstable();
    orders.sort_unstable();
    assert_eq!(orders, taken);
}

#[test]
fn a_person_plays_key_by_key_and_one_key_a_tick() {
    let env = folder();
    let arguments = ["play", "coderone-dungeon", "--human", "champ", "--format", "json", "--turns"];
    let options = ["-o", "max_iterations=10", "-o", "tick_ms=20"];
    let command = env.command(arguments.into_iter().chain(options));
    // Up, no key of the game, left, down, then end of input.
    let text = at_the_keyboard(command, b"w?\x1b[D\x1b[B");
    let json = &text[text.find("{\n").expect("an object follows the drawings")..];
    let bout: serde_json::Value = serde_json::from_str(json).expect("it is JSON");
    assert_eq!(bout["clock"], "realtime");
    let turns = bout["turns"].as_array().expect("a list").iter();
    // The person sits last.
    assert_eq!(bout["seats"][1]["bot"], "Player");
    let own = turns.filter(|turn| turn["seat"] == 1).map(|turn| turn["action"].as_str());
    let own: Vec<_> = own.flatten().filter(|action| !action.is_empty()).collect();
    assert_eq!(own, ["u", "l", "d"]);
}

#[test]
fn what_a_game_on_a_clock_cannot_do_is_refused() {
    let env = folder();
    let refused = |arguments: &[&str], reason: &str| {
        let arguments = ["play"].iter().chain(arguments);
        let ran = env.run(arguments).expect(2);
        assert!(ran.stderr.contains(reason), "{}", ran.stderr);
    };
    refused(&["coderone-dungeon", "--human=2", "champ"], "one person");
    refused(&["battlebots", "--endless", "champ", "champ"], "has no `--endless`");
    refused(&["battlebots", "--clock", "eager", "champ", "champ"], "not played on a clock");
    refused(&["coderone-dungeon", "--human", "--clock", "eager", "champ"], "in real time");
    refused(&["coderone-dungeon", "--single-step", "champ", "champ"], "add `--show`");
    refused(&["coderone-dungeon", "--start-paused", "champ", "champ"], "--human");
    refused(&["coderone-dungeon", "--headless", "--human", "champ"], "cannot be used with");
    refused(&["coderone-dungeon", "-o", "tick_step=x", "champ", "champ"], "whole number");
    refused(&["coderone-dungeon", "--listen", "0", "champ"], "has no `--listen`");
}

#[test]
#[ignore = "long: tests of builds show its parts"]
fn what_an_event_provides_is_there_for_every_agent_and_asked_for_once() {
    let cache = tempfile::tempdir().expect("a folder can be made");
    let env = env().with_cache(cache.path());
    env.write("counts.py", COUNTS);
    env.write("martyr.py", MARTYR);
    // The list of the whole project: the bot needs only the provided libraries of it.
    env.write("requirements.txt", "numpy\nno-such-library-anywhere==1.0\n");
    env.write("tournament.yaml", &TOURNAMENT.replace("champ]", "]\n    provides: [numpy]"));
    let run = env.run(["run", "tournament.yaml"]).expect(0);
    assert!(run.stderr.contains("libraries for python: numpy "), "{}", run.stderr);
    assert!(run.stdout.contains("1 of 1 bout"), "{}", run.stdout);
    assert!(!run.stdout.contains("exit-nonzero"), "{}", run.stdout);
    let again = env.run(["run", "tournament.yaml", "--fresh"]).expect(0);
    assert!(!again.stderr.contains("fetching"), "{}", again.stderr);
    env.run(["verify", "-f", "tournament.yaml"]).expect(0);
}

#[test]
#[ignore = "long: tests of builds show its parts"]
fn libraries_that_cannot_be_had_are_no_agent_s_fault() {
    let env = env();
    env.write("martyr.py", MARTYR);
    env.write("idle.py", IDLE);
    let provides = |names: &str| TOURNAMENT.replace("champ]", &format!("]\n    provides: {names}"));
    env.write("tournament.yaml", &provides("[no-such-library-anywhere-at-all]"));
    let run = env.run(["run", "tournament.yaml"]).expect(4);
    assert!(
        run.stderr.contains("infrastructure-error: the libraries that are provided"),
        "{}",
        run.stderr
    );
    env.write("tournament.yaml", &provides("{ ruby: [rake] }"));
    let refused = env.run(["run", "tournament.yaml"]).expect(2);
    assert!(
        refused.stderr.contains("no libraries can be provided for `ruby`"),
        "{}",
        refused.stderr
    );
    assert!(refused.stderr.contains("tournament.yaml:7:"), "{}", refused.stderr);
}
