//! The game's description.

use std::sync::LazyLock;

use super::{Bout, BoutOptions, options, samples};
use crate::{
    AgentModule, GameSpec, Judge, Key, Outputs, PeopleSeats, PeopleSpec, Referee, Sample,
    SeatRange, Setup, StartError, Thinking,
};

/// D is down: the original's table has it for down and right, and down wins.
const KEYS: &[(char, &str)] = &[
    ('\u{2191}', "u"),
    ('\u{2193}', "d"),
    ('\u{2190}', "l"),
    ('\u{2192}', "r"),
    ('w', "u"),
    ('a', "l"),
    ('d', "d"),
    (' ', "b"),
];

/// A player alone has won after the first tick, so a bout of one can be started but
/// is not offered.
const SEATS: SeatRange = SeatRange { fewest: 2, most: options::SEATS_MOST };

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "coderone-dungeon".to_owned(),
    title: "Coder One: Dungeons and Data Structures".to_owned(),
    revision: 1,
    rule_sets: vec!["original".to_owned()],
    seats: SEATS,
    thinking: Thinking::Together,
    clock: Some(options::clock()),
    channel: "python-class".to_owned(),
    manifests: vec!["bot.yaml".to_owned(), "python-module".to_owned()],
    options: options::options(),
    original_names: options::original_names(),
    people: people(),
    agent_module: Some(AgentModule {
        name: "coderone.dungeon.agent".to_owned(),
        source: include_str!("agent.py").to_owned(),
    }),
    has_recording: true,
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

/// The player at the keyboard has the highest number.
fn people() -> PeopleSpec {
    PeopleSpec {
        keys: Key::list(KEYS),
        keys_help: "arrows or w up, a left, d down walk, space bomb".to_owned(),
        options: Vec::new(),
        seats: PeopleSeats::Last,
        expected: "",
    }
}

/// The game `coderone-dungeon`.
#[derive(Clone, Copy, Debug)]
pub struct CoderoneDungeon;

impl Referee for CoderoneDungeon {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn check(&self, setup: &Setup<'_>) -> Result<(), StartError> {
        BoutOptions::from_setup(setup).map(drop)
    }

    fn start(&self, setup: &Setup<'_>, _: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        if SPEC.has_rules(rules) { samples::views() } else { Vec::new() }
    }
}
