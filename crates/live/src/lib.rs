//! Live pages and webhooks: the site of a tournament over HTTP, made from its database and kept as
//! new as its results.
//!
//! # Theory of operation
//!
//! A thread of low priority with a runtime of its own, so that spectators cost the bouts nothing:
//!
//! - The **watcher** checks once a second for commits and for changes of the run
//!   ([`Live::listener`] hands its notices to the `feed`), and sends a message to the streams. With
//!   a delay it holds states of the run back.
//! - The **server** takes connections, within [`Caps`], and answers from memory. `events` is a
//!   stream of server-sent events: the state of the run, and the stamp of the pages. A slow reader
//!   skips outdated events; none are queued for it.
//! - The **renderer** makes a page when it is requested and its stamp has changed: one at a time,
//!   beside that thread. After each page it rests for a multiple of the time the page took
//!   ([`Settings::share`]). A request that comes meanwhile waits for its turn, and gets the page
//!   that an earlier request had made, if there is one.
//!
//! Pages come from `joust_report::site`, which knows nothing of servers. With a delay, results that
//! are too new are excluded from the pages' data.
//!
//! Boards of bouts in progress are positions that the playing threads hand over when the
//! `run_state` asks for one. It asks only while a browser follows `boards`, a second stream, with a
//! form for each theme (`boards`, `boards-dark`).
//!
//! In the browser, `assets/live.js` replaces the main part of a page when its stamp has changed.
//! After a lost connection it connects again, to whichever process then serves the address.
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
