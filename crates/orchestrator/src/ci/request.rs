//! What `joust ci` is asked, and why it could not answer.

use std::path::PathBuf;

use super::base::BaseError;
use super::gate::GateSettings;
use crate::bots::git::GitError;
use crate::pipeline::{RunError, RunOptions, WorkshopError};
use crate::store::StoreError;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request {
    /// The commit to compare with, by any name.
    pub base: Option<String>,
    /// The database with the results before the change.
    pub base_database: Option<PathBuf>,
    /// Who proposes the change; `None` when owners are not asked.
    pub author: Option<String>,
    /// Share of faulty turns above which a bot counts as broken, percent.
    pub max_faults: u8,
    /// Whether a changed bot must be stronger than the one it replaces, and how that
    /// is found out; needs a commit to compare with.
    pub gate: Option<GateSettings>,
    /// How it is played.
    pub run: RunOptions,
}

/// Why a change could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum CiError {
    /// Nothing was named to compare with.
    #[error("nothing to compare with")]
    NoBase,
    /// The base cannot be told.
    #[error(transparent)]
    Base(#[from] BaseError),
    /// The machine cannot be made ready.
    #[error(transparent)]
    Workshop(#[from] WorkshopError),
    /// The run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A database cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A folder cannot be made.
    #[error("a folder for the base cannot be made")]
    Folder(#[source] std::io::Error),
}

impl From<GitError> for CiError {
    fn from(error: GitError) -> Self {
        Self::Base(BaseError::Git(error))
    }
}
