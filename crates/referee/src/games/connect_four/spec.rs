//! The game's description, and what it offers.

use std::sync::LazyLock;

use super::{Bout, keyboard, options, samples};
use crate::{
    GameSpec, Judge, KeyboardAnswer, Outputs, Parts, PeopleSpec, Referee, Sample, Scene, SeatRange,
    Setup, StartError,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "connect-four".to_owned(),
    title: "Connect four".to_owned(),
    revision: 1,
    rule_sets: vec!["standard".to_owned()],
    seats: SeatRange { fewest: 2, most: 2 },
    channel: "argv".to_owned(),
    manifests: vec!["bot.yaml".to_owned(), "single-file".to_owned()],
    options: options::options(),
    people: PeopleSpec::typed("the number of a column, then Enter")
        .expecting("the number of a column that has room, such as `3`"),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

/// The game `connect-four`.
#[derive(Clone, Copy, Debug)]
pub struct ConnectFour;

impl Referee for ConnectFour {
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
        keyboard::typed(lines)
    }

    fn picture(&self, view: &Parts) -> Option<Scene> {
        keyboard::picture(view)
    }
}
