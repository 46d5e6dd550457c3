//! Session of a store: findings of this process, so that nothing is fetched, asked or tried twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::fetch::Registries;
use joust_model::BuildHash;
use joust_toolchain::LibrarySet;
use parking_lot::Mutex;

/// Findings of a process.
#[derive(Debug, Default)]
pub(crate) struct Session(Mutex<Findings>);

#[derive(Debug, Default)]
struct Findings {
    library_sets: BTreeMap<BuildHash, Arc<LibrarySet>>,
    /// Registries by language.
    registries: BTreeMap<String, Arc<Registries>>,
    /// Prepared parts of builds that could not be made.
    unprepared: BTreeSet<BuildHash>,
}

impl Session {
    /// Returns a library set that was made or found before.
    pub(crate) fn library_set(&self, hash: &BuildHash) -> Option<Arc<LibrarySet>> {
        self.0.lock().library_sets.get(hash).cloned()
    }

    /// Remembers a library set.
    pub(crate) fn keep_library_set(&self, hash: BuildHash, set: Arc<LibrarySet>) {
        self.0.lock().library_sets.insert(hash, set);
    }

    /// Returns the registries of a language that were asked for before.
    pub(crate) fn registries(&self, language: &str) -> Option<Arc<Registries>> {
        self.0.lock().registries.get(language).cloned()
    }

    /// Remembers the registries of a language.
    pub(crate) fn keep_registries(&self, language: &str, found: Arc<Registries>) {
        self.0.lock().registries.insert(language.to_owned(), found);
    }

    /// Returns whether a prepared part of builds could not be made before.
    pub(crate) fn is_unprepared(&self, hash: &BuildHash) -> bool {
        self.0.lock().unprepared.contains(hash)
    }

    /// Remembers that a prepared part of builds could not be made.
    pub(crate) fn keep_unprepared(&self, hash: BuildHash) {
        self.0.lock().unprepared.insert(hash);
    }
}
