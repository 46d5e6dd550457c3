//! Where builds are kept: by hash, whole or not at all.
//!
//! The folder store has `builds/<hash>/` with the files (`tree`), what is known
//! about them (`build.json`) and the log (`log`); `logs` with the logs of
//! failed builds; `locks` so that a build is made once. A build appears by a
//! rename; a killed run leaves at most a folder that begins with `.new-`.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::archive::UNPACKING;
use super::detect::barrier;
use super::problem::Fault;
use super::source::{SourceHash, SourceTree};
use super::trouble;
use joust_config::{Unread, read_plain};
use joust_model::BuildHash;

/// What is known about a stored build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildRecord {
    /// The hash of the result's files.
    pub result: SourceHash,
    /// The language's id.
    pub language: String,
    /// What the tools said about their versions.
    pub toolchain: String,
    /// The program that `{program}` stands for, relative to the result.
    pub program: Option<String>,
    /// How long the build took.
    pub took: Duration,
}

/// What the names of folders begin with that are not whole yet.
const NEW: &str = ".new-";

/// How long a record may be, bytes; builds come from other machines, too.
pub(super) const MOST_RECORD: u64 = 1 << 20;

/// Where root keeps what can be made again.
const OF_ROOT: &str = "/var/cache";

/// Returns the place of somebody with that home.
fn in_home(home: &Path) -> PathBuf {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if is_root && barrier(home).is_some() && Path::new(OF_ROOT).is_dir() {
        Path::new(OF_ROOT).join("joust")
    } else {
        home.join(".cache/joust")
    }
}

/// A stored build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBuild {
    /// What is known about it.
    pub record: BuildRecord,
    /// The files, to be mounted read-only.
    pub tree: PathBuf,
    /// The build's log.
    pub log: PathBuf,
}

/// A build about to be stored.
#[derive(Clone, Debug)]
pub struct NewBuild<'a> {
    /// What is known about it.
    pub record: &'a BuildRecord,
    /// The files; they are moved where that is possible.
    pub tree: &'a Path,
    /// The build's log.
    pub log: &'a str,
}

/// Keeps builds by hash. Builds travel by it.
pub trait BuildStore: Send + Sync {
    /// Says whether a build is there; it may be damaged.
    fn has(&self, hash: &BuildHash) -> bool;

    /// Returns a build whose files are as they were stored; a damaged one is
    /// removed and not there.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn get(&self, hash: &BuildHash) -> io::Result<Option<StoredBuild>>;

    /// Stores a build, unless there is one already, and returns it.
    ///
    /// # Errors
    ///
    /// When the store cannot be written; nothing is stored then.
    fn put(&self, hash: &BuildHash, build: &NewBuild<'_>) -> io::Result<StoredBuild>;
}

/// Builds in a folder.
#[derive(Clone, Debug)]
pub struct FolderStore {
    root: PathBuf,
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
        Ok(Self { root })
    }

    /// Returns the usual place: `JOUST_CACHE`, else `joust` beneath
    /// `XDG_CACHE_HOME`, else `.cache/joust` in the home; for root, whose home other users
    /// may not enter, `/var/cache/joust`: bots may be other users.
    #[must_use]
    pub fn usual_place() -> Option<PathBuf> {
        let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let given = variable("JOUST_CACHE").map(PathBuf::from);
        let shared = || Some(PathBuf::from(variable("XDG_CACHE_HOME")?).join("joust"));
        let home = || Some(in_home(Path::new(&variable("HOME")?)));
        given.or_else(shared).or_else(home)
    }

    /// Returns the folder in which archives are unpacked.
    #[must_use]
    pub fn archives(&self) -> PathBuf {
        self.root.join("archives")
    }

    /// Makes a folder that is thrown away, on the store's file system.
    pub fn work(&self) -> io::Result<tempfile::TempDir> {
        tempfile::Builder::new().prefix(NEW).tempdir_in(self.root.join("work"))
    }

