//! Battlesnake: snakes eat, grow and outlive each other; bots are web servers.
//!
//! Documents: the public documentation and the published engine. Where they differ the engine
//! wins; `quirks.rs` names the places. [`GameState`], [`advance`] and [`Spawner`] are the bare
//! rules, [`Bout`] is one bout with its requests, [`Battlesnake`] its line in the registry.

mod action;
mod bout;
mod draw;
mod json;
mod keyboard;
mod map;
mod options;
mod quirks;
mod samples;
mod score;
mod setup;
mod spawn;
mod spec;
mod state;
mod step;
mod view;

pub use action::{Customizations, Move, Refused, read_customizations, read_move};
pub use bout::Bout;
pub use map::Map;
pub use options::{BoutOptions, MAX_HEALTH, Ruleset, SEATS_MOST, START_LENGTH};
pub use setup::{NoRoom, place};
pub use spawn::Spawner;
pub use spec::Battlesnake;
pub use state::{Cause, Direction, Elimination, GameState, Snake, Square};
pub use step::{advance, constrict, is_over};
pub use view::{Call, Profile, View};
