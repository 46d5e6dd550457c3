//! Builds in a folder, from which they are mounted.
//!
//! It has `builds/<hash>/` with the files (`tree`), what the build is (`build.json`) and its
//! log (`log`); `logs` with the logs of failed builds; `locks` so that a build is made once. A
//! build appears by a rename; a killed run leaves at most a folder that begins with `.new-`.
//! The session of a store is what this process has found, so that nothing is fetched, asked or tried
//! twice.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use joust_bots::archive::UNPACKING;
use joust_bots::{SourceHash, SourceTree, machine_error};
use joust_config::{PlainFileError, read_plain};
use joust_model::BuildHash;
use joust_toolchain::{LibrarySet, closed_folder};
use parking_lot::Mutex;

use super::{BuildStore, FetchedBuild, NewBuild, StoreError, read_record};
use crate::build::{Build, Damage};
use crate::fetch::Registries;

/// Prefix of the names of folders that are not complete yet.
const NEW: &str = ".new-";

/// Longest record, bytes: it lists the files, and builds come from other machines, too.
const MOST_RECORD: u64 = 64 << 20;

/// Longest log, bytes.
const MOST_LOG: u64 = 16 << 20;

/// Folder in which root keeps files that can be made again.
const OF_ROOT: &str = "/var/cache";

/// Returns the store's default folder for a user with the home `home`.
fn in_home(home: &Path) -> PathBuf {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if is_root && closed_folder(home).is_some() && Path::new(OF_ROOT).is_dir() {
        Path::new(OF_ROOT).join("joust")
    } else {
        home.join(".cache/joust")
    }
}

/// A build that lies in a folder store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBuild {
    /// Recipe, hashes and files of the build.
    pub build: Build,
    /// The files, to be mounted read-only.
    pub tree: PathBuf,
    /// The build's log.
    pub log: PathBuf,
}

/// Builds in a folder.
#[derive(Clone, Debug)]
pub struct FolderStore {
    pub(crate) root: PathBuf,
    pub(crate) session: Arc<Session>,
}

impl FolderStore {
    /// Opens the store in the folder `root`, which is made if it is not there,
    /// and removes what killed runs left.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made.
    pub fn open(root: &Path) -> io::Result<Self> {
        for name in ["builds", "logs", "locks", "work", "archives"] {
            fs::create_dir_all(root.join(name))?;
        }
        let root = root.canonicalize()?;
        sweep(&root.join("builds"), NEW);
        sweep(&root.join("work"), NEW);
        sweep(&root.join("archives"), UNPACKING);
        Ok(Self { root, session: Arc::default() })
    }