    /// Waits until nobody else makes the build `hash`; the lock lasts as long
    /// as the file returned.
    pub(super) fn lock(&self, hash: &BuildHash) -> io::Result<File> {
        let file = File::create(self.root.join("locks").join(hash.to_string()))?;
        file.lock()?;
        Ok(file)
    }

    /// Keeps the log of a build that failed and returns its place.
    pub(super) fn keep_log(&self, hash: &BuildHash, log: &str) -> io::Result<PathBuf> {
        let path = self.root.join("logs").join(format!("{hash}.log"));
        fs::write(&path, log)?;
        Ok(path)
    }

    /// Returns where the log of a failed build is kept.
    pub(super) fn failed_log(&self, hash: &BuildHash) -> PathBuf {
        self.root.join("logs").join(format!("{hash}.log"))
    }

    fn folder(&self, hash: &BuildHash) -> PathBuf {
        self.root.join("builds").join(hash.to_string())
    }

    /// Returns a build that is as it was stored; an error where the machine does not let
    /// that be seen.
    fn read(&self, hash: &BuildHash) -> io::Result<Option<StoredBuild>> {
        let folder = self.folder(hash);
        let text = match read_plain(&folder.join("build.json"), MOST_RECORD) {
            Err(Unread::Io(error)) if trouble::is_of_machine(&error) => return Err(error),
            text => text.unwrap_or_default(),
        };
        let Ok(record) = serde_json::from_slice::<BuildRecord>(&text) else { return Ok(None) };
        let tree = folder.join("tree");
        let found = match SourceTree::read_all(&tree) {
            Ok(found) => found.hash(),
            Err(problem) if problem.fault == Fault::Machine => {
                return Err(io::Error::other(problem));
            }
            Err(_) => return Ok(None),
        };
        let stored = StoredBuild { log: folder.join("log"), tree, record };
        Ok((found == stored.record.result).then_some(stored))
    }

    /// Returns the folder of everything.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }
}

impl BuildStore for FolderStore {
    fn has(&self, hash: &BuildHash) -> bool {
        self.folder(hash).join("build.json").is_file()
    }

    fn get(&self, hash: &BuildHash) -> io::Result<Option<StoredBuild>> {
        if !self.has(hash) {
            return Ok(None);
        }
        let stored = self.read(hash)?;
        if stored.is_none() {
            fs::remove_dir_all(self.folder(hash))?;
        }
        Ok(stored)
    }

    fn put(&self, hash: &BuildHash, build: &NewBuild<'_>) -> io::Result<StoredBuild> {
        if let Some(stored) = self.get(hash)? {
            return Ok(stored);
        }
        let fresh = tempfile::Builder::new().prefix(NEW).tempdir_in(self.root.join("builds"))?;
        make_readable(fresh.path())?;
        let tree = fresh.path().join("tree");
        if fs::rename(build.tree, &tree).is_err() {
            fs::create_dir(&tree)?;
            SourceTree::read_all(build.tree).map_err(io::Error::other)?.copy_to(&tree)?;
        }
        make_readable(&tree)?;
        fs::write(fresh.path().join("log"), build.log)?;
        let record = serde_json::to_vec_pretty(build.record).map_err(io::Error::other)?;
        fs::write(fresh.path().join("build.json"), record)?;
        fs::rename(fresh.keep(), self.folder(hash))?;
        self.get(hash)?.ok_or_else(|| io::Error::other("a build changed while it was stored"))
    }
}

/// What [`FolderStore::export`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Builds that were copied.
    pub copied: usize,
    /// Builds that were there before.
    pub there: usize,
    /// Builds that this store does not have.
    pub missing: Vec<BuildHash>,
}

