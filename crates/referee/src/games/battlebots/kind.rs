//! The game's line in the registry.

use super::{Bout, Rules, keyboard, options, samples};
use crate::{Game, GameKind, OptionSpec, Outputs, Parts, Setup, StartError, Thinking, Typed};

/// The game `battlebots`.
#[derive(Clone, Copy, Debug)]
pub struct Battlebots;

impl GameKind for Battlebots {
    fn id(&self) -> &'static str {
        "battlebots"
    }

    fn title(&self) -> &'static str {
        "BattleBots"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn rule_sets(&self) -> &'static [&'static str] {
        options::RULE_SETS
    }

    fn seats(&self) -> (u8, u8) {
        (2, 2)
    }

    fn thinking(&self) -> Thinking {
        Thinking::OneAfterAnother
    }

    fn channel(&self) -> &'static str {
        "argv"
    }

    fn options(&self) -> &'static [OptionSpec] {
        options::OPTIONS
    }

    fn rules_text(&self) -> &'static str {
        include_str!("rules.md")
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Game>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<(String, Parts)> {
        Rules::from_name(rules).map(samples::views).unwrap_or_default()
    }

    fn keyboard(&self, _: &Parts, lines: &[String]) -> Typed {
        keyboard::keyboard(lines)
    }
}
