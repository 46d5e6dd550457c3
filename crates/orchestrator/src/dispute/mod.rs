//! Disputed bouts: judge the recorded actions again, or play the bots again.
//!
//! A dispute is first *verified*: the recorded actions go through the referee, and the final
//! state's hash must be the same. Then it is *rerun*: the bots play again with the same seed and
//! builds. Their turns may differ, and the comparison reports from which round and why.

mod audit;
mod compare;
mod frames;
mod verify;

pub use audit::{Audit, Auditor, BoutAudit, JudgingState, audit_one};
pub use compare::{Agreement, Divergence, RerunComparison, RerunOutcome, compare};
pub use frames::{Frame, Frames, Judgement, RecordedRequest};
pub use verify::{Difference, Verifier, VerifyError, can_repeat, verify};
