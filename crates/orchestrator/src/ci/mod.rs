//! Bot pull requests: changed bots, moved ranks, and the decision whether the change may be merged.
//!
//! Theory of operation. The *base* is the state before the change: a commit of the tournament's
//! repository, a database with its results, or both. The commit provides its bots (exported to a
//! folder of their own and read like any others), their owners and the touched files; the database
//! provides the old table and every result that is still valid. Bots are compared by the hash of
//! their content, never by date or path. Then owners are checked (`owners`), and only a permitted
//! change is built and played: the pipeline builds and plays whatever has no valid result. The
//! outcome is a [`ChangeReport`], which [`summary`] and [`annotate`] put into words.
//!
//! A pull request is untrusted. No part of it runs outside the sandbox, and its texts reach pages,
//! logs and terminals only escaped.

mod analysis;
pub mod annotate;
mod base;
mod bot_folders;
mod change;
mod check;
mod files;
mod git;
mod outcome;
mod owners;
mod refuse;
mod report;
mod repository_path;
mod request;
mod settings;
pub mod summary;
mod trial;

pub use change::ChangeKind;
pub use check::check;
pub use report::{
    BotFiles, BotReport, BotState, BotTrial, BuildFault, ChangeReport, CheckOutcome,
    EventChangeReport, EventTable, FileProblem, PlannedBouts, RatingInterval, RatingMoved,
    RebuiltBot, Refusal, TurnTiming,
};
pub use request::{CheckRequest, CiError, MaxFaults};
