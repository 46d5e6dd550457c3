//! BattleBots: two bots on ten by ten squares with bullets, missiles, mines
//! and EMPs.
//!
//! Documents: the README of the public project `fergcb/battlebots` (rule set
//! `documented`) and the program that ran its tournaments (rule set
//! `original`). [`GameState`] and [`advance`] are the bare rules, [`Bout`] is one
//! bout with its requests, [`Battlebots`] its line in the registry.

mod action;
mod bout;
mod draw;
mod options;
mod quirks;
mod samples;
mod score;
mod spec;
mod state;
mod step;
mod view;

pub use action::{Action, ParsedAnswer, read};
pub use bout::Bout;
pub use options::{
    ARENA_SQUARES, BULLET_DAMAGE, BULLET_SQUARES_PER_ROUND, BoutOptions, EMP_COST, MAX_ROUNDS,
    MINE_DAMAGE, MISSILE_SQUARES_PER_ROUND, PARALYSIS_ROUNDS, Rules, SPLASH_DAMAGE, START_HP,
    START_SQUARES,
};
pub use spec::Battlebots;
pub use state::{Bot, GameState, Mine, Projectile};
pub use step::advance;
pub use view::render;
