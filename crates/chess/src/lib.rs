//! Referee of chess, a program that speaks `gamekit`'s protocol to Joust and UCI to engines.
//!
//! An engine is a bot without changes: it gets UCI commands, and its answer is the line that
//! begins with `bestmove `. This program decides mates, repetitions and the other ends;
//! `cozy-chess` generates moves. It has no clock: Joust keeps the clocks.
#![forbid(unsafe_code)]

mod bout;
mod openings;
mod pgn;
mod picture;
mod rules;
mod serve;

pub use pgn::{NotABout, pgn};
pub use serve::serve;
