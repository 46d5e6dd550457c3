//! The game's line in the registry.

use super::{Bout, keyboard, options, samples};
use crate::{
    Game, GameKind, OptionSpec, Outputs, Parts, Scene, Setup, StartError, Thinking, Typed,
};

/// The game `bomberman-2016`.
#[derive(Clone, Copy, Debug)]
pub struct Bomberman2016;

impl GameKind for Bomberman2016 {
    fn id(&self) -> &'static str {
        "bomberman-2016"
    }

    fn title(&self) -> &'static str {
        "Bomberman (Entelect Challenge 2016)"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn rule_sets(&self) -> &'static [&'static str] {
        options::RULE_SETS
    }

    fn seats(&self) -> (u8, u8) {
        options::PLAYERS
    }

    fn thinking(&self) -> Thinking {
        Thinking::OneAfterAnother
    }

    fn channel(&self) -> &'static str {
        "files"
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
        if options::RULE_SETS.contains(&rules) { samples::views() } else { Vec::new() }
    }

    fn keyboard(&self, _: &Parts, lines: &[String]) -> Typed {
        keyboard::keyboard(lines)
    }

    fn picture(&self, view: &Parts) -> Option<Scene> {
        keyboard::picture(view)
    }
}
