//! Database of a run: the tournament's, or an empty one for a while where a run only tells what it
//! would play and nothing was played yet.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use joust_store::{Access, Store, StoreError};
use tempfile::TempDir;

use super::Mode;

/// An open database, and the folder that goes with it.
pub(super) struct Database {
    pub(super) store: Store,
    _folder: Option<TempDir>,
}

impl Database {
    /// Opens the database at `path`, and makes it where bouts are to be stored.
    pub(super) async fn open(path: &Path, mode: Mode) -> Result<Self, StoreError> {
        // Of what is there and cannot be looked at, opening it tells why.
        let is_missing =
            fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound);
        let folder = match mode {
            Mode::DryRun if is_missing => Some(for_a_while(path)?),
            Mode::DryRun | Mode::MakeReady | Mode::Play => None,
        };
        let own = folder.as_ref().map(|folder| folder.path().join("results.db"));
        let store = Store::open(own.as_deref().unwrap_or(path), Access::CreateOrOpen).await?;
        Ok(Self { store, _folder: folder })
    }
}

fn for_a_while(path: &Path) -> Result<TempDir, StoreError> {
    tempfile::tempdir()
        .map_err(|error| StoreError::Io { path: path.to_owned(), source: Arc::new(error) })
}
