//! The database: each test has a freshly migrated one of its own.

mod bouts;
mod chain;
mod changes;
mod crash;
mod damage;
mod fixtures;
mod groups;
mod hostile;
mod making;
mod many;
mod news;
mod tables;
mod totals;
