//! Whole tournaments: the pipeline, disputes about bouts, bot pull requests, candidates.
//!
//! Data flows one way: config, bots, tables (schedule), play, store, tables
//! (standings), report; only `pipeline` knows the whole flow. A library: no
//! argument parsing, no exit codes; reports and progress write only to the
//! writer they are given. What a front end needs of the crates below is passed on
//! under their names.
#![forbid(unsafe_code)]

pub mod board;
pub mod candidate;
pub mod ci;
pub mod dispute;
pub mod machine;
pub mod pipeline;
mod task_queue;
pub mod workers;

pub use joust_bots::{self as bots, scaffold};
pub use joust_build as build;
pub use joust_cluster as cluster;
pub use joust_config as config;
pub use joust_live as live;
pub use joust_model::{self as model, cancel, clock, notices, panics};
pub use joust_play::{self as play, calibrate, channel, executor};
pub use joust_report::{self as report, progress};
pub use joust_serve as serve;
pub use joust_store::{self as store, shard};
pub use joust_tables::{conditions, ratings, schedule, search, standings};
pub use joust_toolchain::{self as toolchain, doctor, threads};
