//! Hostile programs, and what must be seen of them from outside.
//!
//! [`hostile`] is the table of hostile and broken programs with what each must
//! earn, [`clean_state`] what must hold afterwards. Neither knows the sandbox:
//! the code that runs a program hands over its observations.
#![forbid(unsafe_code)]

pub mod bots;
pub mod browser;
pub mod clean_state;
pub mod env;
pub mod figures;
pub mod fixtures;
pub mod hostile;
pub mod html;
pub mod http;
pub mod league;
pub mod nats;
pub mod pty;
pub mod referee;
pub mod seeded_rng;
pub mod serving;
pub mod static_bot;
pub mod suite;
pub mod tcp_forwarder;
pub mod time_scale;

/// Returns a game that ships with Joust.
///
/// # Panics
///
/// If no game has that id.
pub fn game(id: &str) -> joust_referee::Game {
    joust_referee::Catalogue::built_in().find(id).expect("it ships with Joust").clone()
}
