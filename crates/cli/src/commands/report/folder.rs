//! The folder of a site: written beside its place, put there when it is whole.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use joust_model::escaped;
use joust_report::site::Sink;
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::error::{Failure, Status};

/// File that marks a folder made by `joust report`, and lists its contents.
const MARK: &str = ".joust-site";

/// File that marks a folder beside a site's place while `joust report` writes or removes it, and
/// holds a lock meanwhile. A marked folder without a lock was left by a run that was killed.
const UNFINISHED: &str = ".joust-site-unfinished";

/// Number of letters and digits that end the name of such a folder.
const RANDOM: usize = 6;

/// A site that is being written. Unless it is put in place, nothing of it stays.
pub(super) struct SiteFolder {
    out: PathBuf,
    new: TempDir,
    /// Locks the new folder.
    held: Option<File>,
    made: Mutex<BTreeSet<PathBuf>>,
}

impl SiteFolder {
    /// Makes a folder beside `out`, and removes those that killed runs left there. If there is
    /// something at `out`, it must be empty or, with `force`, a site that Joust made.
    pub(super) fn begin(out: &Path, force: bool) -> Result<Self, Failure> {
        let out =
            resolved(out).map_err(|error| Failure::unwritable(Status::Machine, out, &error))?;
        if is_there(&out) {
            refuse_foreign(&out, force)?;
        }
        let parent = out.parent().unwrap_or(Path::new("/"));
        let prefix = format!(".{}-", out.file_name().unwrap_or_default().to_string_lossy());
        sweep(parent, &prefix);
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).rand_bytes(RANDOM);
        let new = fs::create_dir_all(parent)
            .and_then(|()| builder.tempdir_in(parent))
            .map_err(|error| Failure::unwritable(Status::Machine, &out, &error))?;
        let held = hold(new.path());
        Ok(Self { out, new, held, made: Mutex::default() })
    }

    /// Moves the site to its place, in one step if it replaces a site.
    pub(super) fn put_in_place(self) -> Result<(), Failure> {
        let Self { out, new, held: _held, .. } = self;
        write_mark(new.path())
            .and_then(|()| readable_by_all(new.path()))
            .and_then(|()| finished(new.path()))
            .and_then(|()| place(new, &out))
            .map_err(|error| Failure::unwritable(Status::Machine, &out, &error))
    }
}

impl Sink for SiteFolder {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.new.path().join(path);
        let folder = path.parent().expect("a file has a folder").to_owned();
        let mut made = self.made.lock();
        if made.insert(folder.clone()) {
            fs::create_dir_all(&folder)?;
        }
        drop(made);
        fs::write(path, bytes)
    }
}

/// Follows the links to a folder that may not be there yet.
fn resolved(out: &Path) -> io::Result<PathBuf> {
    match out.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(out),
        other => other,
    }
}

fn is_there(out: &Path) -> bool {
    out.symlink_metadata().is_ok() && fs::read_dir(out).map_or(true, |mut all| all.next().is_some())
}

/// Refuses to replace what `joust report` did not make, or has been added to.
fn refuse_foreign(out: &Path, force: bool) -> Result<(), Failure> {
    let shown = escaped(&out.display().to_string());
    let refuse = |problem: String, hint: &str| Err(Failure::usage(problem).hint(hint));
    let Ok(mark) = fs::read_to_string(out.join(MARK)) else {
        return refuse(
            format!("`{shown}` already exists and was not made by `joust report`"),
            "name another folder; --force replaces only sites that joust made",
        );
    };
    if !force {
        return refuse(
            format!("there is a site at `{shown}` already"),
            "name another folder, or give --force to replace it",
        );
    }
    let known: BTreeSet<OsString> = mark.lines().map(OsString::from).collect();
    let entries =
        fs::read_dir(out).map_err(|error| Failure::unwritable(Status::Machine, out, &error))?;
    let mut names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    match names.find(|name| name != MARK && !known.contains(name)) {
        None => Ok(()),
        Some(name) => refuse(
            format!("`{}` in `{shown}` was not made by joust", escaped(&name.to_string_lossy())),
            "replacing the site would delete it; move it away, or name another folder",
        ),
    }
}

/// Writes the list of the entries at the top of the folder.
fn write_mark(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(".nojekyll"), "")?;
    let mut names: Vec<String> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.retain(|name| name != UNFINISHED);
    names.sort_unstable();
    fs::write(folder.join(MARK), names.join("\n") + "\n")
}

/// Locks a folder until the file is dropped, and marks it as one that may be swept after that.
/// If folders cannot be locked, none is marked, and none is swept.
fn hold(folder: &Path) -> Option<File> {
    let held = File::open(folder).ok()?;
    held.try_lock().ok()?;
    // The mark is written only after the lock is held. A folder without it is not removed.
    _ = fs::write(folder.join(UNFINISHED), "`joust report` is at work here\n");
    Some(held)
}

