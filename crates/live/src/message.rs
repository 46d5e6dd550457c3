//! Message of the event stream: stamps of the pages, and what the run does.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use joust_report::site::{Board as Boards, Now};
use serde::Serialize;

use crate::board::Doing;
use crate::shared::Shared;

/// The shortest time over which pages spread their questions for what has changed.
const LEAST_SPREAD_MS: usize = 500;

/// What each follower adds to it: two hundred ask in a second.
const SPREAD_MS: usize = 5;

/// What every page is told. Its fields are read by `assets/live.js`.
#[derive(Debug, Serialize)]
struct Message {
    /// The stamp of pages made from the database.
    pages: String,
    /// The stamp of the page of what is being played.
    now: String,
    /// The stamp of the boards of bouts that are being played.
    boards: String,
    /// Over how many milliseconds to spread the questions.
    spread: usize,
    /// What the run does, in a few words.
    said: String,
    /// Whether nothing more will be played.
    over: bool,
}

/// Returns what is to be told now.
pub(crate) fn compose(shared: &Shared, doing: Doing, said: String) -> Arc<str> {
    let stamp = |path: &str| format!("{}-{}", shared.epoch, shared.stamp(path));
    let followers = shared.followers.load(Ordering::Relaxed);
    let message = Message {
        pages: stamp("index.html"),
        now: stamp(Now::PAGE),
        boards: stamp(Boards::PAGE),
        spread: LEAST_SPREAD_MS.max(followers * SPREAD_MS),
        said,
        over: doing == Doing::Over,
    };
    serde_json::to_string(&message).expect("plain data is JSON").into()
}
