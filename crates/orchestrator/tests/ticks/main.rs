//! Bouts on a clock, with bots that are functions: the tick in which each action counts.
#![forbid(unsafe_code)]

mod again;
mod clock;
mod fixtures;
#[path = "../../../play/tests/scripted/mod.rs"]
mod scripted;
mod slow;
mod verdicts;
mod wire;
