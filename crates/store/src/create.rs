//! Creation of a database: it appears with all its tables or not at all, even if a process is
//! killed.

use std::fs::OpenOptions;
use std::io::{self, Write};
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
    let database = connection.serialize(None).await.map_err(error)?;
    _ = publish(&database, path);
    Ok(())
}

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
