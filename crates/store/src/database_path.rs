//! Path of a database: checks of the file before it is opened, and the files beside it.

use std::fs::{FileType, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, faccessat};

use super::StoreError;

/// The files that SQLite keeps beside a database.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// State of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Occupied {
    /// No file, or one with nothing in it.
    Nothing { is_file: bool },
    /// A regular file with something in it.
    File,
}

/// Examines a path and the files beside it. Other kinds of files are refused without being opened:
/// a pipe would block, and a device could do anything.
///
/// # Errors
///
/// [`StoreError::NotADatabase`] when something other than a regular file is there.
pub(super) fn occupied(path: &Path) -> Result<Occupied, StoreError> {
    let irregular = |path: &Path, is| StoreError::NotADatabase { path: path.to_owned(), is };
    for beside in SIDE_FILES.map(|suffix| with_suffix(path, suffix)) {
        match std::fs::symlink_metadata(&beside) {
            Ok(data) if !data.is_file() => return Err(irregular(&beside, kind(data.file_type()))),
            _ => {}
        }
    }
    match std::fs::metadata(path) {
        Ok(data) if !data.is_file() => Err(irregular(path, kind(data.file_type()))),
        Ok(data) if data.len() > 0 => Ok(Occupied::File),
        Ok(_) => Ok(Occupied::Nothing { is_file: true }),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            Err(StoreError::io(path, error))
        }
        Err(_) => Ok(Occupied::Nothing { is_file: false }),
    }
}

/// Number of links that are followed to find a database.
const MOST_LINKS: u32 = 16;

/// Returns the target of a link, even when it does not exist yet.
pub(super) fn resolve_link(mut path: PathBuf) -> PathBuf {
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = folder_of(&path).join(target);
    }
    path
}

/// Returns the folder of a database.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of a file beside the database: `results.db-wal`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns the size of a database in bytes, including the `-wal` file beside it.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let of = |path: &Path| std::fs::metadata(path).map_or(0, |data: Metadata| data.len());
    of(path).saturating_add(of(&with_suffix(path, "-wal")))
}

/// Returns whether a file is not there or has nothing in it.
pub(super) fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |data| data.len() == 0)
}

/// Removes a database and the files beside it.
pub(super) fn remove(path: &Path) {
    let beside = SIDE_FILES.iter().map(|suffix| with_suffix(path, suffix));
    for file in beside.chain([path.to_owned()]) {
        _ = std::fs::remove_file(file);
    }
}

/// Metadata of the database file and of its `-wal` file. It changes when something is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint([Option<(u64, u64, u64, SystemTime)>; 2]);

impl Fingerprint {
    pub(super) fn of(path: &Path) -> Self {
        Self([path.to_owned(), with_suffix(path, "-wal")].map(|file| {
            let found = std::fs::metadata(file).ok().filter(|data| data.len() > 0)?;
            Some((found.dev(), found.ino(), found.len(), found.modified().ok()?))
        }))
    }
}

/// Returns whether files can be made beside a database.
pub(super) fn is_in_a_folder_to_write(path: &Path) -> bool {
    faccessat(AT_FDCWD, folder_of(path), AccessFlags::W_OK, AtFlags::AT_EACCESS).is_ok()
}

/// Returns whether the disk of a database has no room left.
pub(super) fn is_on_a_full_disk(path: &Path) -> bool {
    statvfs(folder_of(path)).is_ok_and(|disk| disk.blocks() > 0 && disk.blocks_available() == 0)
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder, not a database"
    } else if kind.is_fifo() {
        "a pipe, not a database"
    } else if kind.is_socket() {
        "a socket, not a database"
    } else if kind.is_symlink() {
        "a link, not a file of a database"
    } else {
        "a device, not a database"
    }
}
