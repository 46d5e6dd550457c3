//! What is at the place of a database before anybody opens it.

use std::fs::FileType;
use std::io::{Error, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use nix::fcntl::{AT_FDCWD, AtFlags};
use nix::unistd::{AccessFlags, faccessat};

use super::{Access, StoreError};

/// Says whether a database is to be made at `path`; `false` when a file with
/// something in it is there.
///
/// # Errors
///
/// [`StoreError::NotThere`] and [`StoreError::NotADatabase`] when nothing, nothing but
/// an empty file, or something else than a file is there and none may be made.
pub(super) fn is_new(path: &Path, access: Access) -> Result<bool, StoreError> {
    let may_be_made = access == Access::CreateOrOpen;
    let is = match std::fs::metadata(path) {
        Ok(data) if !data.is_file() => kind(data.file_type()),
        Ok(data) if data.len() > 0 => return Ok(false),
        _ if may_be_made => return Ok(true),
        Ok(_) => "an empty file, not a database",
        Err(error) => return Err(absent(path, error)),
    };
    Err(StoreError::NotADatabase { path: path.to_owned(), is })
}

/// How many links are followed to a database.
const MOST_LINKS: u32 = 16;

/// Returns where a link leads, also one that leads to nothing yet.
pub(super) fn followed(mut path: PathBuf) -> PathBuf {
    for _ in 0..MOST_LINKS {
        let Ok(target) = std::fs::read_link(&path) else { break };
        path = folder_of(&path).join(target);
    }
    path
}

/// Returns the folder that a database lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns the name of a file beside the database: `results.db-wal`.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Says whether a file is not there or has nothing in it.
pub(super) fn is_empty(path: &Path) -> bool {
    std::fs::metadata(path).map_or(true, |data| data.len() == 0)
}

/// What tells a database from itself after something was stored: the file, and what waits beside
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment([Option<(u64, u64, u64, SystemTime)>; 2]);

impl Moment {
    pub(super) fn of(path: &Path) -> Self {
        Self([path.to_owned(), with_suffix(path, "-wal")].map(|file| {
            let found = std::fs::metadata(file).ok().filter(|data| data.len() > 0)?;
            Some((found.dev(), found.ino(), found.len(), found.modified().ok()?))
        }))
    }
}

/// Says whether files can be made beside a database.
pub(super) fn is_in_a_folder_to_write(path: &Path) -> bool {
    faccessat(AT_FDCWD, folder_of(path), AccessFlags::W_OK, AtFlags::AT_EACCESS).is_ok()
}

fn absent(path: &Path, error: Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::Io { path, source: Arc::new(error) },
        _ => StoreError::NotThere { path },
    }
}

fn kind(kind: FileType) -> &'static str {
    if kind.is_dir() {
        "a folder, not a database"
    } else if kind.is_fifo() {
        "a pipe, not a database"
    } else if kind.is_socket() {
        "a socket, not a database"
    } else {
        "a device, not a database"
    }
}
