//! Whole tournaments: the pipeline, disputes about bouts, bot pull requests, candidates.
//!
//! Data flows one way: config, bots, standings (schedule), play, store, standings
//! (places), report; only `pipeline` knows the whole flow. A library: no
//! argument parsing, no exit codes; reports and progress write only to the
//! writer they are given.
#![forbid(unsafe_code)]

pub mod board;
pub mod candidate;
pub mod ci;
pub mod dispute;
pub mod machine;
pub mod pipeline;
mod tasks;
pub mod workers;

/// Returns an error with its causes, without those that its text ends with.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        cause = inner.source();
    }
    text
}
