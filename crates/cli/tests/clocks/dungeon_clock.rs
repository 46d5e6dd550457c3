//! Coder One's dungeon on its clock, with agents in the sandbox: at every pace, with
//! an agent slower than the clock, and played again.

use joust_testkit::env::TestEnv;
use joust_testkit::league::bout_ids;
use serde_json::Value;

use super::{Alone, env};

/// Number of tries at a play that a busy machine may spoil.
const TRIES: usize = 6;

/// Goes where the state and the number of the tick lead it.
const WALKER: &str = "class Agent:\n    def next_move(self, game_state, player_state):\n        \
                      x, y = player_state.location\n        \
                      return 'udlr'[(7 * x + 3 * y + game_state.tick_number) % 4]\n";

/// Thinks for 255 ms: 250 and the time of a question. It prints the states that it saw, with their
/// times in milliseconds from the first.
const SLOW: &str = "import sys, time\nclass Agent:\n    first = None\n    \
                    def next_move(self, game_state, player_state):\n        \
                    now = time.monotonic()\n        \
                    self.first = self.first or now\n        \
                    sys.stderr.write('%d:%d ' % (game_state.tick_number, (now - self.first) * 1000))\n        \
                    sys.stderr.flush()\n        time.sleep(0.255)\n        return 'u'\n";

/// Thinks for some ticks now and then.
const DREAMER: &str = "import random, time\nclass Agent:\n    \
                       def next_move(self, game_state, player_state):\n        \
                       time.sleep(random.choice([0, 0, 0.03, 0.07]))\n        \
                       return random.choice('udlr')\n";

fn folder() -> Alone {
    let env = env();
    for (name, agent) in [("walker", WALKER), ("other", WALKER), ("slow", SLOW)] {
        env.write(&format!("{name}.py"), agent);
    }
    env
}

fn play(env: &TestEnv, agents: [&str; 2], pace: &str, options: [&str; 2]) -> Value {
    let [first, second] = options;
    let arguments = ["play", "coderone-dungeon", agents[0], agents[1], "--clock", pace];
    let more = ["-o", first, "-o", second, "--format", "json", "--turns"];
    let bout = env.run(arguments.into_iter().chain(more)).expect(0).json();
    assert_eq!(bout["clock"], pace);
    let turns = bout["turns"].as_array().expect("a list");
    assert!(turns.iter().all(|turn| turn["verdict"] == "ok"), "{bout}");
    bout
}

fn seats_sum(bout: &Value, field: &str) -> u64 {
    let seats = bout["seats"].as_array().expect("a list").iter();
    seats.map(|seat| seat[field].as_u64().expect("a number")).sum()
}

/// The actions of a seat, tick by tick.
fn actions(bout: &Value, seat: u64) -> Vec<&str> {
    let turns = bout["turns"].as_array().expect("a list").iter();
    let own = turns.filter(|turn| turn["seat"] == seat);
    own.map(|turn| turn["action"].as_str().expect("a text")).collect()
}

#[test]
#[ignore = "long: real clocks"]
fn agents_that_answer_in_time_play_the_same_bout_at_every_pace() {
    let env = folder();
    let in_time = |pace: &str| {
        let options = ["tick_step=0.3", "max_iterations=15"];
        let plays = (0..TRIES).map(|_| play(&env, ["walker.py", "other.py"], pace, options));
        let is_in_time = |bout: &Value| {
            seats_sum(bout, "answers_late") == 0 && seats_sum(bout, "ticks_idle") == 0
        };
        plays.into_iter().find(is_in_time).expect("not late by 300 ms in each of six plays")
    };
    let [realtime, eager, lockstep] = ["realtime", "eager", "lockstep"].map(in_time);
    assert_eq!(realtime["rounds"], 17);
    for other in [&eager, &lockstep] {
        assert_eq!(other["state_hash"], realtime["state_hash"]);
        for seat in [0, 1] {
            assert_eq!(actions(other, seat), actions(&realtime, seat));
        }
    }
}

/// Reads the states that the slow agent saw, and when.
fn seen(bout: &Value) -> Vec<(u32, u32)> {
    let turns = bout["turns"].as_array().expect("a list").iter();
    let mut told =
        turns.filter(|turn| turn["seat"] == 0).filter_map(|turn| turn["stderr"].as_str());
    let last = told.next_back().expect("it had turns");
    let pair = |word: &str| {
        let (tick, ms) = word.split_once(':').expect("a pair");
        (tick.parse().expect("a tick"), ms.parse().expect("milliseconds"))
    };
    last.split_whitespace().map(pair).collect()
}

#[test]
#[ignore = "long: real clocks"]
fn an_agent_slower_than_the_clock_plays_the_measured_pattern_without_a_fault() {
    let env = folder();
    for _ in 0..TRIES {
        let options = ["tick_ms=100", "max_iterations=17"];
        let bout = play(&env, ["slow.py", "walker.py"], "realtime", options);
        let seen = seen(&bout);
        let acted = (0..).zip(actions(&bout, 0)).filter(|(_, action)| !action.is_empty());
        let acted: Vec<u32> = acted.map(|(tick, _)| tick).collect();
        // What holds however busy the machine is.
        assert!(seen.windows(2).all(|pair| pair[0].0 < pair[1].0), "{seen:?}");
        assert!(acted.len() <= seen.len(), "{seen:?} {acted:?}");
        assert!(bout["seats"][0]["ticks_idle"].as_u64() > Some(0), "{bout}");
        assert!(bout["seats"][0]["answers_late"].as_u64() > Some(0), "{bout}");
        // A play in which the machine was late by 8 ms proves nothing about ticks.
        let is_on_time = |(call, (_, ms)): (u32, &(u32, u32))| *ms <= 255 * call + 8;
        if bout["ticks_late"] == 0 && (0..).zip(&seen).all(is_on_time) {
            let ticks: Vec<u32> = seen.iter().map(|(tick, _)| *tick).collect();
            assert_eq!(ticks[..6], [0, 2, 5, 7, 10, 12], "{seen:?}");
            assert_eq!(acted[..6], [3, 6, 8, 11, 13, 16], "{seen:?}");
            return;
        }
    }
}

#[test]
#[ignore = "long: real clocks"]
fn a_bout_in_real_time_with_late_answers_is_played_again_exactly() {
    let env = env();
    env.write(
        "tournament.yaml",
        "name: late\nseed: 1\ndatabase: r.db\nevents:\n  - game: coderone-dungeon\n    \
         bots: ['*.py']\n    bouts: 2\n    clock: realtime\n    \
         options: { tick_step: 0.02, max_iterations: 60 }\n",
    );
    env.write("dreamer.py", DREAMER);
    env.write("walker.py", WALKER);
    env.run(["run"]).expect(0);
    let ids = bout_ids(&env);
    assert_eq!(ids.len(), 2);
    env.run(["verify"]).expect(0);
    for id in &ids {
        let bout = env.run(["replay", id, "--format", "json"]).expect(0).json();
        assert_eq!(bout["clock"], "realtime");
        assert!(seats_sum(&bout, "answers_late") > 0, "{bout}");
        let again = env.run(["rerun", id]).expect(0).stdout;
        assert!(again.contains("reproduced: all"), "{again}");
    }
}
