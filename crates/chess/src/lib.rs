//! Referee of chess, a program that speaks `gamekit`'s protocol to Joust and UCI to engines.
//!
//! An engine is a bot as it is: what it gets are UCI's own words, and what begins with
//! `bestmove ` is its answer. Who is mated, repeats or runs out of moves is decided here,
//! moves are `cozy-chess`'s. It has no clock: Joust keeps those.
#![forbid(unsafe_code)]

mod bout;
mod openings;
mod pgn;
mod picture;
mod rules;
mod serve;

pub use pgn::{NotABout, pgn};
pub use serve::serve;
