//! Creation of a database: it appears with all its tables or not at all, even if a process is
//! killed.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use super::StoreError;
use super::database_path::folder_of;
use super::schema::migrate;

/// Makes an empty database with all tables at `path`, in one step. Where the file system cannot do
/// that, or another process was faster, this does nothing, and the process that opens the file
/// makes the tables in place.
///
/// # Errors
///
/// [`StoreError`] when the tables cannot be made.
pub(super) async fn create(path: &Path, options: SqliteConnectOptions) -> Result<(), StoreError> {
    let error = |error| StoreError::from_sqlx(path, error);
    let pool = SqlitePoolOptions::new().max_connections(1);
    let pool = pool.connect_with(options.in_memory(true)).await;
    let pool = pool.map_err(error)?;
    migrate(path, &pool).await?;
    let mut connection = pool.acquire().await.map_err(error)?;
    let mut database = connection.serialize(None).await.map_err(error)?.to_vec();
    if let Some(versions) = database.get_mut(VERSIONS) {
        versions.fill(WITH_WAL);
    }
    _ = publish(&database, path);
    Ok(())
}

/// Place of the versions for writing and reading in a database file.
const VERSIONS: Range<usize> = 18..20;
/// Version of a file with a write-ahead log. A file that begins with one has no rollback journal at
/// any instant, which a process that only reads could not undo after a kill.
const WITH_WAL: u8 = 2;

/// Writes a file without a name and names it once it is complete, so that a kill leaves nothing
/// behind.
fn publish(database: &[u8], path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).mode(0o666).custom_flags(OFlag::O_TMPFILE.bits());
    let mut file = options.open(folder_of(path))?;
    file.write_all(database)?;
    file.sync_all()?;
    let unnamed = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(AT_FDCWD, unnamed.as_str(), AT_FDCWD, path, AtFlags::AT_SYMLINK_FOLLOW)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_new_file_has_a_write_ahead_log_before_anybody_opens_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        create(&path, SqliteConnectOptions::new()).await.expect("made");
        let read_only = SqliteConnectOptions::new().filename(&path).read_only(true);
        let pool = SqlitePoolOptions::new().connect_with(read_only).await.expect("a database");
        let mode = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&pool);
        assert_eq!(mode.await.ok(), Some("wal".to_owned()));
    }
}