    /// Returns the usual place: `JOUST_CACHE`, else `joust` beneath
    /// `XDG_CACHE_HOME`, else `.cache/joust` in the home; for root, whose home other users
    /// may not enter, `/var/cache/joust`: bots may be other users.
    pub fn usual_place() -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let given = variable("JOUST_CACHE").map(PathBuf::from);
        let shared = || Some(PathBuf::from(variable("XDG_CACHE_HOME")?).join("joust"));
        let home = || Some(in_home(Path::new(&variable("HOME")?)));
        given.or_else(shared).or_else(home)
    }

    /// Returns the folder in which archives are unpacked.
    pub fn archives(&self) -> PathBuf {
        self.root.join("archives")
    }

    /// Makes a folder that is thrown away, on the store's file system.
    pub fn work(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix(NEW).tempdir_in(self.root.join("work"))
    }

    /// Locks the build `hash`, and waits while another process makes it. The lock lasts as long
    /// as the file returned.
    pub(crate) fn lock(&self, hash: &BuildHash) -> io::Result<File> {
        let file = File::create(self.root.join("locks").join(hash.to_string()))?;
        file.lock()?;
        Ok(file)
    }

    /// Returns the path of the log of a failed build.
    pub(crate) fn failed_log(&self, hash: &BuildHash) -> PathBuf {
        self.root.join("logs").join(format!("{hash}.log"))
    }

    pub(super) fn folder(&self, hash: &BuildHash) -> PathBuf {
        self.root.join("builds").join(hash.to_string())
    }

    /// Returns a build where it lies; a damaged one is removed and not there.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn find(&self, hash: &BuildHash) -> io::Result<Option<StoredBuild>> {
        match self.read(hash) {
            Ok(found) => Ok(found),
            Err(StoreError::Io(error)) => Err(error),
            Err(damaged @ StoreError::Damaged { .. }) => {
                tracing::warn!(%damaged, "removed");
                fs::remove_dir_all(self.folder(hash))?;
                Ok(None)
            }
        }
    }

    /// Finds a build whose files have the hash `result`. A build with other files, which another
    /// sender stored under its name, is removed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written.
    pub fn find_with_files(
        &self,
        hash: &BuildHash,
        result: &SourceHash,
    ) -> io::Result<Option<StoredBuild>> {
        match self.find(hash)? {
            Some(other) if other.build.result != *result => {
                fs::remove_dir_all(self.folder(hash))?;
                Ok(None)
            }
            found => Ok(found),
        }
    }

    /// Returns a build that is as it was stored. Its folder may come from elsewhere: a link in it
    /// would lead to any file of this machine.
    fn read(&self, hash: &BuildHash) -> Result<Option<StoredBuild>, StoreError> {
        if !self.has(hash)? {
            return Ok(None);
        }
        let folder = self.folder(hash);
        let is_link = |name: &&str| folder.join(name).is_symlink();
        if let Some(link) = ["build.json", "tree", "log"].into_iter().find(is_link) {
            let damage = Damage::Unreadable(format!("its `{link}` is a link"));
            return Err(StoreError::Damaged { build: *hash, damage });
        }
        let text = match read_plain(&folder.join("build.json"), MOST_RECORD) {
            Err(PlainFileError::Io(error)) if machine_error::is_machine_error(&error) => {
                return Err(error.into());
            }
            text => text.unwrap_or_default(),
        };
        let stored = StoredBuild {
            build: read_record(hash, &text)?,
            tree: folder.join("tree"),
            log: folder.join("log"),
        };
        let checked = stored.build.check(hash, &stored.tree);
        checked.map_err(|reason| StoreError::of(hash, reason))?;
        Ok(Some(stored))
    }

    /// Stores a build, unless it is here already, and returns it where it lies.
    ///
    /// # Errors
    ///
    /// As [`BuildStore::put`].
    pub fn keep(&self, new: &NewBuild<'_>) -> Result<StoredBuild, StoreError> {
        let hash = new.build.hash();
        if let Some(stored) = self.find(&hash)? {
            return Ok(stored);
        }
        let fresh = tempfile::Builder::new().prefix(NEW).tempdir_in(self.root.join("builds"))?;
        make_readable(fresh.path())?;
        let tree = fresh.path().join("tree");
        if fs::rename(new.tree, &tree).is_err() {
            fs::create_dir(&tree)?;
            SourceTree::read_all(new.tree).map_err(io::Error::other)?.copy_to(&tree)?;
        }
        make_readable(&tree)?;
        new.build.check(&hash, &tree).map_err(|reason| StoreError::of(&hash, reason))?;
        fs::write(fresh.path().join("log"), new.log)?;
        let record = serde_json::to_vec(new.build).map_err(io::Error::other)?;
        fs::write(fresh.path().join("build.json"), record)?;
        let folder = self.folder(&hash);
        fs::rename(fresh.keep(), &folder)?;
        let (tree, log) = (folder.join("tree"), folder.join("log"));
        Ok(StoredBuild { build: new.build.clone(), tree, log })
    }

    /// Takes a build from another store, with its library set if that has one, and says
    /// whether it is here now. Where `result` is known, its files must have that hash.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] when it is not the build it is said to be.
    pub fn take(
        &self,
        from: &dyn BuildStore,
        hash: &BuildHash,
        result: Option<SourceHash>,
    ) -> Result<bool, StoreError> {
        let work = self.work()?;
        let tree = work.path().join("tree");
        fs::create_dir(&tree)?;
        let Some(FetchedBuild { build, log }) = from.get(hash, &tree)? else { return Ok(false) };
        if let Some(played) = result.filter(|played| *played != build.result) {
            let damage = Damage::Result { here: build.result, played };
            return Err(StoreError::Damaged { build: *hash, damage });
        }
        if let Some(set) = build.library_set() {
            self.take(from, &set, build.library_content())?;
        }
        let _lock = self.lock(hash)?;
        self.keep(&NewBuild { build: &build, tree: &tree, log: &log })?;
        Ok(true)
    }
}

impl BuildStore for FolderStore {
    fn has(&self, hash: &BuildHash) -> io::Result<bool> {
        self.folder(hash).join("build.json").try_exists()
    }

    fn get(&self, hash: &BuildHash, to: &Path) -> Result<Option<FetchedBuild>, StoreError> {
        let Some(StoredBuild { build, tree, log }) = self.read(hash)? else { return Ok(None) };
        SourceTree { root: tree, files: build.files.clone() }.copy_to(to)?;
        build.check(hash, to).map_err(|reason| StoreError::of(hash, reason))?;
        let log = read_plain(&log, MOST_LOG).unwrap_or_default();
        let log = String::from_utf8_lossy(&log).into_owned();
        Ok(Some(FetchedBuild { build, log }))
    }

    fn put(&self, new: &NewBuild<'_>) -> Result<(), StoreError> {
        self.keep(new).map(drop)
    }
}

/// Result of [`FolderStore::export`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExportSummary {
    /// Builds that were copied.
    pub copied: usize,
    /// Builds that were there before.
    pub there: usize,
    /// Builds that this store does not have.
    pub missing: Vec<BuildHash>,
}

