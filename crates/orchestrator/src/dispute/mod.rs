//! Disputed bouts: judge the recorded actions again, or play the bots again.
//!
//! A dispute is first *verified* (the recorded actions through the referee,
//! which must agree to the final state's hash) and then *rerun* (the bots
//! again, same seed and builds, which may differ, and the comparison says from
//! which round and why).

mod audit;
mod compare;
mod frames;
mod judge;
mod verify;

pub use audit::{Audit, Auditor, BoutAudit, JudgingState, audit_one};
pub use compare::{Agreement, Divergence, RerunComparison, RerunOutcome, compare};
pub use frames::{Frame, Frames, Judgement, RecordedRequest};
pub use verify::{Difference, Verifier, VerifyError, can_repeat, verify};
