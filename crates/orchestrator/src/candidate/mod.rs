//! Candidates: a bot tried against the field of a tournament, outside the league.
//!
//! Theory of operation. The candidate meets every bot of an event in mirror sets (pairs, in
//! matches of two) of a [gauntlet](joust_tables::schedule::Gauntlet), until a sequential test
//! knows whether it is stronger than the field's average, or the time is over. The bouts are
//! those of an event of their own, `try-` and the event's id, so that they have other seeds than the
//! league's, which nobody should train on; they depend on names alone, so that
//! all versions of a candidate meet the same seeds.
//!
//! Every version (build) has a database of its own, beside the tournament's file:
//! `.joust/try/EVENT/BOT/VERSION.db` (`place`). It is a tournament's database like any other:
//! bouts in it are listed, replayed and verified. The league's is only read, to say where the
//! candidate would rank. What is tried again goes on where it stopped.
//!
//! Sets are looked at in the order of the schedule, round by round, whatever the order they
//! were finished in. Two versions are compared by the sets that both have played against the
//! same builds (`versions`).

mod audience;
mod judge;
mod place;
mod rank;
mod report;
mod request;
mod session;
mod stage;
mod versions;

pub use audience::{Audience, Spectators};
pub use report::{Against, Answer, Comparison, End, Rank, Report, Test};
pub use request::{CandidateError, Request};
pub use session::try_bot;
