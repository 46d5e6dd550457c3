//! The folder of a site: written beside its place, put there when it is whole.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use joust_orchestrator::model::escaped;
use joust_orchestrator::report::site::Sink;
use tempfile::TempDir;

use crate::error::Failure;
use crate::exit_code::Status;

/// Marks a folder that `joust report` made, and lists what it put there.
const MARK: &str = ".joust-site";

/// A site that is being written. Unless it is put in place, nothing of it stays.
pub(super) struct SiteFolder {
    out: PathBuf,
    new: TempDir,
    made: Mutex<BTreeSet<PathBuf>>,
}

impl SiteFolder {
    /// Makes a folder beside `out`. If there is something at `out`, it must be
    /// empty or, with `force`, a site that Joust made.
    pub(super) fn begin(out: &Path, force: bool) -> Result<Self, Failure> {
        let out = resolved(out).map_err(|error| unwritable(out, &error))?;
        if is_there(&out) {
            refuse_foreign(&out, force)?;
        }
        let parent = out.parent().unwrap_or(Path::new("/"));
        let name = out.file_name().unwrap_or_default().to_string_lossy();
        let new = fs::create_dir_all(parent)
            .and_then(|()| tempfile::Builder::new().prefix(&format!(".{name}-")).tempdir_in(parent))
            .map_err(|error| unwritable(&out, &error))?;
        Ok(Self { out, new, made: Mutex::default() })
    }

    /// Puts the site in its place, in one step where a site is replaced.
    pub(super) fn put_in_place(self) -> Result<(), Failure> {
        let Self { out, new, .. } = self;
        write_mark(new.path())
            .and_then(|()| readable_by_all(new.path()))
            .and_then(|()| place(new, &out))
            .map_err(|error| unwritable(&out, &error))
    }
}

impl Sink for SiteFolder {
    fn put(&self, path: &str, bytes: &[u8]) -> io::Result<()> {
        let path = self.new.path().join(path);
        let folder = path.parent().expect("a file has a folder").to_owned();
        let mut made = self.made.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
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
    let refuse = |problem: String, hint: &str| Err(Failure::new(Status::Usage, problem).hint(hint));
    let Ok(mark) = fs::read_to_string(out.join(MARK)) else {
        return refuse(
            format!("`{shown}` is there already and was not made by `joust report`"),
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
    let entries = fs::read_dir(out).map_err(|error| unwritable(out, &error))?;
    let mut names = entries.filter_map(Result::ok).map(|entry| entry.file_name());
    match names.find(|name| name != MARK && !known.contains(name)) {
        None => Ok(()),
        Some(name) => refuse(
            format!("`{}` in `{shown}` was not made by joust", escaped(&name.to_string_lossy())),
            "replacing the site would delete it; move it away, or name another folder",
        ),
    }
}

/// Lists what is at the top of the folder.
fn write_mark(folder: &Path) -> io::Result<()> {
    fs::write(folder.join(".nojekyll"), "")?;
    let mut names: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()))
        .collect::<io::Result<_>>()?;
    names.sort_unstable();
    fs::write(folder.join(MARK), names.join("\n") + "\n")
}

/// Temporary folders are for their owner alone; a web server is somebody else.
fn readable_by_all(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))
}

fn place(new: TempDir, out: &Path) -> io::Result<()> {
    match fs::rename(new.path(), out) {
        Ok(()) => {
            // It is no longer where it would be removed.
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
    // The old site is now in the temporary folder's place, and goes with it.
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

fn unwritable(out: &Path, error: &io::Error) -> Failure {
    let shown = escaped(&out.display().to_string());
    Failure::new(Status::Machine, format!("`{shown}` cannot be written: {error}"))
}
