//! The game's description, and what it offers.

use std::sync::LazyLock;
use std::time::Duration;

use super::{Bout, BoutOptions, keyboard, options, samples, setup};
use crate::{
    ClockTerm, DefaultLimits, GameSpec, Judge, KeyboardAnswer, Outputs, Parts, PeopleSpec, RankBy,
    Referee, Sample, Scene, SeatRange, Setup, StartError, Thinking,
};

pub(super) static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    id: "battlesnake".to_owned(),
    title: "Battlesnake".to_owned(),
    revision: 1,
    rule_sets: vec!["original".to_owned()],
    seats: SeatRange { fewest: 1, most: options::SEATS_MOST },
    thinking: Thinking::Together,
    rank_by: RankBy::Points,
    answer_ms: Some(ClockTerm::Option(options::TIMEOUT.to_owned())),
    channel: "http".to_owned(),
    manifests: ["server", "single-file"].map(str::to_owned).into(),
    limits: LIMITS,
    options: options::options(),
    original_names: options::original_names(),
    people: PeopleSpec::typed("an arrow key or w a s d, then Enter").expecting(
        "status 200 with a JSON object such as `{\"move\": \"up\"}` (`up`, `down`, `left` or \
         `right`)",
    ),
    rules_text: include_str!("rules.md").to_owned(),
    ..GameSpec::default()
});

/// Wall clock counts, as in the original; `timeout_ms` is shorter than a turn.
const LIMITS: DefaultLimits = DefaultLimits {
    start: Some(Duration::from_secs(60)),
    cpu: None,
    turn: Some(Duration::from_secs(60)),
    kill: Some(Duration::from_secs(60)),
    memory_bytes: Some(512 << 20),
    counts_wall_clock: true,
};

/// The game `battlesnake`.
#[derive(Clone, Copy, Debug)]
pub struct Battlesnake;

impl Referee for Battlesnake {
    fn spec(&self) -> &GameSpec {
        &SPEC
    }

    fn check(&self, setup: &Setup<'_>) -> Result<(), StartError> {
        setup::first_position(&BoutOptions::from_setup(setup)?, setup).map(drop)
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Judge>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<Sample> {
        if SPEC.has_rules(rules) { samples::views() } else { Vec::new() }
    }

    fn typed(&self, view: &Parts, lines: &[String]) -> KeyboardAnswer {
        keyboard::typed(view, lines)
    }

    fn picture(&self, view: &Parts) -> Option<Scene> {
        keyboard::picture(view)
    }
}
