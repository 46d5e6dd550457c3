//! The game's description, and what it offers.

use std::sync::LazyLock;

use super::action::keyboard;
use super::score::classic_table;
use super::{Bout, Rules, options, samples};
use crate::{
    GameSpec, Judge, KeyboardAnswer, Outputs, PairResult, Parts, PeopleSpec, Referee, ResultsTable,
    Sample, SeatRange, Setup, StartError,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "battlebots".to_owned(),
    title: "BattleBots".to_owned(),
    revision: 1,
    rule_sets: vec!["documented".to_owned(), "original".to_owned()],
    seats: SeatRange { fewest: 2, most: 2 },
    score_unit: "hit points".to_owned(),
    channel: "argv".to_owned(),
    manifests: ["bot.yaml", "single-file", "folder"].map(str::to_owned).into(),
    options: options::options(),
    people: PeopleSpec::typed("the bots' own words, such as M SE, then Enter")
        .expecting("one action such as `B SE`"),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

/// The game `battlebots`.
#[derive(Clone, Copy, Debug)]
pub struct Battlebots;

impl Referee for Battlebots {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        Rules::from_name(rules).map(samples::views).unwrap_or_default()
    }

    fn typed(&self, _: &Parts, lines: &[String]) -> KeyboardAnswer {
        keyboard(lines)
    }

    fn results_table(&self) -> Option<&dyn ResultsTable> {
        Some(self)
    }
}

impl ResultsTable for Battlebots {
    fn print(&self, names: &[&str], pairs: &[PairResult]) -> String {
        classic_table(names, pairs)
    }
}
