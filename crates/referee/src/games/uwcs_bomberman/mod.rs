//! UWCS Bomberman: up to six clients of a TCP server walk, drop bombs and
//! outlive each other.
//!
//! Documents: the README of the public project `UWCS/bomberman-progcomp` (rule
//! set `documented`) and its server (rule set `original`). [`GameState`] and
//! [`advance`] are the bare rules of a turn. [`Server`] is everything that goes
//! over the wire, game after game, for a server of flesh and sockets; [`Bout`]
//! is one game of it with its seats, [`UwcsBomberman`] its line in the registry.
//!
//! # How time becomes inputs
//!
//! The referee has no clock. Three things tell it the time:
//!
//! - [`Server::flush`] and [`Server::strike`], in a bout [`crate::Input::Tick`]: the INIT window is over, or a turn
//!   is due. In a bout the window opens when the last seat's start request is
//!   answered; the first tick is due [`ClockSpec::first_ms`](crate::ClockSpec) later, every other
//!   one [`ClockSpec::tick_ms`](crate::ClockSpec) after the one before.
//! - [`Server::quiet`], in a bout a [`crate::Input::Message`] without bytes: nothing more has come
//!   on this connection for [`QUIET_MS`], so what came without a line end is a
//!   command.
//! - A tick also makes commands of all bytes that still wait for a line end.
//!
//! So a bout's action log alone gives the bout again, to the byte.

mod action;
mod bout;
mod draw;
mod options;
mod quirks;
mod samples;
mod score;
mod server;
mod setup;
mod spec;
mod state;
mod step;
mod view;

pub use action::{Action, Command, read};
pub use bout::Bout;
pub use draw::scene;
pub use options::{
    BLAST_SQUARES, COLUMNS, GameOptions, HOST, HOST_KEY, INIT_WINDOW_MS, LINE_BYTES, MAX_PLAYERS,
    PORT, QUIET_MS, ROWS, TICK_MS, TURNS, quirks_of,
};
pub use quirks::{DeadNames, EndTest, Framing, IdleTurns, OddNames, Quirks};
pub use score::{NO_PLAYERS, ONE_LEFT, STUCK, Score, TURN_LIMIT};
pub use server::{Admission, Effect, Lines, Phase, Report, Series, Server, Utf8Stream};
pub use spec::UwcsBomberman;
pub use state::{GameState, Player, Square};
pub use step::{Turn, advance};
pub use view::{escape, is_property_of_every_object};
