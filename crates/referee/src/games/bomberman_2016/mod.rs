//! Bomberman of the Entelect Challenge 2016: 2 to 12 players on a map of walls
//! and power-ups.
//!
//! Documents: the README and the program of the public project
//! `EntelectChallenge/2016-Bomberman`. There is one rule set, `original`: what
//! the program did; [its page](crate::docs::bomberman_2016) describes it. [`GameState`]
//! and [`advance`] are the bare rules, [`Bout`] is one bout with its requests,
//! [`Bomberman2016`] its line in the registry.

mod action;
mod bout;
mod draw;
mod keyboard;
mod options;
pub mod quirks;
mod replay;
mod samples;
mod score;
mod setup;
mod spec;
mod state;
mod step;
mod view;

pub use super::entelect::LineEndings;
pub use action::{Command, Heading, ParsedAnswer, read};
pub use bout::Bout;
use options::MAX_PLAYERS;
pub use options::{
    BOUNTY_BASE, BoutOptions, IDLE_ROUNDS, PLAYERS, START_BAG, START_RADIUS, SUPER_POINTS,
    WALL_PERCENT, WALL_POINTS, bomb_timer, game_seed, map_side,
};
pub use replay::{engine_log, round_info};
pub use score::{ALL_DEAD, LAST_SURVIVOR, ROUND_LIMIT, leader_board};
pub use spec::Bomberman2016;
pub use state::{Blast, Block, Bomb, GameState, Ground, Player, PowerUp, Square};
pub use step::{Chance, CommandResult, Event, Idleness, LOSER_DRAW, ROLL_DRAW, Report, advance};
pub use view::{StateJson, Views, key};
