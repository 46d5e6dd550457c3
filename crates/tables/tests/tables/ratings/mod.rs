//! Ratings against published numbers, and what holds for any results.

mod event;
mod fixtures;
mod golden;
mod graded;
mod joint;
mod multiplayer;
mod pairs;
mod pairwise;
mod properties;
mod sprt;