fn finished(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(UNFINISHED)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes what killed runs left beside a site's place. What cannot be removed stays.
fn sweep(parent: &Path, prefix: &str) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder
            && is_temporary(&entry.file_name(), prefix)
            && let Some(_held) = left_over(&entry.path())
        {
            _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Returns whether a name is one that a folder is written under.
fn is_temporary(name: &OsStr, prefix: &str) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(prefix));
    random.is_some_and(|it| it.len() == RANDOM && it.bytes().all(|c| c.is_ascii_alphanumeric()))
}

/// Returns the lock of a folder that a killed run left; `None` when another process holds it.
fn left_over(folder: &Path) -> Option<File> {
    let mark = folder.join(UNFINISHED);
    let is_marked = || mark.symlink_metadata().is_ok_and(|mark| mark.is_file());
    if !is_marked() {
        return None;
    }
    let held = File::open(folder).ok()?;
    held.try_lock().ok()?;
    // Its writer may have put it in its place meanwhile, and the old site under its name.
    let (named, locked) = (folder.symlink_metadata().ok()?, held.metadata().ok()?);
    let is_same = (named.dev(), named.ino()) == (locked.dev(), locked.ino());
    (is_same && is_marked()).then_some(held)
}

/// Lets all users read the folder: temporary folders are for their owner alone, and a web server
/// runs as another user.
fn readable_by_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

fn place(new: TempDir, out: &Path) -> io::Result<()> {
    match fs::rename(new.path(), out) {
        Ok(()) => {
            // The folder has been moved, so that it must not be removed at its old place.
            let _ = new.keep();
            return Ok(());
        }
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
            ) =>
        {
            return Err(error);
        }
        Err(_) => {}
    }
    exchange(new.path(), out)?;
    let _held = hold(new.path());
    // The old site is now in the temporary folder's place, and is removed with it.
    new.close()
}

/// Exchanges two folders in one step; where that is not to be had, in two.
fn exchange(new: &Path, out: &Path) -> io::Result<()> {
    if swap(new, out)? {
        return Ok(());
    }
    let old = new.with_extension("old");
    fs::rename(out, &old)?;
    if let Err(error) = fs::rename(new, out) {
        fs::rename(&old, out)?;
        return Err(error);
    }
    fs::rename(&old, new)
}

/// Asks the kernel to exchange two names; `false` when it cannot.
#[cfg(target_env = "gnu")]
fn swap(one: &Path, other: &Path) -> io::Result<bool> {
    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    match renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::EINVAL | Errno::ENOSYS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Only one C library has a name for that call.
#[cfg(not(target_env = "gnu"))]
fn swap(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begin(home: &TempDir, force: bool) -> SiteFolder {
        SiteFolder::begin(&home.path().join("site"), force).expect("it can be written")
    }

    fn names(home: &TempDir) -> BTreeSet<String> {
        let entries = fs::read_dir(home.path()).expect("a folder").flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn what_a_killed_run_left_is_swept_and_nothing_of_anybody_else() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = |name: &str, mark: &str| {
            let folder = home.path().join(name);
            fs::create_dir_all(folder.join("league")).expect("it is made");
            fs::write(folder.join(mark), "").expect("it is written");
            name.to_owned()
        };
        folder(".site-a1B2c3", UNFINISHED);
        let mut strangers = BTreeSet::from([
            folder(".site-backup", "index.html"),
            folder(".site-backu2", MARK),
            folder(".site-a1B2c3.old", UNFINISHED),
            folder(".site-a1B2c34", UNFINISHED),
            folder(".other-a1B2c3", UNFINISHED),
            folder("site-a1B2c3", UNFINISHED),
        ]);
        std::os::unix::fs::symlink("site-a1B2c3", home.path().join(".site-linked")).expect("made");
        strangers.insert(".site-linked".to_owned());
        // Neither sweeps the other.
        let alive = [begin(&home, false), begin(&home, false)];
        assert_eq!(names(&home).len(), strangers.len() + alive.len());
        assert!(names(&home).is_superset(&strangers));
        // The state that a kill leaves: no process holds the lock.
        alive.into_iter().for_each(|folder| std::mem::forget(folder.new));
        assert_eq!(names(&home).len(), strangers.len() + 2);
        drop(begin(&home, false));
        assert_eq!(names(&home), strangers);
    }

    #[test]
    fn a_site_in_its_place_has_no_mark_of_the_making() {
        let home = tempfile::tempdir().expect("a folder");
        for force in [false, true] {
            let folder = begin(&home, force);
            folder.put("index.html", b"<p>").expect("it is written");
            assert!(folder.put_in_place().is_ok());
            assert_eq!(names(&home), ["site".to_owned()].into());
            let site = home.path().join("site");
            assert!(site.join(MARK).exists() && !site.join(UNFINISHED).exists());
            let listed = fs::read_to_string(site.join(MARK)).expect("a list");
            assert_eq!(listed, ".nojekyll\nindex.html\n");
        }
    }
}
