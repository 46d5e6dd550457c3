//! Ratings against published numbers, and what holds for any results.

mod bradley_terry;
mod event;
mod fixtures;
mod golden;
mod graded;
mod multiplayer;
mod pairs;
mod properties;
pub(crate) mod reference;
mod sprt;
