//! Whole tournaments with hostile bots, and on broken machines: lines X01 to
//! X07 of the catalogue.
//!
//! Every hostile program limits itself, see `joust_testkit::hostile`. Tests that need a mount or
//! another user are skipped, with a message, where they do not run as root.
#![expect(clippy::print_stderr, reason = "a skipped test says so")]

mod busy;
mod clock;
mod collusion;
mod disk_full;
mod entelect;
mod killed;
mod league;
mod machine;
mod moody;
mod neighbours;
mod no_isolation;
mod sabotage;
mod scratch;
mod shipped;
mod warm;
