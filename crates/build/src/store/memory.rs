//! Builds in memory, for as long as the process lives.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use super::{BuildStore, FetchedBuild, NewBuild, StoreError, read_record};
use joust_bots::{SourceTree, pack};
use joust_model::BuildHash;
use parking_lot::Mutex;

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
