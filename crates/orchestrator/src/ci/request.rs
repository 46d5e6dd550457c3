//! Request to `joust ci`, and the errors for which it cannot answer.

use std::path::PathBuf;

use crate::candidate::GateSettings;
use crate::pipeline::{RunError, RunOptions};
use joust_bots::git::GitError;
use joust_config::ConfigErrors;
use joust_model::cancel::Cancel;
use joust_model::escaped;
use joust_referee::Catalogue;
use joust_store::StoreError;

/// Request.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The games there are.
    pub games: Catalogue,
    /// The tournament's file.
    pub file: PathBuf,
    /// Database of the results, in place of the tournament's.
    pub database: Option<PathBuf>,
    /// The folder of the reports. It is created, unless a file of the change has that path.
    pub out: Option<PathBuf>,
    /// The commit to compare with, by any name.
    pub base: Option<String>,
    /// The database with the results before the change.
    pub base_database: Option<PathBuf>,
    /// Login that proposes the change; `None` when owners are not asked.
    pub author: Option<String>,
    /// Share of faulty turns above which a bot counts as broken.
    pub max_faults: MaxFaults,
    /// Gate that requires a changed bot to be stronger than the one it replaces; needs a commit to
    /// compare with.
    pub gate: Option<GateSettings>,
    /// Options of the run.
    pub run: RunOptions,
}

/// Shares of faulty turns above which a bot counts as broken, percent; at most this many
/// and it plays with faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxFaults {
    /// None for programs that end, speak or take memory as none may: crashes, exits,
    /// protocol and memory; [`MaxFaults::OTHERS`] for all others together.
    Usual,
    /// So much for all together.
    Percent(u8),
}

impl MaxFaults {
    /// The share for faults other than crashes, exits, protocol and memory, percent.
    pub const OTHERS: u8 = 5;
}

/// Reason why a change could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CiError {
    /// Nothing was named to compare with.
    #[error("nothing to compare with")]
    NoBase,
    /// The base cannot be determined.
    #[error(transparent)]
    Git(#[from] GitError),
    /// A folder for the base cannot be made.
    #[error("a folder for the base cannot be made")]
    Folder(#[source] std::io::Error),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The tournament's file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigErrors),
    /// The base has no settings, and those of a change are never in force.
    #[error("the base has no `{}` that can be read, and the settings of a change are never in force", .0.display())]
    NoSettings(PathBuf),
    /// No commit of the base is named, so the settings would be those of the change.
    #[error(
        "without a commit of the base the settings would be those of the change, and they start programs"
    )]
    NoCommit,
    /// A link leads from the repository of the tournament's file into another one.
    #[error("a link leads from the repository of `{}` into another one", .0.display())]
    Elsewhere(PathBuf),
    /// The change contains a path that is reserved for the organiser.
    #[error("`{}` is the organiser's, and the change brings `{}`", own.display(), escaped(&path.to_string_lossy()))]
    Own {
        /// A database or a folder.
        own: PathBuf,
        /// File that the change brings, relative to the repository.
        path: PathBuf,
    },
    /// The results before the change would be written into.
    #[error("`{}` has the results before the change, which are never written, and is the database of this run, too", .0.display())]
    BaseIsDatabase(PathBuf),
    /// The folder of the reports cannot be made.
    #[error("`{}` cannot be written: {source}", folder.display())]
    Out {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Fails once the run is being stopped. Loops over what a change brings call it: the author of the
/// change chooses how much that is.
///
/// # Errors
///
/// [`RunError::Interrupted`].
pub(super) fn insist_on_running(cancel: &Cancel) -> Result<(), CiError> {
    match cancel.is_cancelled() {
        true => Err(RunError::Interrupted.into()),
        false => Ok(()),
    }
}
