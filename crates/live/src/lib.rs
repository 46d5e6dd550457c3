//! Live pages and webhooks: the site of a tournament over HTTP, made from its database and kept as new as
//! its results.
//!
//! # Theory of operation
//!
//! A thread of low priority with a runtime of its own, so that spectators cost the bouts nothing:
//!
//! - The **watcher** looks once a second whether anything was committed, and what the run does
//!   ([`Live::listener`] hands its notices to the `feed`), and sends a message to the streams. With
//!   a delay it holds states of the run back.
//! - The **server** takes connections, within [`Caps`], and answers from memory. `events` is a
//!   stream of server-sent events: what the run does, and the stamp of the pages. A slow reader of
//!   it misses what is no longer new, and nothing is queued for anybody.
//! - The **renderer** makes a page when somebody wants it and its stamp has changed: one at a time,
//!   beside that thread. After each it rests for a multiple of the time the page took
//!   ([`Settings::share`]); who wants a page meanwhile waits for his turn, and finds it made if
//!   somebody else wanted it.
//!
//! Pages come from `joust_report::site`, which knows nothing of servers. With a delay, results that
//! are too new are left out of what pages are made of.
//!
//! Boards of bouts that are being played are positions that the threads which play hand over when
//! the `run_state` wants one: never while nobody follows `boards`, a second stream, with a form for
//! each theme (`boards`, `boards-dark`).
//!
//! In the browser, `assets/live.js` replaces the main part of a page when its stamp has changed,
//! and asks again after the connection was lost, whichever process answers then.
#![forbid(unsafe_code)]

mod cache;
mod feed;
mod live;
mod model;
mod renderer;
mod routes;
mod run_state;
mod server;
mod settings;
pub mod site_input;
mod watcher;
pub mod webhooks;

pub use live::{Live, LiveError};
pub use settings::{Base, Caps, NotABase, RunSource, Settings};
