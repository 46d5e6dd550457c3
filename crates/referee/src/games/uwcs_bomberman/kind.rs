//! The game's line in the registry.

use super::{Bout, GameOptions, Quirks, keyboard, options, quirks_of, samples};
use crate::{
    ClockSpec, Game, GameKind, Heard, OptionSpec, Options, Outputs, Parts, ServedGame, Setup,
    StartError, Thinking,
};

/// The smallest and the largest number of seats.
pub(super) const SEATS: (u8, u8) = (2, 6);

/// The game `uwcs-bomberman`.
#[derive(Clone, Copy, Debug)]
pub struct UwcsBomberman;

impl GameKind for UwcsBomberman {
    fn id(&self) -> &'static str {
        "uwcs-bomberman"
    }

    fn title(&self) -> &'static str {
        "UWCS Bomberman"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn rule_sets(&self) -> &'static [&'static str] {
        options::RULE_SETS
    }

    fn seats(&self) -> (u8, u8) {
        SEATS
    }

    fn thinking(&self) -> Thinking {
        Thinking::Together
    }

    fn channel(&self) -> &'static str {
        "tcp-line"
    }

    fn options(&self) -> &'static [OptionSpec] {
        options::OPTIONS
    }

    fn clock(&self, options: &Options) -> Option<ClockSpec> {
        let quirks = Quirks::DOCUMENTED;
        let read = GameOptions::read(quirks, options).unwrap_or(GameOptions::new(quirks));
        Some(read.clock)
    }

    fn keys(&self) -> &'static [(char, &'static str)] {
        keyboard::KEYS
    }

    fn options_for_people(&self) -> &'static [(&'static str, i64)] {
        options::FOR_PEOPLE
    }

    fn keys_help(&self) -> &'static str {
        "w a s d or arrows walk, space or b bomb"
    }

    fn person_hears(&self, line: &str, name: &str) -> Heard {
        keyboard::hear(line, name)
    }

    fn rules_text(&self) -> &'static str {
        include_str!("rules.md")
    }

    fn served(&self) -> Option<&dyn ServedGame> {
        Some(self)
    }

    fn start(&self, setup: &Setup<'_>, out: &mut Outputs) -> Result<Box<dyn Game>, StartError> {
        Ok(Box::new(Bout::start(setup, out)?))
    }

    fn samples(&self, rules: &str) -> Vec<(String, Parts)> {
        quirks_of(rules).map(samples::transcripts).unwrap_or_default()
    }
}
