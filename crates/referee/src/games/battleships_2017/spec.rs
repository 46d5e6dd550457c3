//! The game's description, and what it offers.

use std::sync::LazyLock;

use super::{Bout, Rules, keyboard, options, samples};
use crate::games::entelect;
use crate::{
    GameSpec, Judge, KeyboardAnswer, Outputs, Parts, PeopleSpec, Referee, Sample, SeatRange, Setup,
    StartError,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| {
    GameSpec {
    id: "battleships-2017".to_owned(),
    title: "Battleships (Entelect Challenge 2017)".to_owned(),
    revision: 1,
    rule_sets: vec!["original".to_owned(), "documented".to_owned()],
    seats: SeatRange { fewest: 2, most: 2 },
    channel: "files".to_owned(),
    manifests: ["bot.yaml", "bot.json", "folder"].map(str::to_owned).into(),
    limits: entelect::limits(),
    options: options::options(),
    people: PeopleSpec::typed("Carrier 3 1 East and the like, then code,x,y")
            .expecting("ships such as `Carrier 3 1 East` in `place.txt`, then one command such as `1,4,7` in `command.txt`"),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
}
});

/// The game `battleships-2017`.
#[derive(Clone, Copy, Debug)]
pub struct Battleships2017;

impl Referee for Battleships2017 {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        Rules::from_name(rules).map(samples::views).unwrap_or_default()
    }

    fn typed(&self, view: &Parts, lines: &[String]) -> KeyboardAnswer {
        keyboard::keyboard(view, lines)
    }
}
