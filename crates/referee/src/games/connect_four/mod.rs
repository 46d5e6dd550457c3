//! Connect four: two bots drop discs into columns; a row of four wins.
//!
//! A game of Joust's own, without an original: `rules.md` has the rules.
//! [`GameState`] and [`drop_disc`] are the bare rules, [`Bout`] is one bout with its
//! requests, [`ConnectFour`] its line in the registry.

mod action;
mod bout;
mod draw;
mod keyboard;
mod options;
mod samples;
mod score;
mod spec;
mod state;
mod step;
mod view;

pub use action::{Refused, read};
pub use bout::Bout;
pub use options::{BoutOptions, COLUMNS, CONNECT, ROWS};
pub use spec::ConnectFour;
pub use state::GameState;
pub use step::{drop_disc, is_connected};
pub use view::render;
