//! LoadGenerator machines: time that other programs take is nobody's fault, and a late bot is late
//! all the same.

use std::process::{Child, Command};

use joust_testkit::env::TestEnv;

use crate::league::{empty, results};

/// Programs that take all processor time they can get.
struct LoadGenerator(Vec<Child>);

impl LoadGenerator {
    fn start(count: usize) -> Self {
        let one = |_| {
            let endless = ["-c", "trap 'exit' TERM; while :; do :; done"];
            Command::new("sh").args(endless).spawn().expect("a shell can be started")
        };
        Self((0..count).map(one).collect())
    }
}

impl Drop for LoadGenerator {
    fn drop(&mut self) {
        for program in &mut self.0 {
            let _ = program.kill();
            let _ = program.wait();
        }
    }
}

/// Begin of a bot that takes 40 ms of its processor's time whenever it is called.
const WORK: &str = "\
import time

def work():
    end = time.process_time() + 0.04
    while time.process_time() < end:
        pass

";

/// A custom game whose bots keep running and read lines.
const REFEREE: &str = "\
import joust

def play(bout):
    for number in range(bout.options['asks']):
        yield bout.ask({0: str(number), 1: str(number)}, state=str(number))
    return bout.end([0, 0], 'asked', state='')

joust.serve('work', '1', play)
";

const GAME: &str = "\
entry: referee.py
files: [referee.py, joust.py]
rules: rules.md
seats: { min: 2, max: 2 }
simultaneous: true
can: [bouts, rejudge]
options: { asks: { type: integer, minimum: 1, maximum: 10000, default: 50 } }
";

/// Makes a tournament of one event with two equal bots.
fn tournament(event: &str, source: &str) -> TestEnv {
    let env = empty();
    env.write(
        "tournament.yaml",
        &format!(
            "seed: 1\ndatabase: results.db\ngames: {{ work: {{ referee: game }} }}\n\
             defaults: {{ limits: {{ cpu: 50ms, turn: 100ms }} }}\n\
             events: [{{ bots: ['bots/*'], {event} }}]\n"
        ),
    );
    env.write("game/game.yaml", GAME);
    env.write("game/rules.md", "# Work\n");
    env.write("game/referee.py", REFEREE);
    env.write("game/joust.py", include_str!("../../../gamekit/kits/python/joust.py"));
    for bot in ["ann", "bob"] {
        env.write(&format!("bots/{bot}.py"), &format!("{WORK}{source}"));
    }
    env
}

/// Plays it beside busy programs; returns how many turns its bots had, with how many faults.
fn played(env: &TestEnv, busy: usize) -> (u64, u64) {
    let busy = LoadGenerator::start(busy);
    env.run(["run"]).expect(0);
    drop(busy);
    let (mut turns, mut faults) = (0, 0);
    for bout in results(env).values() {
        assert_eq!(bout["contended"], false, "{bout}");
        for seat in bout["seats"].as_array().expect("its seats") {
            for (verdict, count) in seat["verdicts"].as_object().expect("its verdicts") {
                let count = count.as_u64().expect("a number");
                turns += count;
                faults += if verdict == "ok" { 0 } else { count };
            }
            for missed in ["ticks_idle", "answers_late"] {
                faults += seat[missed].as_u64().unwrap_or(0);
            }
        }
    }
    (turns, faults)
}

#[test]
#[ignore = "long: 2,000 turns beside busy programs"]
fn a_bot_within_its_limits_is_never_late_beside_four_busy_programs() {
    let event = "game: battlebots, bouts: 10, options: { max_rounds: 100 }";
    // 40 of 50 ms, its start among them.
    let source = "while time.process_time() < 0.04:\n    pass\nprint('NO')\n";
    assert_eq!(played(&tournament(event, source), 4), (2000, 0));
}

const LINES: &str = "for line in open(0):\n    work()\n    print(line, end='', flush=True)\n";

#[test]
#[ignore = "long: 400 answers beside busy programs"]
fn a_bot_that_stays_is_never_late_beside_ten_busy_programs() {
    let env = tournament("game: work, bouts: 4, options: { asks: 50 }", LINES);
    assert_eq!(played(&env, 10), (400, 0));
}

const AGENT: &str = "\
class Agent:
    def __init__(self, player_num=None, env=None):
        pass

    def next_move(self, game_state, player_state):
        work()
        return 'u'
";

#[test]
#[ignore = "long: 3 times 400 ticks beside busy programs"]
fn an_agent_misses_no_tick_beside_ten_busy_programs_at_any_pace() {
    for pace in ["realtime", "eager", "lockstep"] {
        let event = format!(
            "game: coderone-dungeon, bouts: 2, clock: {pace}, \
             options: {{ max_iterations: 98, tick_ms: 100 }}"
        );
        let (ticks, faults) = played(&tournament(&event, AGENT), 10);
        assert!(ticks >= 400 && faults == 0, "{pace}: {faults} of {ticks}");
    }
}

#[test]
#[ignore = "long: late turns beside busy programs"]
fn a_bot_that_is_late_is_late_beside_busy_programs_too() {
    let late = "time.sleep(1)\nprint('NO')\n";
    let event = "game: battlebots, bouts: 2, options: { max_rounds: 5 }";
    let env = tournament(event, late);
    let (turns, faults) = played(&env, 4);
    assert!(turns > 0 && turns == faults, "{faults} of {turns}");
    let late =
        "import sys\nfor line in sys.stdin:\n    time.sleep(1)\n    print(line, flush=True)\n";
    let counts = played(&tournament("game: work, bouts: 2, options: { asks: 5 }", late), 4);
    // The first answer of each seat has the time of its start.
    assert_eq!(counts, (20, 16));
}
