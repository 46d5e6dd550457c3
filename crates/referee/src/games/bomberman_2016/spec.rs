//! The game's description, and what it offers.

use std::sync::LazyLock;

use super::{Bout, keyboard, options, samples};
use crate::games::entelect;
use crate::{
    GameSpec, Judge, KeyboardAnswer, Outputs, Parts, PeopleSpec, Referee, Sample, Scene, SeatRange,
    Setup, StartError,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "bomberman-2016".to_owned(),
    title: "Bomberman (Entelect Challenge 2016)".to_owned(),
    revision: 1,
    rule_sets: vec!["original".to_owned()],
    seats: SeatRange { fewest: options::PLAYERS.0, most: options::PLAYERS.1 },
    channel: "files".to_owned(),
    manifests: ["bot.yaml", "bot.json", "folder"].map(str::to_owned).into(),
    limits: entelect::limits(),
    options: options::options(),
    people: PeopleSpec::typed("w a s d walk, z bomb, x trigger, n nothing, then Enter")
        .expecting("the number of one command in `move.txt`, such as `5`"),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

/// The game `bomberman-2016`.
#[derive(Clone, Copy, Debug)]
pub struct Bomberman2016;

impl Referee for Bomberman2016 {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        if SPEC.has_rules(rules) { samples::views() } else { Vec::new() }
    }

    fn typed(&self, _: &Parts, lines: &[String]) -> KeyboardAnswer {
        keyboard::keyboard(lines)
    }

    fn picture(&self, view: &Parts) -> Option<Scene> {
        keyboard::picture(view)
    }
}
