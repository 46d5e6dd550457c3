//! Joins referee and sandbox into tournaments.
//!
//! Data flows one way: config, bots, schedule, play, store, standings, report;
//! only `pipeline` knows the whole flow. A library: no argument parsing, no
//! exit codes; reports and progress write only to the writer they are given.
#![forbid(unsafe_code)]

pub mod bots;
pub mod cancel;
pub mod channel;
pub mod ci;
pub mod clock;
pub mod config;
pub mod dispute;
pub mod doctor;
pub mod executor;
pub mod model;
pub mod notices;
pub mod panics;
pub mod pipeline;
pub mod play;
pub mod progress;
pub mod ratings;
pub mod report;
pub mod scaffold;
pub mod schedule;
pub mod serve;
pub mod shard;
pub mod standings;
pub mod store;
pub mod threads;
