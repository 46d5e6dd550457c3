//! One run, and one server, at a time on a database.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::place::with_suffix;
use super::{Store, StoreError};

/// How long the lock of a run that was killed is waited for. A process it was
/// just starting holds the lock, too, until it has become a launcher.
const PATIENCE: Duration = Duration::from_secs(2);

/// The right to run or to serve on a database. Given back when dropped, and by the kernel
/// when the process ends in whatever way.
#[derive(Debug)]
pub struct RunLock {
    _file: File,
}

impl Store {
    /// Takes the right to run: a lock on the file `<database>.lock`, which
    /// stays where it is and holds the number of the process.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] when another run has it, [`StoreError::ReadOnly`]
    /// when the folder cannot be written.
    pub fn lock_for_run(&self) -> Result<RunLock, StoreError> {
        self.lock(".lock")
    }

    /// Takes the right to serve players with the accounts of this database: a lock on the
    /// file `<database>.server`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Locked`] when another server has it, otherwise as
    /// [`Store::lock_for_run`].
    pub fn lock_for_server(&self) -> Result<RunLock, StoreError> {
        self.lock(".server")
    }

    fn lock(&self, ending: &str) -> Result<RunLock, StoreError> {
        let mut file = open(self.path(), ending)?;
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

/// Says whether a run seems to be under way, without taking the lock.
pub(super) fn is_held(database: &Path) -> bool {
    let file = File::open(with_suffix(database, ".lock"));
    file.ok().and_then(|mut file| holder(&mut file)).is_some_and(is_alive)
}

/// Returns the process that took the lock last, when it said so.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn is_alive(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

fn open(database: &Path, ending: &str) -> Result<File, StoreError> {
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(with_suffix(database, ending));
    opened.map_err(|error| failed(database, error))
}

fn write_pid(file: &mut File) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}", std::process::id())
}

fn failed(database: &Path, error: std::io::Error) -> StoreError {
    let path = database.to_owned();
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly { path }
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::DiskFull { path },
        _ => StoreError::Io { path, source: Arc::new(error) },
    }
}
