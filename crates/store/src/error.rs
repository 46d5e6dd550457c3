//! Errors of a database, with advice on what to do about them.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use joust_model::{BoutId, escaped};

use super::database_path::{folder_of, is_in_a_folder_to_write, is_on_a_full_disk};

/// Failure of a database.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error("there is no database at `{}`", .0.display())]
    NotThere(PathBuf),
    /// The file is no SQLite database.
    #[error("`{}` is {is}", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// The kind of file: `a folder, not a database`.
        is: &'static str,
    },
    /// The file is some other program's database.
    #[error("`{}` is a database of another program", .0.display())]
    NotOurs(PathBuf),
    /// The file is damaged.
    #[error("database `{}` is damaged: {problem}", path.display())]
    Corrupted {
        /// The database.
        path: PathBuf,
        /// The first damage found.
        problem: String,
    },
    /// A table or a column that every database has is not there.
    #[error("database `{}` is damaged: its {what} is missing", path.display())]
    Incomplete {
        /// The database.
        path: PathBuf,
        /// The missing object, such as "table `seats`".
        what: String,
    },
    /// The database has a table, index, view or trigger that Joust has not made.
    #[error("database `{}` cannot be trusted: {object} {problem}", path.display())]
    ForeignObject {
        /// The database.
        path: PathBuf,
        /// Kind and name, such as "view `bouts`".
        object: String,
        /// The problem with it.
        problem: &'static str,
    },
    /// Reading was stopped.
    #[error("reading database `{}` was stopped", .0.display())]
    Stopped(PathBuf),
    /// A newer Joust has changed the tables.
    #[error(
        "database `{}` is of a newer version: it has schema {version}, this program knows {known}",
        path.display()
    )]
    Newer {
        /// The database.
        path: PathBuf,
        /// The newest migration of the database.
        version: i64,
        /// The newest migration that this program knows.
        known: i64,
    },
    /// The tables are not up to date, and nothing may be written.
    #[error(
        "database `{}` is of an older version: it has schema {version}, this program needs {known}",
        path.display()
    )]
    Older {
        /// The database.
        path: PathBuf,
        /// The newest migration it has.
        version: i64,
        /// The newest migration that is known.
        known: i64,
    },
    /// A migration differs from the one that was applied.
    #[error("database `{}` was made by another build of Joust: schema {version} differs", path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
        /// The migration that differs.
        version: i64,
    },
    /// Another run works on it.
    #[error("database `{}` is in use by another run{}", path.display(), by(*pid))]
    Locked {
        /// The database.
        path: PathBuf,
        /// The process that holds it, if the lock file names it.
        pid: Option<u32>,
    },
    /// Another program kept the database locked for too long.
    #[error("database `{}` is kept locked by another program", .0.display())]
    Busy(PathBuf),
    /// The database cannot be written.
    #[error("database `{}` is read-only", .0.display())]
    ReadOnly(PathBuf),
    /// Files beside the database cannot be written.
    #[error("the folder of database `{}` is read-only", .0.display())]
    ReadOnlyFolder(PathBuf),
    /// Its file system has no locks or no shared memory.
    #[error("the file system of database `{}` has no locks or no shared memory", .0.display())]
    NoLocks(PathBuf),
    /// The machine refuses to start a thread, which every connection needs.
    #[error("no thread could be started for database `{}`", .0.display())]
    NoThread(PathBuf),
    /// Another program was killed during a change, which only a writer can roll back.
    #[error("database `{}` is in the middle of a change", .0.display())]
    Unfinished(PathBuf),
    /// There is no room left.
    #[error("the disk of database `{}` is full", .0.display())]
    DiskFull(PathBuf),
    /// The file cannot be read or written.
    #[error("cannot use database `{}`", path.display())]
    Io {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// A row has a value that Joust never writes.
    #[error("impossible value in table `{table}`, column `{column}`, row `{row}`: {problem}")]
    ImpossibleRow {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
        /// The row's key.
        row: String,
        /// The problem with it.
        problem: String,
    },
    /// A result differs from what was recorded.
    #[error("bout `{bout}` of database `{}` was changed after it was recorded", path.display())]
    Changed {
        /// The database.
        path: PathBuf,
        /// The bout.
        bout: BoutId,
    },
    /// A result does not belong to the plan it came with.
    #[error("result of bout `{bout}` does not fit its plan: {problem}")]
    Misfit {
        /// The bout.
        bout: BoutId,
        /// The difference.
        problem: &'static str,
    },
    /// There is no such event.
    #[error("there is no event `{event}` in database `{}`", path.display())]
    NoEvent {
        /// The database.
        path: PathBuf,
        /// The event.
        event: String,
    },
    /// There is no such bot.
    #[error("there is no bot `{bot}` in event `{event}`")]
    NoBot {
        /// The event.
        event: String,
        /// The bot.
        bot: String,
    },
    /// There is no such bout.
    #[error("there is no bout `{bout}` in database `{}`", path.display())]
    NoBout {
        /// The database.
        path: PathBuf,
        /// The bout.
        bout: BoutId,
    },
    /// Several bouts begin with these digits.
    #[error("several bouts begin with `{prefix}`")]
    Ambiguous {
        /// The digits.
        prefix: String,
        /// Some of the bouts.
        bouts: Vec<BoutId>,
    },
    /// Storing failed because of a bug in Joust.
    #[error("database `{}` could not be written: {text}", path.display())]
    Panicked {
        /// The database.
        path: PathBuf,
        /// The text of the panic.
        text: String,
    },
    /// SQLite failed for a reason that has no variant of its own.
    #[error("database `{}` refused a request", path.display())]
    Sql {
        /// The database.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Arc<dyn std::error::Error + Send + Sync>,
    },
}

