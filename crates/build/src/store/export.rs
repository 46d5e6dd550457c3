//! Export of a build of a folder store as one byte string, for another machine; and the limit on
//! the size of a store of such builds.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::time::SystemTime;

use super::{FolderStore, StoreError};
use joust_bots::{SourceHash, SourceTree, pack};
use joust_model::{BuildHash, Bytes};

impl FolderStore {
    /// Packs a build with its record and its log; `None` when it is not here. A library set
    /// is exported by itself.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn pack(&self, hash: &BuildHash) -> io::Result<Option<Vec<u8>>> {
        if self.find(hash)?.is_none() {
            return Ok(None);
        }
        let tree = SourceTree::read_all(&self.folder(hash)).map_err(io::Error::other)?;
        pack::pack(&tree).map(Some)
    }

    /// Stores a packed build after computing its hashes again: the hash of its identity has
    /// to be `hash`, and the hash of its files `result` if that is given.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] when it is not the build it is said to be.
    pub fn unpack(
        &self,
        hash: &BuildHash,
        packed: &[u8],
        result: Option<SourceHash>,
    ) -> Result<(), StoreError> {
        let work = self.work()?;
        let folder = work.path().join("builds").join(hash.to_string());
        fs::create_dir_all(&folder)?;
        pack::unpack(packed, &folder)?;
        // A build without files has a folder without any.
        fs::create_dir_all(folder.join("tree"))?;
        if self.import(work.path(), hash, result)? {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "it holds no build").into())
    }

    /// Marks builds as in use, and removes the least recently used others until the rest is within
    /// `most`; returns the number of removed builds. Builds in use stay.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written.
    pub fn shrink(&self, in_use: &[BuildHash], most: Bytes) -> io::Result<usize> {
        let now = SystemTime::now();
        for hash in in_use {
            match File::open(self.folder(hash).join("build.json")) {
                Ok(record) => record.set_modified(now)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let mut kept = self.stored_sizes()?;
        kept.sort_by_key(|one| one.used);
        let mut bytes: u64 = kept.iter().map(|one| one.bytes).sum();
        let mut removed = 0;
        let is_in_use =
            |one: &&StoredSize| in_use.iter().any(|hash| self.folder(hash) == one.folder);
        for old in kept.iter().filter(|one| !is_in_use(one)) {
            if bytes <= most.0 {
                break;
            }
            fs::remove_dir_all(&old.folder)?;
            bytes -= old.bytes;
            removed += 1;
        }
        Ok(removed)
    }

    fn stored_sizes(&self) -> io::Result<Vec<StoredSize>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(self.root.join("builds"))? {
            let folder = entry?.path();
            let Ok(record) = fs::metadata(folder.join("build.json")) else { continue };
            let files = walkdir::WalkDir::new(&folder).into_iter().filter_map(Result::ok);
            let sizes = files.filter_map(|file| file.metadata().ok());
            let bytes = sizes.filter(fs::Metadata::is_file).map(|file| file.len()).sum();
            kept.push(StoredSize { folder, bytes, used: record.modified()? });
        }
        Ok(kept)
    }
}

/// Size of a stored build, and the time of its last use.
struct StoredSize {
    folder: PathBuf,
    bytes: u64,
    used: SystemTime,
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use joust_bots::source::{FileKind, SourceFile};

    use super::*;
    use crate::build::tests::sample;
    use crate::store::NewBuild;

    fn store() -> (tempfile::TempDir, FolderStore) {
        let home = tempfile::tempdir().unwrap();
        let store = FolderStore::open(&home.path().join("store")).unwrap();
        (home, store)
    }

