//! Build store: builds by hash, whole or not at all.
//!
//! Builds travel by hash from one store to another, also between machines. Both the store that
//! hands a build out and the store that takes it in compute its hashes again: the hash of its
//! identity and the hashes of its files. A build with another hash than it claims is refused,
//! with its hash and the first file that differs.

#[cfg(test)]
mod contract_tests;
mod export;
mod folder;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use joust_bots::{SourceTree, pack};
use joust_model::BuildHash;
use parking_lot::Mutex;

use crate::build::{Build, Damage, NotIntact, short};

pub use folder::{ExportSummary, FolderStore, StoredBuild};

/// Keeps builds by hash.
pub trait BuildStore: Send + Sync {
    /// Returns whether a build is there; it may be damaged.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn has(&self, hash: &BuildHash) -> io::Result<bool>;

    /// Lays the files of a build into the existing, empty folder `to` and returns what the
    /// build is; `None` when it is not there. What is in `to` after an error is no build.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] for a build that is not the one that was put.
    fn get(&self, hash: &BuildHash, to: &Path) -> Result<Option<FetchedBuild>, StoreError>;

    /// Stores a build under its own hash, unless it is there already. Its files may be
    /// moved.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] for a build that is not what it is said to be; nothing is
    /// stored after an error.
    fn put(&self, build: &NewBuild<'_>) -> Result<(), StoreError>;
}

/// A build about to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewBuild<'a> {
    /// Build to store.
    pub build: &'a Build,
    /// The files; they are moved where that is possible.
    pub tree: &'a Path,
    /// The build's log.
    pub log: &'a str,
}

/// A build that came out of a store; its files are in the folder that was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchedBuild {
    /// Build that was fetched.
    pub build: Build,
    /// The build's log.
    pub log: String,
}

/// Reason why a store fails.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A build is not the one it is said to be.
    #[error("build {} is damaged: {damage}", short(build))]
    Damaged {
        /// Expected hash of the build.
        build: BuildHash,
        /// The difference that was found.
        damage: Damage,
    },
    /// The machine's fault.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl StoreError {
    fn of(hash: &BuildHash, reason: NotIntact) -> Self {
        match reason {
            NotIntact::Damaged(damage) => Self::Damaged { build: *hash, damage },
            NotIntact::Machine(problem) => Self::Io(io::Error::other(problem)),
        }
    }
}

/// Reads what a store keeps of a build beside its files.
fn read_record(hash: &BuildHash, text: &[u8]) -> Result<Build, StoreError> {
    serde_json::from_slice(text).map_err(|error| {
        let damage = Damage::Record(error.to_string());
        StoreError::Damaged { build: *hash, damage }
    })
}

/// Builds in memory, packed as for transport: for tests of code that moves builds.
#[derive(Debug, Default)]
pub struct MemoryStore {
    pub(super) builds: Mutex<BTreeMap<BuildHash, PackedBuild>>,
}

/// A build as bytes.
#[derive(Clone, Debug)]
pub(super) struct PackedBuild {
    pub(super) record: Vec<u8>,
    pub(super) files: Vec<u8>,
    log: String,
}

impl BuildStore for MemoryStore {
    fn has(&self, hash: &BuildHash) -> io::Result<bool> {
        Ok(self.builds.lock().contains_key(hash))
    }

    fn get(&self, hash: &BuildHash, to: &Path) -> Result<Option<FetchedBuild>, StoreError> {
        let Some(packed) = self.builds.lock().get(hash).cloned() else { return Ok(None) };
        let build = read_record(hash, &packed.record)?;
        pack::unpack(&packed.files, to)?;
        build.check(hash, to).map_err(|reason| StoreError::of(hash, reason))?;
        Ok(Some(FetchedBuild { build, log: packed.log }))
    }

    fn put(&self, new: &NewBuild<'_>) -> Result<(), StoreError> {
        let hash = new.build.hash();
        new.build.check(&hash, new.tree).map_err(|reason| StoreError::of(&hash, reason))?;
        let tree = SourceTree { root: new.tree.to_owned(), files: new.build.files.clone() };
        let packed = PackedBuild {
            record: serde_json::to_vec(new.build).map_err(io::Error::other)?,
            files: pack::pack(&tree)?,
            log: new.log.to_owned(),
        };
        self.builds.lock().entry(hash).or_insert(packed);
        Ok(())
    }
}
