//! Session of a store: findings of this process, so that nothing is fetched, asked or tried twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::fetch::Registries;
use joust_model::BuildHash;
use joust_toolchain::LibrarySet;
use parking_lot::Mutex;

/// Findings of a process.
#[derive(Debug, Default)]
pub(crate) struct Session {
    /// Library sets that were made or found.
    pub(crate) library_sets: Mutex<BTreeMap<BuildHash, Arc<LibrarySet>>>,
    /// Registries by language.
    pub(crate) registries: Mutex<BTreeMap<String, Arc<Registries>>>,
    /// Prepared parts of builds that could not be made.
    pub(crate) unprepared: Mutex<BTreeSet<BuildHash>>,
}
