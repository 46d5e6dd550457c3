//! Standings: pure functions of bout results.

mod fixtures;
mod golden;
mod swiss;
mod table;
mod table_changes;
mod totals;