fn by(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

impl StoreError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::NotThere { .. } => {
                "`joust run` makes it; `database:` in the tournament file names it"
            }
            Self::NotADatabase { .. } | Self::NotOurs { .. } => {
                "name another file, one that Joust has written or a new one; this one \
                 was left as it is"
            }
            Self::Corrupted { .. } => {
                "keep a copy of it; `joust merge repaired.db` with its name saves what can still be \
                 read; or move it away and run again"
            }
            Self::Incomplete { .. } => {
                "something other than Joust removed it: go on with a copy of before, or move the file away and run again, \
                 which plays every bout again"
            }
            Self::ForeignObject { .. } => {
                "somebody other than Joust changed it: ask for the file as Joust wrote it, or remove \
                 what was added with `sqlite3`"
            }
            Self::Stopped { .. } => {
                "without a signal it took far longer than a database of its size does: the file is \
                 damaged, or was made to hold its reader"
            }
            Self::ReadOnlyFolder(path) => {
                let folder = folder_of(path).display();
                return Some(format!(
                    "make `{folder}` writable, or name a database elsewhere with `database:`"
                ));
            }
            Self::NoLocks { .. } => {
                "put the database on a local disk, and name it with `database:`"
            }
            Self::NoThread { .. } => {
                "raise the limit of processes (`ulimit -u`, a container's `pids` limit)"
            }
            Self::Unfinished(path) => {
                return Some(format!("`sqlite3 {} .tables` undoes the change", path.display()));
            }
            Self::Newer { .. } => "use the newer Joust that wrote it",
            Self::Older { .. } => {
                "the next `joust run` on it brings its tables up to date and changes no result; the \
                 older program cannot read it then"
            }
            Self::Foreign { .. } => {
                "use the Joust that made it, or name a new file with `database:`"
            }
            Self::Locked { .. } => "wait for the other run, or stop it",
            Self::Busy { .. } => "close the program that has it open and try again",
            Self::ReadOnly { .. } => "make the file writable, or name another with `database:`",
            Self::DiskFull { .. } => "free some space and run again; every finished bout is kept",
            Self::Panicked { .. } => {
                "a mistake in Joust: please report it; what was stored is kept; run the same command to continue"
            }
            Self::Ambiguous { bouts, .. } => {
                let names: Vec<_> = bouts.iter().map(|bout| format!("`{bout}`")).collect();
                return Some(format!("give more digits: {}", names.join(", ")));
            }
            Self::Changed { .. } => "`joust verify` names every row that was changed by hand",
            Self::ImpossibleRow { .. } => {
                "the file was changed by hand or is damaged; `joust verify` checks every bout"
            }
            Self::Io { path, .. } => {
                let folder = folder_of(path).display();
                return Some(format!(
                    "`{folder}` must exist and be writable, or name another database with `database:`"
                ));
            }
            Self::Sql { .. } | Self::Misfit { .. } => return None,
            Self::NoEvent { .. } | Self::NoBot { .. } | Self::NoBout { .. } => return None,
        };
        Some(hint.to_owned())
    }

    /// Converts an error of SQLite about the database at `path`.
    pub(super) fn from_sqlx(path: &Path, error: sqlx::Error) -> Self {
        let error = cause(error);
        let path = path.to_owned();
        if let Some(what) = missing(&message(&error)) {
            return Self::Incomplete { path, what };
        }
        if matches!(&error, sqlx::Error::Io(error) if error.kind() == ErrorKind::WouldBlock) {
            return Self::NoThread(path);
        }
        match primary_code(&error) {
            Some(5 | 6) => Self::Busy(path),
            Some(9) => Self::Stopped(path),
            Some(11) => Self::Corrupted { path, problem: message(&error) },
            Some(13) => Self::DiskFull(path),
            Some(26) => Self::NotADatabase { path, is: "not a database" },
            Some(8 | 10 | 14 | 15) => Self::of_the_system(path, error),
            _ => Self::Sql { path, source: Arc::new(error) },
        }
    }

    /// Converts an I/O error of SQLite by its cause in the system.
    fn of_the_system(path: PathBuf, error: sqlx::Error) -> Self {
        let code = extended_code(&error).unwrap_or_default();
        let unreadable = || File::open(&path).err().filter(|it| it.kind() != ErrorKind::NotFound);
        match code & 0xff {
            _ if is_on_a_full_disk(&path) => Self::DiskFull(path),
            8 if code == READONLY_ROLLBACK => Self::Unfinished(path),
            8 if is_in_a_folder_to_write(&path) => Self::ReadOnly(path),
            8 => Self::ReadOnlyFolder(path),
            15 => Self::NoLocks(path),
            10 if WITHOUT_LOCKS.contains(&code) => Self::NoLocks(path),
            14 if let Some(error) = unreadable() => Self::io(&path, error),
            14 if folder_of(&path).is_dir() && !is_in_a_folder_to_write(&path) => {
                Self::ReadOnlyFolder(path)
            }
            _ => Self::Io { path, source: Arc::new(error) },
        }
    }

    /// Converts an I/O error about the database at `path`.
    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull(path),
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnlyFolder(path),
            _ => Self::Io { path, source: Arc::new(error) },
        }
    }
}

