//! The game's line in the registry.

use super::{Bout, options, samples};
use crate::{
    ClockSpec, Game, GameKind, OptionSpec, Options, OriginalName, Outputs, Parts, Setup,
    StartError, Thinking,
};

/// The game `coderone-dungeon`.
#[derive(Clone, Copy, Debug)]
pub struct CoderoneDungeon;

impl GameKind for CoderoneDungeon {
    fn id(&self) -> &'static str {
        "coderone-dungeon"
    }

    fn title(&self) -> &'static str {
        "Coder One: Dungeons and Data Structures"
    }

    fn revision(&self) -> u32 {
        1
    }

    fn rule_sets(&self) -> &'static [&'static str] {
        options::RULE_SETS
    }

    /// A player alone has won after the first tick, so a bout of one can be
    /// started but is not offered.
    fn seats(&self) -> (u8, u8) {
        (2, options::SEATS_MOST)
    }

    fn thinking(&self) -> Thinking {
        Thinking::Together
    }

    fn channel(&self) -> &'static str {
        "python-class"
    }

    fn options(&self) -> &'static [OptionSpec] {
        options::OPTIONS
    }

    /// The first tick is at once: what agents see first is the state after it.
    fn clock(&self, options: &Options) -> Option<ClockSpec> {
        Some(options::clock(options))
    }

    fn rules_text(&self) -> &'static str {
        include_str!("rules.md")
    }

    /// D is down: the original's table has it for down and right, and down wins.
    fn keys_help(&self) -> &'static str {
        "arrows or w up, a left, d down walk, space bomb"
    }

    fn keys(&self) -> &'static [(char, &'static str)] {
        &[
            ('\u{2191}', "u"),
            ('\u{2193}', "d"),
            ('\u{2190}', "l"),
            ('\u{2192}', "r"),
            ('w', "u"),
            ('a', "l"),
            ('d', "d"),
            (' ', "b"),
        ]
    }

    /// The player at the keyboard has the highest number.
    fn first_seat_of_people(&self, bots: usize) -> usize {
        bots
    }

    fn has_recording(&self) -> bool {
        true
    }

    fn original_names(&self) -> &'static [OriginalName] {
        options::ORIGINAL_NAMES
    }

    fn start(&self, setup: &Setup<'_>, _: &mut Outputs) -> Result<Box<dyn Game>, StartError> {
        Ok(Box::new(Bout::start(setup)?))
    }

    fn samples(&self, rules: &str) -> Vec<(String, Parts)> {
        if options::RULE_SETS.contains(&rules) { samples::views() } else { Vec::new() }
    }
}
