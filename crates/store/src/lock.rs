//! Lock file of a database, which admits one run or server at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;

use super::database_path::{insist_on_file, with_suffix};
use super::{Store, StoreError};

/// The longest wait for the lock of a killed run. A process that the run was just starting inherits
/// the lock and holds it until it has become a launcher.
const PATIENCE: Duration = Duration::from_secs(2);

/// The lock of a run or server on a database. It is released when dropped, and by the kernel when
/// the process ends.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl Store {
    /// Takes the lock of a run or server: a lock on the file `<database>.lock`, which is never
    /// removed and contains the process id.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] when another process has it, [`StoreError::ReadOnlyFolder`] when the
    /// folder cannot be written.
    pub fn lock(&self) -> Result<RunLock, StoreError> {
        let mut file = open(self.path())?;
        let patient_until = Instant::now() + PATIENCE;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(error)) => return Err(failed(self.path(), error)),
                Err(TryLockError::WouldBlock) => {}
            }
            let holder = holder(&mut file);
            if holder.is_some_and(is_alive) || Instant::now() >= patient_until {
                return Err(StoreError::Locked { path: self.path().to_owned(), pid: holder });
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        write_pid(&mut file).map_err(|error| failed(self.path(), error))?;
        Ok(RunLock { _file: file })
    }
}

/// Returns the id of the process that took the lock last, if the file contains one.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn is_alive(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

/// Opens the lock file. A link is not followed: it would lead to a file that somebody else chose.
fn open(database: &Path) -> Result<File, StoreError> {
    let path = with_suffix(database, ".lock");
    insist_on_file(&path)?;
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .custom_flags(OFlag::O_NOFOLLOW.bits())
        .open(path);
    opened.map_err(|error| failed(database, error))
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn failed(database: &Path, error: std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnlyFolder(database.to_owned())
        }
        ErrorKind::Unsupported => StoreError::NoLocks(database.to_owned()),
        _ if error.raw_os_error() == Some(Errno::ENOLCK as i32) => {
            StoreError::NoLocks(database.to_owned())
        }
        _ => StoreError::io(database, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_in_place_of_the_lock_leads_to_no_other_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("precious"), "text").expect("written");
        std::os::unix::fs::symlink("precious", at("results.db.lock")).expect("linked");
        let error = open(&at("results.db")).expect_err("it is a link");
        let expected = "results.db.lock` is a link, not a file of a database";
        assert!(error.to_string().ends_with(expected), "{error}");
        assert_eq!(std::fs::read_to_string(at("precious")).expect("it is there"), "text");
        open(&at("other.db")).expect("a lock is made");
    }

    #[test]
    fn a_file_system_without_locks_and_a_read_only_one_are_told_apart() {
        let message = |errno: Errno| {
            let error = std::io::Error::from_raw_os_error(errno as i32);
            failed(Path::new("results.db"), error).to_string()
        };
        let without = "the file system of database `results.db` has no locks or no shared memory";
        assert_eq!([message(Errno::ENOLCK), message(Errno::EOPNOTSUPP)], [without, without]);
        let read_only = "the folder of database `results.db` is read-only";
        assert_eq!([message(Errno::EROFS), message(Errno::EACCES)], [read_only, read_only]);
        assert_eq!(message(Errno::ENOSPC), "the disk of database `results.db` is full");
    }
}
