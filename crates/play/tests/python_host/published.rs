//! Agents in the styles in which people published them in 2020: each answers the
//! sample state, with nothing of it changed for us.

use super::fixture::{Host, Place};

/// The files of an agent and the path of it that is played.
struct Published<'a> {
    path: &'a str,
    files: &'a [(&'a str, &'a str)],
}

impl Published<'_> {
    /// Returns what it answers to the sample state, in which it is at (4, 4) on its
    /// own bomb, with ammo at (6, 6) and a treasure at (6, 7).
    fn answer(&self) -> (String, String) {
        let place =
            self.files.iter().fold(Place::new(), |place, (path, text)| place.with(path, text));
        let mut host = Host::start(&place.path(self.path), &[]);
        assert!(host.is_ready(), "{}", self.path);
        let answer = host.ask();
        answer.unwrap_or_else(|| panic!("no answer: {:?}", host.end()))
    }
}

#[track_caller]
fn says(word: &str, agent: &Published<'_>) {
    assert_eq!(agent.answer(), ("str".to_owned(), word.to_owned()));
}

#[test]
fn an_annotated_class_with_a_base_and_helper_methods() {
    let source = r#"
'''A bot.'''
import random
from typing import List, Optional
from coderone.dungeon.agent import Agent as BaseAgent, EntityTags, GameState, PID, PlayerState, Point

class Agent(BaseAgent):
    ACTIONS = ['', 'u', 'd', 'l', 'r', 'p']

    def __init__(self):
        super().__init__()
        self.plan: List[str] = []
        self.last: Optional[Point] = None

    def neighbours(self, game_state: GameState, at: Point) -> List[Point]:
        x, y = at
        around = [(x, y + 1), (x, y - 1), (x - 1, y), (x + 1, y)]
        return [p for p in around if game_state.is_in_bounds(p) and not game_state.is_occupied(p)]

    def next_move(self, game_state: GameState, player_state: PlayerState) -> str:
        free = self.neighbours(game_state, player_state.location)
        assert (6, 6) in game_state.ammo and player_state.location in game_state.bombs
        assert game_state.entity_at((5, 3)) == EntityTags.OreBlock.value
        assert sorted(free) == [(3, 4), (4, 3), (4, 5), (5, 4)]
        return 'u' if random.random() < 2 else super().next_move(game_state, player_state)
"#;
    says("u", &Published { path: "my_bot.py", files: &[("my_bot.py", source)] });
}

#[test]
fn a_factory_with_settings_behind_it() {
    let source = "class Bomber:\n    def __init__(self, style):\n        self.style = style\n    \
                  def next_move(self, game_state, player_state):\n        return self.style\n\n\
                  def agent():\n    return Bomber('can_haz_boom')\n";
    says("can_haz_boom", &Published { path: "bomber", files: &[("bomber.py", source)] });
}

#[test]
fn a_class_in_lower_case_that_needs_a_while() {
    let source = "import time\nclass agent:\n    def __init__(self):\n        time.sleep(0.3)\n    \
                  def next_move(self, game_state, player_state):\n        return 'd'\n";
    says("d", &Published { path: "late.py", files: &[("late.py", source)] });
}

#[test]
fn a_package_with_its_modules_and_its_data() {
    let files = &[
        ("champ/__init__.py", "from .brain.decide import Agent\n"),
        ("champ/brain/__init__.py", ""),
        (
            "champ/brain/decide.py",
            "import json, os\nfrom ..maps import distance\nfrom champ import constants\n\n\
             class Agent:\n    def __init__(self):\n        here = os.path.dirname(os.path.abspath(__file__))\n        \
             with open(os.path.join(here, 'weights.json')) as file:\n            \
             self.weights = json.load(file)\n\n    def next_move(self, game_state, player_state):\n        \
             treasure = game_state.treasure[0]\n        far = distance(player_state.location, treasure)\n        \
             return constants.WORDS[far - self.weights['far']]\n",
        ),
        ("champ/brain/weights.json", "{\"far\": 5}"),
        ("champ/maps.py", "def distance(a, b):\n    return abs(a[0] - b[0]) + abs(a[1] - b[1])\n"),
        ("champ/constants.py", "WORDS = ['l']\n"),
    ];
    says("l", &Published { path: "champ", files });
    says("l", &Published { path: "champ/__init__.py", files });
}