impl FolderStore {
    /// Copies builds to the folder `to`, which is made when it is not there, with the
    /// library sets that they need.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read or written.
    pub fn export(&self, builds: &[BuildHash], to: &Path) -> Result<ExportSummary, StoreError> {
        let target = Self::open(to)?;
        let mut exported = ExportSummary::default();
        for hash in builds {
            match (target.has(hash)?, self.find(hash)?) {
                (true, _) => exported.there += 1,
                (false, None) => exported.missing.push(*hash),
                (false, Some(_)) => {
                    target.take(self, hash, None)?;
                    exported.copied += 1;
                }
            }
        }
        Ok(exported)
    }

    /// Copies a build of the exported folder `from` here when its files are those
    /// with the hash `result`, and says whether it is here now.
    ///
    /// # Errors
    ///
    /// As [`FolderStore::take`].
    pub fn import(
        &self,
        from: &Path,
        hash: &BuildHash,
        result: Option<SourceHash>,
    ) -> Result<bool, StoreError> {
        let from = Self { root: from.to_owned(), session: Arc::default() };
        self.take(&from, hash, result)
    }
}

/// Gives everybody the right to enter a folder: bots are users of their own.
fn make_readable(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

/// Removes files that a killed run left, once they are too old to be in use.
fn sweep(folder: &Path, begun: &str) {
    let is_old = |entry: &fs::DirEntry| {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|changed| SystemTime::now().duration_since(changed).ok());
        age.is_some_and(|age| age > Duration::from_secs(3600))
    };
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let is_new = |name: std::ffi::OsString| name.as_encoded_bytes().starts_with(begun.as_bytes());
    let new = entries.filter(|entry| is_new(entry.file_name()));
    for entry in new.filter(is_old) {
        if let Err(error) = fs::remove_dir_all(entry.path()) {
            tracing::debug!(path = %entry.path().display(), %error, "left-over not removed");
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::tests::sample;

    fn stored(store: &FolderStore) -> StoredBuild {
        let work = store.work().unwrap();
        let tree = work.path().join("tree");
        fs::create_dir(&tree).unwrap();
        fs::write(tree.join("bot"), "program").unwrap();
        store.keep(&NewBuild { build: &sample(&tree), tree: &tree, log: "said" }).unwrap()
    }

    fn store() -> (tempfile::TempDir, FolderStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::open(&folder.path().join("a/b")).unwrap();
        (folder, store)
    }

    #[test]
    fn a_build_of_other_files_makes_room() {
        let (_folder, store) = store();
        let build = stored(&store).build;
        let found = store.find_with_files(&build.hash(), &build.result).unwrap();
        assert_eq!(found.unwrap().build, build);
        let other = SourceHash::of("test", &[b"other"]);
        assert_eq!(store.find_with_files(&build.hash(), &other).unwrap(), None);
        assert_eq!(store.find(&build.hash()).unwrap(), None);
    }

    #[test]
    fn kept_builds_are_found_in_their_folder() {
        let (_folder, store) = store();
        let kept = stored(&store);
        assert_eq!(store.find(&kept.build.hash()).unwrap(), Some(kept.clone()));
        assert_eq!(fs::read_to_string(kept.tree.join("bot")).unwrap(), "program");
        assert_eq!(fs::read_to_string(kept.log).unwrap(), "said");
    }

    #[test]
    fn a_build_that_was_changed_is_not_there_any_more() {
        let (_folder, store) = store();
        let kept = stored(&store);
        fs::write(kept.tree.join("bot"), "another").unwrap();
        assert_eq!(store.find(&kept.build.hash()).unwrap(), None);
        assert!(!store.has(&kept.build.hash()).unwrap());
        assert_eq!(stored(&store), kept, "it can be made again");
    }

    #[test]
    fn leftovers_of_killed_runs_are_removed_once_old() {
        let (_folder, store) = store();
        let old = SystemTime::now() - Duration::from_secs(7200);
        let left = [store.archives().join(".unpack-x"), store.root.join("work/.new-x")];
        let others = [store.archives().join("zip-x"), store.archives().join(".unpack-y")];
        for folder in left.iter().chain(&others) {
            fs::create_dir(folder).unwrap();
        }
        for folder in left.iter().chain(&others[..1]) {
            File::open(folder).unwrap().set_modified(old).unwrap();
        }
        FolderStore::open(&store.root).unwrap();
        assert!(left.iter().all(|folder| !folder.exists()));
        assert!(others.iter().all(|folder| folder.exists()));
    }

    #[test]
    fn nothing_but_the_build_is_left_in_the_store() {
        let (_folder, store) = store();
        stored(&store);
        let names = |name: &str| fs::read_dir(store.root.join(name)).unwrap().count();
        assert_eq!((names("builds"), names("work")), (1, 0));
    }
}
