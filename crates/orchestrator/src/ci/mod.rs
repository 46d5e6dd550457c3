//! Bot pull requests: what changed, what moved, whether it may be merged.
//!
//! Theory of operation. The *base* is what there was before the change: a commit
//! of the repository the tournament lies in, a database with its results, or
//! both. From the commit come its bots (laid out in a folder of their own, read
//! like any others), their owners and the files that were touched; from the
//! database the old table and every result that still holds. Bots are compared by
//! the hash of their content, never by date or path. Then the owners are asked
//! (`owners`), and only a change that may be made is built and played: the
//! pipeline builds and plays what has no valid result. What came of it is a
//! [`ChangeReport`], which [`summary`] and [`annotate`] put into words.
//!
//! A pull request is a stranger's work. Nothing of it is run outside the sandbox,
//! and nothing it says reaches a page, a log or a terminal but as text.

mod analysis;
pub mod annotate;
mod base;
mod before;
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

pub use base::BaseError;
pub use change::ChangeKind;
pub use check::check;
pub use report::{
    BotFiles, BotReport, BotState, BotTrial, BuildFault, ChangeReport, CheckOutcome,
    EventChangeReport, EventTable, FileProblem, PlannedBouts, RatingInterval, RatingMoved,
    RebuiltBot, Refusal, TurnTiming,
};
pub use request::{CheckRequest, CiError, MaxFaults};
