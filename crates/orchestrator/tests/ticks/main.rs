//! Bouts on a clock, with bots that are functions: what counts in which tick.
#![forbid(unsafe_code)]

mod again;
mod clock;
mod fixtures;
#[path = "../../../play/tests/scripted/mod.rs"]
mod scripted;
mod slow;
mod verdicts;
mod wire;
