//! Battleships of the Entelect Challenge 2017: two fleets, special weapons that
//! cost energy, shields.
//!
//! Documents: the program `EntelectChallenge/2017-Battleships`, release 1.2.2
//! (rule set `original`, with the harness kill of release 1.2.0, the last one
//! that survives it), and its README (rule set `documented`);
//! [its page](crate::docs::battleships_2017) describes both. [`GameState`] and [`advance`]
//! are the bare rules, [`Bout`] is one bout with its requests, [`Battleships2017`] its
//! line in the registry.

mod action;
mod bout;
mod draw;
mod keyboard;
mod options;
mod quirks;
mod replay;
mod samples;
mod score;
mod spec;
mod state;
mod step;
mod view;

pub use super::entelect::LineEndings;
pub use action::{
    ANSWER_FILES, COMMAND_FILE, Command, Heading, PLACE_FILE, ParsedAnswer, Placement, Placements,
    read,
};
pub use bout::Bout;
pub use options::{
    BoutOptions, CHARGE_ROUNDS, DO_NOTHINGS_TO_DEATH, FAILED_PLACEMENTS_TO_DEATH, HIT_POINTS,
    KILL_POINTS, MapSize, Release, Rules, SINK_POINTS,
};
pub use score::ranking;
pub use spec::Battleships2017;
pub use state::{
    Board, Cell, GameState, LastMove, Phase, Player, Shield, Ship, ShipKind, Shot, Square, Weapon,
};
pub use step::{Refusal, Report, advance, begin};
pub use view::{Frame, KEYS};
