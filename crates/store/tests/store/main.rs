//! The database: each test has a freshly migrated one of its own.

mod bouts;
mod chain;
mod changes;
mod changes_seen;
mod crash;
mod create;
mod damage;
mod fixtures;
mod groups;
mod hostile;
mod large_databases;
mod random_changes;
mod shared_pages;
mod tables;
