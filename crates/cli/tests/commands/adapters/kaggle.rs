//! Adapter of Kaggle's environments, with an environment of our own in the place of the library.

use super::with_adapter;
use crate::env;

/// Stand-in for the library: one seat is asked after the other, three times each.
const ENVIRONMENTS: &str = "\
class Struct(dict):
    __getattr__ = dict.get

class Environment:
    def __init__(self):
        self.specification = Struct(configuration={})
        self.configuration = Struct(actTimeout=1)

    def reset(self, seats):
        self.turn = 0
        self.state = [Struct(observation=Struct(remainingOverageTime=60, step=0), reward=0) for _ in range(seats)]
        self.ask()

    def ask(self):
        self.done = self.turn == 6
        for seat, state in enumerate(self.state):
            state['status'] = 'DONE' if self.done else 'ACTIVE' if seat == self.turn % 2 else 'INACTIVE'
            state.observation['step'] = self.turn

    def step(self, actions):
        seat = self.turn % 2
        self.state[seat]['reward'] += actions[seat] if isinstance(actions[seat], int) else -100
        self.turn += 1
        self.ask()

    def _Environment__get_shared_state(self, seat):
        return self.state[seat]

def make(name, configuration=None):
    return Environment()
";

const GAME: &str = "\
entry: referee.py
files: [referee.py, joust.py, 'kaggle_environments/*', numpy.py]
rules: rules.md
seats: { min: 2, max: 2 }
times: { first: 1s, move: 1s, bank: 60s }
placeholders: true
can: [rejudge]
";

const SLOW: &str = "\
import sys, time
def agent(obs, config):
    print('overage', obs.remainingOverageTime, 'step', obs.step, file=sys.stderr)
    time.sleep(3)
    return 1
";

const PATHS: &str = "\
import glob, os, pathlib, sys
sys.path.append('/kaggle_simulations/agent')
THERE = '/kaggle_simulations/agent'
import beside
assert os.path.isdir(THERE) and os.path.exists(THERE + '/weights.txt') and 'weights.txt' in os.listdir(THERE)
assert glob.glob(THERE + '/weights.*') and pathlib.Path(THERE, 'weights.txt').read_text() == '7'
assert not os.path.exists('/kaggle_simulations/agents')
with open(THERE + '/weights.txt') as file:
    WEIGHT = int(file.read())
def agent(obs, config):
    assert os.path.dirname(config.__raw_path__) == os.getcwd()
    return WEIGHT
";

#[test]
fn an_agent_of_kaggle_reads_what_is_left_of_its_bank_and_finds_its_folder() {
    let env = env();
    with_adapter(&env, "kaggle");
    env.write("kaggle/kaggle_environments/__init__.py", ENVIRONMENTS);
    env.write("kaggle/kaggle_environments/errors.py", "class DeadlineExceeded(Exception): pass\n");
    env.write("kaggle/numpy.py", "class random:\n    seed = staticmethod(lambda seed: None)\n");
    env.write("kaggle/games/kaggle-own.yaml", GAME);
    for (name, agent) in [("slow", SLOW), ("paths", PATHS)] {
        let manifest = "language: python\nentry: kaggle_agent.py\nargs: [main.py]\n";
        env.write(&format!("bots/{name}/bot.yaml"), &format!("name: {name}\n{manifest}"));
        env.write(&format!("bots/{name}/main.py"), agent);
        env.write(&format!("bots/{name}/weights.txt"), "7");
        env.write(&format!("bots/{name}/beside.py"), "");
        let beside = env.path().join(format!("bots/{name}/kaggle_agent.py"));
        let agent = env.path().join("kaggle/kaggle_agent.py");
        std::fs::copy(agent, beside).expect("a file can be copied");
    }
    env.write(
        "tournament.yaml",
        "games: { kaggle-own: { referee: kaggle } }\n\
         events: [{ game: kaggle-own, bots: ['bots/*'], bouts: 1 }]\n",
    );
    env.run(["run"]).expect(0);
    env.run(["verify"]).expect(0);
    let words = ["replay", "slow", "paths", "--last", "--format", "json", "--turns"];
    let bout = env.run(words).expect(0).json();
    let seats = bout["seats"].as_array().expect("two seats");
    let score = |bot: &str| seats.iter().find(|seat| seat["bot"] == bot).map(|it| &it["score"]);
    assert_eq!(score("paths"), Some(&21.into()), "{bout}");
    let turns = bout["turns"].as_array().expect("its turns");
    let said: String = turns.iter().filter_map(|turn| turn["stderr"].as_str()).collect();
    let numbers = said.split("overage ").skip(1).filter_map(|rest| rest.split(' ').next());
    let read: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
    assert!(read.len() == 3 && (read[0] - 60.0).abs() < 0.01, "{said}");
    // It takes three seconds for each move and has one, plus the time to start Python.
    assert!(read.windows(2).all(|two| (1.0..=3.0).contains(&(two[0] - two[1]))), "{said}");
}