/// Code of SQLite: a change has to be rolled back, and the file cannot be written.
const READONLY_ROLLBACK: u32 = 8 | 3 << 8;

/// Codes of SQLite for trouble with locks (opened, tested, taken) and with shared memory.
const WITHOUT_LOCKS: [u32; 8] = [
    10 | 9 << 8,
    10 | 14 << 8,
    10 | 15 << 8,
    10 | 8 << 8,
    10 | 18 << 8,
    10 | 19 << 8,
    10 | 20 << 8,
    10 | 21 << 8,
];

/// Returns SQLite's own error when migrations failed.
fn cause(error: sqlx::Error) -> sqlx::Error {
    use sqlx::migrate::MigrateError as Problem;
    match error {
        sqlx::Error::Migrate(problem) => match *problem {
            Problem::Execute(error) | Problem::ExecuteMigration(error, _) => error,
            other => sqlx::Error::Migrate(Box::new(other)),
        },
        other => other,
    }
}

/// Returns SQLite's primary result code, without its extension.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<u32> {
    extended_code(error).map(|code| code & 0xff)
}

fn extended_code(error: &sqlx::Error) -> Option<u32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// Returns the table or column that a query needs and the database lacks.
fn missing(message: &str) -> Option<String> {
    let (kind, name) = message.strip_prefix("no such ")?.split_once(": ")?;
    Some(format!("{kind} `{}`", name.trim_start_matches("main.")))
}

/// Returns the message of SQLite, which may quote contents of the file.
fn message(error: &sqlx::Error) -> String {
    error.as_database_error().map(|error| escaped(error.message())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// An error code of SQLite.
    #[derive(Debug, thiserror::Error)]
    #[error("disk I/O error")]
    struct ErrorCode(u32);

    impl sqlx::error::DatabaseError for ErrorCode {
        fn message(&self) -> &str {
            "disk I/O error"
        }

        fn code(&self) -> Option<Cow<'_, str>> {
            Some(self.0.to_string().into())
        }

        fn as_error(&self) -> &(dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn as_error_mut(&mut self) -> &mut (dyn std::error::Error + Send + Sync + 'static) {
            self
        }

        fn into_error(self: Box<Self>) -> Box<dyn std::error::Error + Send + Sync + 'static> {
            self
        }

        fn kind(&self) -> sqlx::error::ErrorKind {
            sqlx::error::ErrorKind::Other
        }
    }

    fn message_with_hint(error: sqlx::Error) -> String {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("results.db");
        let error = StoreError::from_sqlx(&path, error);
        let hint = error.hint().unwrap_or_default();
        format!("{error}; {hint}").replace(&*path.to_string_lossy(), "results.db")
    }

    #[test]
    fn a_machine_that_starts_no_thread_is_named() {
        let error = io::Error::from(ErrorKind::WouldBlock);
        let shown = message_with_hint(sqlx::Error::Io(error));
        assert!(shown.starts_with("no thread could be started for database"), "{shown}");
        assert!(
            shown.ends_with(
                "raise the limit of processes (`ulimit -u`, a container's `pids` limit)"
            )
        );
    }

    #[test]
    fn a_file_system_without_locks_or_shared_memory_is_named() {
        for code in WITHOUT_LOCKS.into_iter().chain([15]) {
            let shown = message_with_hint(sqlx::Error::database(ErrorCode(code)));
            let named = "the file system of database `results.db` has no locks or no shared memory";
            assert!(shown.starts_with(named), "{code}: {shown}");
            assert!(
                shown.ends_with("put the database on a local disk, and name it with `database:`")
            );
        }
    }

    #[test]
    fn a_disk_without_room_is_called_full_and_no_reader_is_blamed() {
        let shown = message_with_hint(sqlx::Error::database(ErrorCode(13)));
        let named = "the disk of database `results.db` is full; free some space and run again";
        assert!(shown.starts_with(named), "{shown}");
    }
}
