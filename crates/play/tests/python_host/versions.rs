//! The host under every Python from 3.8 on that this machine has.

use std::path::PathBuf;
use std::process::Command;

use super::fixture::{Host, Place};

/// Everything that a host does, in one agent.
const SOURCE: &str = "import copy, enum, logging, random, sys, threading\n\
                      from coderone.dungeon.agent import Agent as Base, EntityTags, GameState\n\n\
                      class Move(str, enum.Enum):\n    UP = 'u'\n\n\
                      class Agent(Base):\n    def __init__(self, player_num, env):\n        self.calls = 0\n\n    \
                      def next_move(self, game_state, player_state):\n        self.calls += 1\n        \
                      twin = copy.deepcopy(game_state)\n        assert twin.all_blocks == game_state.all_blocks\n        \
                      assert game_state.entity_at((3, 1)) == EntityTags.SoftBlock.value\n        \
                      if self.calls == 2:\n            return [sys.version_info.minor]\n        \
                      if self.calls == 3:\n            raise KeyError('third')\n        return Move.UP\n";

/// Returns the interpreters from 3.8 on: those in the path and those of pyenv.
fn pythons() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let root = std::env::var_os("PYENV_ROOT").map_or(home.join(".pyenv"), PathBuf::from);
    let installed = std::fs::read_dir(root.join("versions")).into_iter().flatten().flatten();
    let installed = installed.map(|entry| entry.path().join("bin/python3"));
    let named = (8..20).map(|minor| PathBuf::from(format!("python3.{minor}")));
    let all = [PathBuf::from("python3")].into_iter().chain(named).chain(installed);
    let is_new_enough = |python: &PathBuf| {
        let asked = Command::new(python)
            .args(["-c", "import sys; sys.exit(sys.version_info < (3, 8))"])
            .output();
        asked.is_ok_and(|output| output.status.success())
    };
    all.filter(is_new_enough).collect()
}

#[test]
fn every_python_from_3_8_on_hosts_an_agent() {
    let pythons = pythons();
    assert!(!pythons.is_empty(), "Python 3 is on this machine");
    for python in pythons {
        let place = Place::new().with("me.py", SOURCE);
        let mut host = Host::start_with(&python, &place.path("me.py"), &[]);
        assert!(host.is_ready(), "{}", python.display());
        let kinds: Vec<String> = (0..4).map(|_| host.ask().expect("it answers").0).collect();
        assert_eq!(kinds, ["str", "unhashable", "raised", "str"], "{}", python.display());
        let end = host.end();
        assert!(end.status.success() && end.stderr.contains("KeyError: 'third'"), "{end:?}");
    }
}