    fn keep(store: &FolderStore, program: &str) -> BuildHash {
        let work = store.work().unwrap();
        let tree = work.path().join("tree");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("bot"), program).unwrap();
        let build = sample(&tree);
        store.keep(&NewBuild { build: &build, tree: &tree, log: "said" }).unwrap();
        build.hash()
    }

    #[test]
    fn a_parcel_leads_to_no_file_of_this_machine() {
        let ((_here, here), (_there, there)) = (store(), store());
        let hash = keep(&here, "program");
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "\"word\"").unwrap();
        for (name, target) in
            [("log", &secret), ("build.json", &secret), ("tree", &here.folder(&hash).join("tree"))]
        {
            let mut tree = SourceTree::read_all(&here.folder(&hash)).unwrap();
            tree.files.retain(|file| !Path::new(&file.path).starts_with(name));
            let link = FileKind::Link(target.to_str().unwrap().to_owned());
            tree.files.push(SourceFile { path: name.to_owned(), kind: link });
            let parcel = pack::pack(&tree).unwrap();
            let told = there.unpack(&hash, &parcel, None).unwrap_err().to_string();
            assert!(told.ends_with(&format!("is damaged: its `{name}` is a link")), "{told}");
            assert!(there.find(&hash).unwrap().is_none());
        }
    }

    #[test]
    fn a_log_that_is_too_long_is_left_out() {
        let ((_here, here), (_there, there)) = (store(), store());
        let hash = keep(&here, "program");
        fs::write(here.folder(&hash).join("log"), vec![b'x'; (16 << 20) + 1]).unwrap();
        let parcel = here.pack(&hash).unwrap().unwrap();
        there.unpack(&hash, &parcel, None).unwrap();
        assert_eq!(fs::read(there.find(&hash).unwrap().unwrap().log).unwrap(), b"");
    }

    #[test]
    fn a_parcel_is_the_same_build_in_another_store() {
        let ((_here, here), (_there, there)) = (store(), store());
        let hash = keep(&here, "program");
        let parcel = here.pack(&hash).unwrap().unwrap();
        there.unpack(&hash, &parcel, None).unwrap();
        let (sent, come) =
            (here.find(&hash).unwrap().unwrap(), there.find(&hash).unwrap().unwrap());
        assert_eq!(come.build, sent.build);
        assert_eq!(fs::read_to_string(come.tree.join("bot")).unwrap(), "program");
        assert_eq!(fs::read_to_string(come.log).unwrap(), "said");
    }

    #[test]
    fn a_parcel_of_another_build_or_of_other_files_is_refused() {
        let ((_here, here), (_there, there)) = (store(), store());
        let hash = keep(&here, "program");
        let parcel = here.pack(&hash).unwrap().unwrap();
        let other = BuildHash([7; 32]);
        assert!(matches!(there.unpack(&other, &parcel, None), Err(StoreError::Damaged { .. })));
        let files = Some(SourceHash::of("test", &[b"other"]));
        assert!(matches!(there.unpack(&hash, &parcel, files), Err(StoreError::Damaged { .. })));
        assert!(there.unpack(&hash, b"nothing", None).is_err());
        fs::write(here.folder(&hash).join("tree/bot"), "forged").unwrap();
        let tree = SourceTree::read_all(&here.folder(&hash)).unwrap();
        let forged = pack::pack(&tree).unwrap();
        assert!(matches!(there.unpack(&hash, &forged, None), Err(StoreError::Damaged { .. })));
        assert_eq!(there.find(&hash).unwrap(), None);
    }

    #[test]
    fn shrinking_removes_the_least_recently_used_builds_first() {
        let (_home, store) = store();
        let hash = keep(&store, "program");
        let old = store.root.join("builds/old");
        fs::create_dir(&old).unwrap();
        fs::write(old.join("build.json"), vec![b' '; 100]).unwrap();
        let before = SystemTime::now() - Duration::from_secs(60);
        File::open(old.join("build.json")).unwrap().set_modified(before).unwrap();
        assert_eq!(store.shrink(&[hash], Bytes(u64::MAX)).unwrap(), 0);
        assert_eq!(store.shrink(&[hash], Bytes(1)).unwrap(), 1);
        assert!(!old.exists() && store.find(&hash).unwrap().is_some());
        assert_eq!(store.shrink(&[], Bytes(0)).unwrap(), 1);
        assert_eq!(store.find(&hash).unwrap(), None);
    }
}
