//! Schedules, standings and ratings, against published numbers and for any results.
//!
//! `JOUST_CONFORMANCE` names another folder with the published numbers, in `ratings/`.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read their recordings; what they test does not"
)]

mod ratings;
mod schedule;
mod standings;
