//! Tables of a tournament: schedules, standings, ratings.
//!
//! Pure functions of a field and its results: no file, clock or async.
#![forbid(unsafe_code)]

pub mod conditions;
pub mod event_results;
pub mod ratings;
pub mod schedule;
pub mod search;
pub mod standings;
