//! Opening a database to read it: as it is at one moment, and where nothing can be written.

use std::path::Path;
use std::time::{Duration, Instant};

use async_recursion::async_recursion as boxed;
use sqlx::Connection as _;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePool};

use super::super::error::primary_code;
use super::super::place::{self, Moment};
use super::super::{Store, StoreError};
use super::{connect, connections};

/// How long whoever makes or removes the files that readers share is waited for.
const SHARED_FILES_TAKE: Duration = Duration::from_secs(1);

/// Opens a database to read it. In a folder that cannot be written it has no place for the files
/// that readers share; then it is read as it is at this moment, which is returned too.
pub(in super::super) async fn connect_to_read(
    path: &Path,
    options: SqliteConnectOptions,
) -> Result<(SqlitePool, Option<Moment>), StoreError> {
    let patient_until = Instant::now() + SHARED_FILES_TAKE;
    loop {
        let moment = Moment::of(path);
        let pool = connect(path, options.clone(), 4).await?;
        let tried = sqlx::query("SELECT count(*) FROM sqlite_schema").execute(&pool).await;
        let Err(error) = tried else { return Ok((pool, None)) };
        pool.close().await;
        let has_no_place = matches!(primary_code(&error), Some(8 | 14))
            && place::is_empty(&place::with_suffix(path, "-wal"));
        if !has_no_place {
            return Err(StoreError::from_sqlx(path, error));
        }
        if !place::is_in_a_folder_to_write(path) || Instant::now() >= patient_until {
            let pool = connect(path, options.immutable(true), 4).await?;
            return Ok((pool, Some(moment)));
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

impl Store {
    /// Opens the database once more, as it is at this moment: nothing of what is committed later is
    /// seen, so that all that is read of it belongs together. One thing is read at a time.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when the database cannot be read.
    #[boxed]
    pub async fn at_one_moment(&self) -> Result<Self, StoreError> {
        let options = self.readers.connect_options().as_ref().clone();
        let readers = connections(1).connect_with(options).await;
        let readers = readers.map_err(|error| self.error(error))?;
        let begun = begin_for_good(&readers).await;
        begun.map_err(|error| self.error(error))?;
        Ok(Self { readers, writer: None, ..self.clone() })
    }

    /// Says whether the database was opened as it was at one moment, and has changed since: it
    /// has to be opened again. So it is where its folder cannot be written.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.as_it_was.as_ref().is_some_and(|moment| Moment::of(&self.path) != *moment)
    }
}

/// Begins a transaction that lasts as long as the only connection of `readers`; what others begin
/// is a part of it.
async fn begin_for_good(readers: &SqlitePool) -> Result<(), sqlx::Error> {
    let mut connection = readers.acquire().await?;
    std::mem::forget((*connection).begin().await?);
    // It begins with what is read first.
    sqlx::query("SELECT count(*) FROM sqlite_schema").execute(&mut *connection).await?;
    Ok(())
}
