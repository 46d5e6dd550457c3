//! Candidates: tests of whether a bot is stronger than the field of a tournament, or than the
//! version it replaces.
//!
//! Both tests use the same session: the candidate sits in every match of an event of its own, and a
//! sequential test evaluates its mirror sets. `try_bot` tests it against the field, `replacement`
//! for `joust ci --gate`.
//!
//! Theory of operation of a try. The candidate meets every bot of an event in mirror sets (pairs,
//! in matches of two) of a [gauntlet](joust_standings::schedule::Gauntlet), until a sequential test
//! decides whether it is stronger than the field's average, or the time is over. The bouts belong
//! to an event of their own, `try-` and the event's id, so that their seeds differ from the
//! league's, on which bots should not be trained. Seeds depend on names alone, so that all versions
//! of a candidate meet the same ones.
//!
//! Every version (build) has a database of its own, beside the tournament's file:
//! `.joust/try/EVENT/BOT/VERSION.db` (`folder`). It is a tournament's database like any other:
//! bouts in it are listed, replayed and verified. The league's is only read, to say where the
//! candidate would rank. A try that is repeated continues where it stopped.
//!
//! Sets count in the order of the schedule, round by round, whatever the order they
//! were finished in. Two versions are compared by the sets that both have played against the
//! same builds (`versions`).

mod judge;
mod rank;
mod replacement;
mod report;
mod session;
mod stage;
mod try_bot;
mod versions;

pub(crate) use replacement::Replacement;
pub use replacement::{GateReport, GateSettings};
pub use report::{
    FieldTest, OpponentRecord, TestAnswer, TestState, TryCourse, TryOutcome, TryRank, TryReport,
    TrySubject, VersionReport,
};
pub use stage::{CandidateError, TryRequest};
pub use try_bot::try_bot;
