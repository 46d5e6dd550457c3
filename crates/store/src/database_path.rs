//! Path of a database: checks of the file before it is opened, and the files beside it.

use std::fs::{File, FileType, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
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
        insist_on_file(&beside)?;
    }
    let journal = with_suffix(path, "-journal");
    if names_another(&journal) {
        return Err(irregular(&journal, "a journal of several databases"));
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

/// End of a journal that names another one.
const ANOTHER: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];

/// Returns whether a journal belongs to a change of several databases, which Joust never makes: it
/// names a file that SQLite deletes once the change is undone, and a stranger could name any.
fn names_another(journal: &Path) -> bool {
    let end = || {
        let file = File::open(journal).ok()?;
        let mut end = [0; ANOTHER.len()];
        let at = file.metadata().ok()?.len().checked_sub(ANOTHER.len() as u64)?;
        file.read_exact_at(&mut end, at).ok()?;
        Some(end)
    };
    end() == Some(ANOTHER)
}

/// Refuses a link, a folder, a device or a file of several names in the place of a file beside a
/// database, because SQLite writes to it.
pub(super) fn insist_on_file(beside: &Path) -> Result<(), StoreError> {
    match std::fs::symlink_metadata(beside) {
        Ok(data) if !data.is_file() => {
            let is = kind(data.file_type());
            Err(StoreError::NotADatabase { path: beside.to_owned(), is })
        }
        Ok(data) if data.nlink() > 1 => {
            let is = "a file with several names, not one of a database alone";
            Err(StoreError::NotADatabase { path: beside.to_owned(), is })
        }
        _ => Ok(()),
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

/// Number of times that a file system may compress a database.
const MOST_COMPRESSED: u64 = 8;

/// Returns the size of a database in bytes, including the `-wal` file beside it. Holes in a file do
/// not count: they would let a stranger's file of some KiB have the limits of one of any size.
pub(super) fn bytes_of(path: &Path) -> u64 {
    let stored = |data: &Metadata| data.blocks().saturating_mul(512 * MOST_COMPRESSED);
    let of = |path: &Path| {
        std::fs::metadata(path).map_or(0, |data: Metadata| data.len().min(stored(&data)))
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_that_names_another_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        let with = |journal: &[u8]| {
            std::fs::write(folder.path().join("results.db-journal"), journal).expect("written");
            occupied(&path).map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(with(b""), Ok(()));
        assert_eq!(with(&[ANOTHER.to_vec(), vec![0; 504]].concat()), Ok(()));
        let told = with(&[b"/home/ada/letter".to_vec(), ANOTHER.to_vec()].concat());
        let told = told.expect_err("it names another file");
        assert!(told.ends_with("-journal` is a journal of several databases"), "{told}");
    }

    #[test]
    fn a_hole_in_a_file_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        std::fs::write(&path, [1; 10_000]).expect("written");
        assert_eq!(bytes_of(&path), 10_000);
        for name in ["results.db", "results.db-wal"] {
            let mut options = std::fs::OpenOptions::new();
            let file = options.create(true).append(true).open(folder.path().join(name));
            let file = file.expect("opened");
            file.set_len(1 << 40).expect("longer");
        }
        assert!((10_000..1 << 20).contains(&bytes_of(&path)), "{}", bytes_of(&path));
    }
}
