//! Making of a database: whole under another name, then put in its place in one step.
//!
//! Whoever is killed in the middle leaves nothing at the database's own name; what is left
//! beside it is swept by the next who makes one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;

use super::open::PATIENCE;
use super::place;
use super::{Access, Store, StoreError};

/// The files that SQLite keeps beside a database.
const SIDE_FILES: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Makes the database at `path` unless somebody has, as `options` open it.
pub(super) async fn make(path: &Path, options: &SqliteConnectOptions) -> Result<(), StoreError> {
    let _alone = lock_folder(path).await;
    if !place::is_new(path, Access::CreateOrOpen)? {
        return Ok(());
    }
    let begun = place::with_suffix(path, ".making");
    sweep(&begun);
    let made = Store::make_whole(path, options.clone().filename(&begun)).await;
    let placed = match made {
        Ok(()) => put_in_place(&begun, path).map_err(|error| named(path, error)),
        Err(error) => Err(full_or(error, path, &begun)),
    };
    sweep(&begun);
    placed
}

/// Removes the second name of a database whose maker was killed between giving it its
/// own and taking the first away.
pub(super) fn sweep_second_name(path: &Path) {
    let begun = place::with_suffix(path, ".making");
    // Who makes one has the folder for itself.
    let folder = begun.exists().then(|| File::open(place::folder_of(path)).ok()).flatten();
    if folder.is_some_and(|folder| folder.try_lock().is_ok_and(|()| !place::is_empty(path))) {
        sweep(&begun);
    }
}

/// One process at a time makes databases in a folder. Where folders cannot be locked
/// whoever is last finds the other's.
async fn lock_folder(path: &Path) -> Option<File> {
    let folder = File::open(place::folder_of(path)).ok()?;
    let patient_until = Instant::now() + PATIENCE;
    while let Err(TryLockError::WouldBlock) = folder.try_lock() {
        if Instant::now() >= patient_until {
            return None;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Some(folder)
}

/// Gives a whole database its name, and never takes the name from another.
fn put_in_place(begun: &Path, path: &Path) -> io::Result<()> {
    File::open(begun)?.sync_all()?;
    // What an earlier database of that name has left would be taken for the new one's.
    SIDE_FILES.iter().for_each(|suffix| _ = fs::remove_file(place::with_suffix(path, suffix)));
    match fs::hard_link(begun, path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if fs::metadata(path)?.len() > 0 {
                return Ok(());
            }
            fs::rename(begun, path)?;
        }
        // Not every disk has links.
        Err(_) => fs::rename(begun, path)?,
    }
    File::open(place::folder_of(path))?.sync_all()
}

pub(super) fn sweep(begun: &Path) {
    let besides = SIDE_FILES.iter().map(|suffix| place::with_suffix(begun, suffix));
    for left in besides.chain([begun.to_owned(), probe(begun)]) {
        _ = fs::remove_file(left);
    }
}

/// SQLite has many names for a disk without room: whether that is what it meant
/// is found out by writing.
fn full_or(error: StoreError, path: &Path, begun: &Path) -> StoreError {
    if !matches!(error, StoreError::Io { .. } | StoreError::Sql { .. }) {
        return error;
    }
    let tried = File::create(probe(begun)).and_then(|mut file| {
        file.write_all(&[1; 1 << 16])?;
        file.sync_all()
    });
    match tried {
        Err(tried) if is_full(&tried) => StoreError::DiskFull { path: path.to_owned() },
        _ => error,
    }
}

fn probe(begun: &Path) -> PathBuf {
    place::with_suffix(begun, "-probe")
}

fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

fn named(path: &Path, error: io::Error) -> StoreError {
    let path = path.to_owned();
    if is_full(&error) {
        return StoreError::DiskFull { path };
    }
    StoreError::Io { path, source: Arc::new(error) }
}
