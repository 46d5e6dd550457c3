//! Coder One's dungeon from agents to standings: Python agents in the sandbox, on
//! the clock, judged again from the log.

use joust_testkit::env::TestEnv;

use super::env;

const TOURNAMENT: &str = "name: dungeon\nseed: 1\ndatabase: r.db\nevents:\n  - game: coderone-dungeon\n    \
                          bots: ['*.py', champ]\n    bouts: 1\n    options: { max_iterations: 20 }\n";

/// Bombs at once and stands on it.
const MARTYR: &str =
    "class Agent:\n    def next_move(self, game_state, player_state):\n        return 'p'\n";

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
    let standings = env.run(["run", "tournament.yaml"]).expect(0).stdout;
    assert!(standings.contains("3 of 3 bouts"), "{standings}");
    for name in ["martyr", "broken", "champ"] {
        assert!(standings.contains(name), "{standings}");
    }
    assert!(standings.contains("exit-nonzero"), "{standings}");
    env.run(["verify", "-f", "tournament.yaml"]).expect(0);
}

#[test]
fn every_demo_agent_plays_without_a_fault() {
    let env = folder();
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bots/coderone-dungeon/");
    for pair in [["miner", "hunter"], ["collector.py", "runner.py"], ["wanderer.py", "miner"]] {
        let [first, second] = pair.map(|bot| format!("{demo}{bot}"));
        let arguments = ["play", "coderone-dungeon", &first, &second, "--format", "json"];
        let options = ["-o", "max_iterations=60", "--turns"];
        let bout = env.run(arguments.into_iter().chain(options)).expect(0).json();
        let turns = bout["turns"].as_array().expect("a list");
        assert!(turns.len() >= 60, "{pair:?}: {bout}");
        assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{pair:?}: {bout}");
        let stderr: Vec<_> = turns.iter().map(|turn| &turn["stderr"]).collect();
        assert!(stderr.iter().all(|text| *text == ""), "{pair:?}: {stderr:?}");
    }
}
