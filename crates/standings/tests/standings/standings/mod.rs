//! Standings: pure functions of bout results.

mod fixtures;
mod golden;
mod moved;
mod swiss;
mod table;
mod totals;