impl FolderStore {
    /// Copies builds to the folder `to`, which is made when it is not there: each
    /// beneath `builds`, with how it is run.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read or written.
    pub fn export(&self, builds: &[BuildHash], to: &Path) -> io::Result<Exported> {
        let target = Self::open(to)?;
        let mut exported = Exported::default();
        for hash in builds {
            match (target.has(hash), self.get(hash)?) {
                (true, _) => exported.there += 1,
                (false, None) => exported.missing.push(*hash),
                (false, Some(_)) => {
                    copy_build(&self.folder(hash), &target, hash)?;
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
    /// When this store cannot be written.
    pub fn import(
        &self,
        from: &Path,
        hash: &BuildHash,
        result: Option<SourceHash>,
    ) -> io::Result<bool> {
        let folder = from.join("builds").join(hash.to_string());
        let there = Self { root: from.to_owned() };
        let Some(found) = there.read(hash)? else { return Ok(false) };
        if result.is_some_and(|result| result != found.record.result) {
            return Ok(false);
        }
        copy_build(&folder, self, hash)?;
        Ok(self.get(hash)?.is_some())
    }
}

/// Copies the folder of a build, whole or not at all.
fn copy_build(from: &Path, to: &FolderStore, hash: &BuildHash) -> io::Result<()> {
    let fresh = tempfile::Builder::new().prefix(NEW).tempdir_in(to.root.join("builds"))?;
    make_readable(fresh.path())?;
    let tree = fresh.path().join("tree");
    fs::create_dir(&tree)?;
    SourceTree::read_all(&from.join("tree")).map_err(io::Error::other)?.copy_to(&tree)?;
    make_readable(&tree)?;
    for name in ["log", "run.json", "build.json"] {
        if from.join(name).is_file() {
            fs::copy(from.join(name), fresh.path().join(name))?;
        }
    }
    fs::rename(fresh.keep(), to.folder(hash))
}

/// Gives everybody the right to enter a folder: bots are users of their own.
fn make_readable(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

/// Removes what a killed run left, once it is surely nobody's.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(store: &FolderStore, hash: &BuildHash) -> StoredBuild {
        let work = store.work().unwrap();
        let tree = work.path().join("tree");
        fs::create_dir_all(tree.join(".joust")).unwrap();
        fs::write(tree.join(".joust/bot"), "program").unwrap();
        let record = BuildRecord {
            result: SourceTree::read_all(&tree).unwrap().hash(),
            language: "c".to_owned(),
            toolchain: "gcc 12".to_owned(),
            program: None,
            took: Duration::from_millis(5),
        };
        store.put(hash, &NewBuild { record: &record, tree: &tree, log: "said" }).unwrap()
    }

    fn store() -> (tempfile::TempDir, FolderStore, BuildHash) {
        let folder = tempfile::tempdir().unwrap();
        let store = FolderStore::open(&folder.path().join("a/b")).unwrap();
        (folder, store, BuildHash::of("test", &[b"1"]))
    }

    #[test]
    fn what_was_put_is_got() {
        let (_folder, store, hash) = store();
        assert!(!store.has(&hash));
        assert_eq!(store.get(&hash).unwrap(), None);
        let put = stored(&store, &hash);
        assert!(store.has(&hash));
        assert_eq!(store.get(&hash).unwrap(), Some(put.clone()));
        assert_eq!(fs::read_to_string(put.tree.join(".joust/bot")).unwrap(), "program");
        assert_eq!(fs::read_to_string(put.log).unwrap(), "said");
    }

    #[test]
    fn a_build_that_was_changed_is_not_there_any_more() {
        let (_folder, store, hash) = store();
        let put = stored(&store, &hash);
        fs::write(put.tree.join(".joust/bot"), "another").unwrap();
        assert_eq!(store.get(&hash).unwrap(), None);
        assert!(!store.has(&hash));
    }

    #[test]
    fn what_killed_runs_left_is_removed_once_it_is_old() {
        let (_folder, store, _) = store();
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
        let (_folder, store, hash) = store();
        stored(&store, &hash);
        let names = |name: &str| fs::read_dir(store.root.join(name)).unwrap().count();
        assert_eq!((names("builds"), names("work")), (1, 0));
    }
}
