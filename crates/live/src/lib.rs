//! Live pages and webhooks: the site of a tournament over HTTP, made from its database and kept as new as
//! its results.
//!
//! # Theory of operation
//!
//! Two threads of low priority, each with a runtime of its own, so that spectators cost the
//! bouts nothing:
//!
//! - The **server** takes connections, within [`Caps`], and answers from memory. A page that is
//!   not there in its newest form is asked of the maker; who wants the same page meanwhile waits
//!   for the same answer. `events` is a stream of server-sent events: what the run does, and the
//!   stamp of the pages. A slow reader of it misses what is no longer new, and nothing
//!   is queued for anybody.
//! - The **maker** alone reads the database. Once a second it asks whether anything was committed;
//!   only then are pages made again, one at a time, when somebody wants them. After each it rests
//!   for a multiple of the time the page took ([`Settings::share`]).
//!
//! Pages come from `joust_report::site`, which knows nothing of servers. What a run does comes as
//! notices ([`Live::listener`]), a part of whose contents goes to the `run_state`. With a delay,
//! notices wait, and results that are too new are left out of what pages are made of.
//!
//! Boards of bouts that are being played are positions that the threads which play hand over when
//! `sampling` wants one: never while nobody follows `boards`, a second stream. The maker draws them as pictures
//! (`screens`), one stream for each theme (`boards`, `boards-dark`).
//!
//! In the browser, `assets/live.js` replaces the main part of a page when its stamp has changed,
//! and asks again after the connection was lost, whichever process answers then.
#![forbid(unsafe_code)]

mod cache;
mod connection;
mod live;
mod maker;
mod model;
mod places;
mod routes;
mod run_state;
mod sampling;
mod screens;
mod server;
mod settings;
mod shared;
pub mod site_input;
mod source;
pub mod webhooks;

pub use live::{Live, LiveError, Teller};
pub use settings::{Base, Caps, NotABase, Settings};