#[test]
fn a_module_with_helpers_beside_it_and_a_search_path_of_its_own() {
    let files = &[
        (
            "me.py",
            "import os, sys\nsys.path.append(os.path.join(os.path.dirname(__file__), 'lib'))\n\
             from helpers import *\nimport search\n\nclass Agent:\n    \
             def next_move(self, game_state, player_state):\n        \
             return search.first(MOVES)\n\nif __name__ == '__main__':\n    raise SystemExit('not here')\n",
        ),
        ("helpers.py", "MOVES = ['r', 'l']\n"),
        ("lib/search.py", "def first(moves):\n    return moves[0]\n"),
    ];
    says("r", &Published { path: "me.py", files });
}

#[test]
fn a_class_as_the_documentation_has_it() {
    let source = "class Agent:\n    def __init__(self, player_num, env):\n        self.name = 'player%d' % player_num\n        \
                  self.env = env\n\n    def next_move(self, game_state, player_state):\n        \
                  return 'p' if self.name == 'player1' and self.env is None else ''\n";
    says("p", &Published { path: "documented.py", files: &[("documented.py", source)] });
}

#[test]
fn a_planner_that_copies_states_and_reads_what_is_private() {
    let source = r"
import copy
from collections import deque

class Agent:
    def simulate(self, state, at):
        ahead = copy.deepcopy(state)
        ahead._bombs.append(at)
        ahead._game_map.setdefault(at[0], {})[at[1]] = 'b'
        ahead.tick_number += 1
        assert ahead.entity_at(at) == 'b' and state.entity_at(at) is None
        return ahead

    def next_move(self, game_state, player_state):
        game_state.danger = {(x, y) for x, y in game_state._bombs}
        ahead = self.simulate(game_state, (8, 8))
        assert (8, 8) in ahead.bombs and (8, 8) not in game_state.bombs
        blocks = dict((at, tag) for tag, at in game_state._blocks)
        assert blocks[(3, 1)] == 'sb' and game_state._players[1] == (1, (11, 9))
        start, size = player_state.location, game_state._size
        frontier, came = deque([start]), {start: None}
        while frontier:
            x, y = frontier.popleft()
            for step in ((x, y + 1), (x, y - 1), (x - 1, y), (x + 1, y)):
                inside = 0 <= step[0] < size[0] and 0 <= step[1] < size[1]
                if inside and step not in came and not game_state._has_occupancy(step) or step in game_state.ammo and step not in came:
                    came[step] = (x, y)
                    frontier.append(step)
        at = game_state.ammo[0]
        while came[at] != start:
            at = came[at]
        return {(0, 1): 'u', (0, -1): 'd', (-1, 0): 'l', (1, 0): 'r'}[(at[0] - start[0], at[1] - start[1])]
";
    says("u", &Published { path: "planner.py", files: &[("planner.py", source)] });
}

#[test]
fn an_agent_that_prints_logs_and_thinks_in_threads() {
    let source = r"
import logging, queue, sys, threading
from concurrent.futures import ThreadPoolExecutor

logger = logging.getLogger(__name__)
print('loaded', __name__)

class Agent:
    def __init__(self):
        self.work, self.done = queue.Queue(), queue.Queue()
        threading.Thread(target=self.think, daemon=True).start()

    def think(self):
        while True:
            print('thinking')
            self.done.put(self.work.get())

    def next_move(self, game_state, player_state):
        logger.warning('tick %d', game_state.tick_number)
        sys.stdout.write('no line end')
        self.work.put('d')
        with ThreadPoolExecutor(2) as pool:
            assert sum(pool.map(len, ['a', 'bb'])) == 3
        return self.done.get(timeout=10)
";
    says("d", &Published { path: "chatty.py", files: &[("chatty.py", source)] });
}

#[test]
fn words_that_are_strings_of_another_class() {
    // As `numpy.str_`, which a draw from a numpy array gives.
    let source = "class str_(str):\n    pass\n\nclass Agent:\n    \
                  def next_move(self, game_state, player_state):\n        return str_('l')\n";
    says("l", &Published { path: "drawn.py", files: &[("drawn.py", source)] });
}

#[test]
fn a_submodule_called_agent_is_taken_for_the_agent_as_it_always_was() {
    let files = &[
        ("dead/__init__.py", "from .agent import Agent\n"),
        (
            "dead/agent.py",
            "class Agent:\n    def next_move(self, game_state, player_state):\n        return 'u'\n",
        ),
    ];
    let answer = Published { path: "dead", files }.answer();
    assert_eq!(answer, ("false".to_owned(), "None".to_owned()));
}
