//! Ratings against published numbers, and what holds for any results.

mod golden;
mod pairs;
mod pairwise;
mod sprt;
