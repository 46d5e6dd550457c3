//! Migrations, which make the tables, and the comparison of a database's schema with them. A database
//! appears with all its tables or not at all, even if a process is killed.
//!
//! A stranger's database may have a view instead of a table, or a trigger that acts on insertions.
//! So only its list of objects is read, until that list has matched the migrations, text by text.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::LazyLock;

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use nix::unistd::linkat;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Row as _, SqlStr, SqliteConnection, SqlitePool};

use super::bounds::{LONGEST_OF_A_BOT, OF_A_BOT, READ_BY_ROWS, READ_WHOLE};
use super::chain::Inconsistency;
use super::database_path::{bytes_of, folder_of};
use super::{Access, Store, StoreError};

/// Every migration; `migrations/README.md` describes them.
static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| Migrator::with_migrations(vec![init()]));

fn init() -> Migration {
    let sql = SqlStr::from_static(include_str!("../../../migrations/0001_init.sql"));
    Migration::new(1, "init".into(), MigrationType::Simple, sql, false)
}

/// Returns the number of the newest migration that is known.
fn newest_known() -> i64 {
    MIGRATIONS.iter().map(|migration| migration.version).max().unwrap_or(0)
}

/// Applies the migrations. Another process that makes the same database may be faster, at worst for
/// every migration; the next attempt finds its tables.
pub(super) async fn migrate(path: &Path, writer: &SqlitePool) -> Result<(), StoreError> {
    for _ in MIGRATIONS.iter() {
        if MIGRATIONS.run(writer).await.is_ok() {
            return Ok(());
        }
    }
    MIGRATIONS.run(writer).await.map_err(|error| migration_error(path, error))
}

fn migration_error(path: &Path, error: sqlx::migrate::MigrateError) -> StoreError {
    use sqlx::migrate::MigrateError as Problem;
    let path = path.to_owned();
    match error {
        Problem::VersionMissing(version) => {
            StoreError::Newer { path, version, known: newest_known() }
        }
        Problem::VersionMismatch(version) => StoreError::Foreign { path, version },
        other => StoreError::from_sqlx(&path, sqlx::Error::Migrate(Box::new(other))),
    }
}

/// Application id in the header of every database of Joust: `Jous`.
const APPLICATION: i64 = 0x4a6f_7573;

/// Names of the objects that exist before the first migration.
const BEGUN: [&str; 2] = ["_sqlx_migrations", "sqlite_autoindex__sqlx_migrations_1"];

/// The most characters that are read of a name or statement, many times the longest one of Joust.
const LONGEST_TEXT: usize = 64 << 10;
/// The most objects that are read. It is far above the number in a database of Joust, because one
/// unknown object is enough for a refusal.
const MOST_OBJECTS: usize = 1000;

/// A table, index, view or trigger, by its kind and name, with the statements that make it.
type Objects = BTreeMap<(String, String), Vec<String>>;

/// Compares the statements of one object with those of the migrations.
fn compare(
    path: &Path,
    (kind, name): &(String, String),
    found: Option<&Vec<String>>,
    expected: Option<&Vec<String>>,
) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    let (path, object) = (path.to_owned(), format!("{kind} `{}`", joust_model::escaped(name)));
    Err(match (found, expected) {
        (None, _) => StoreError::Incomplete { path, what: object },
        (_, None) => StoreError::ForeignObject { path, object, problem: "is not of Joust" },
        _ => StoreError::ForeignObject { path, object, problem: "is not as Joust makes it" },
    })
}

/// Returns the objects that the migrations make, up to `version`.
async fn objects_of(version: i64) -> Result<Objects, sqlx::Error> {
    let options = SqliteConnectOptions::new().in_memory(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    let first = MIGRATIONS.iter().filter(|one| one.version <= version).cloned().collect();
    let made = Migrator::with_migrations(first).run(&pool).await;
    made.map_err(|error| sqlx::Error::Migrate(Box::new(error)))?;
    let objects = objects(&mut *pool.acquire().await?).await;
    pool.close().await;
    objects
}

/// Returns all objects. SQLite's own statistics tables are left out if they are as SQLite makes
/// them; a changed one could have a computed column that never ends.
async fn objects(connection: &mut SqliteConnection) -> Result<Objects, sqlx::Error> {
    let query = format!(
        "SELECT substr(type, 1, {LONGEST_TEXT}), substr(name, 1, {LONGEST_TEXT}), \
         substr(tbl_name || ' ' || coalesce(sql, ''), 1, {LONGEST_TEXT}) FROM sqlite_schema \
         WHERE coalesce(sql, '') NOT IN ('CREATE TABLE sqlite_stat1(tbl,idx,stat)', \
         'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)') LIMIT {MOST_OBJECTS}"
    );
    let rows: Vec<(String, String, String)> =
        sqlx::query_as(AssertSqlSafe(query)).fetch_all(connection).await?;
    let mut objects = Objects::new();
    for (kind, name, sql) in rows {
        objects.entry((kind, name)).or_default().push(sql);
    }
    Ok(objects)
}

impl Store {
    /// Examines a snapshot of the database before any other query.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when Joust has not made it, or another version has.
    pub(super) async fn check_schema(&self, access: Access) -> Result<(), StoreError> {
        let (error, path) = (|error| self.error(error), self.path());
        let mut moment = self.snapshot().await?;
        let mark = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *moment).await;
        let mark: i64 = mark.map_err(error)?;
        let found = objects(&mut moment).await.map_err(error)?;
        if mark != APPLICATION {
            // A process that was killed while making the database leaves at most these objects.
            let is_begun = found.keys().all(|(_, name)| BEGUN.contains(&name.as_str()));
            let path = path.to_owned();
            return match (is_begun, access) {
                (true, Access::CreateOrOpen) => Ok(()),
                (true, _) => Err(StoreError::NotADatabase { path, is: "an empty database" }),
                (false, _) => Err(StoreError::NotOurs(path)),
            };
        }
        // The table's definition is compared before its rows are read.
        let versions = ("table".to_owned(), "_sqlx_migrations".to_owned());
        let expected = objects_of(newest_known()).await.map_err(error)?;
        compare(path, &versions, found.get(&versions), expected.get(&versions))?;
        let version = self.newest_migration(&mut moment).await?;
        if version < newest_known() && access == Access::ReadOnly {
            let (path, known) = (path.to_owned(), newest_known());
            return Err(StoreError::Older { path, version, known });
        }
        let expected = objects_of(version).await.map_err(error)?;
        for object in expected.keys().chain(found.keys()) {
            compare(path, object, found.get(object), expected.get(object))?;
        }
        self.refuse_shared_pages(&mut moment, &READ_WHOLE).await?;
        self.refuse_long_names(&mut moment).await
    }

    /// Returns the newest migration of the database; fails if any of its migrations is unknown.
    async fn newest_migration(&self, moment: &mut SqliteConnection) -> Result<i64, StoreError> {
        let query = "SELECT version, success, checksum FROM _sqlx_migrations ORDER BY 1";
        let rows = sqlx::query(query).fetch_all(moment).await.map_err(|error| self.error(error))?;
        let (mut known, mut version) = (MIGRATIONS.iter(), 0);
        for row in &rows {
            let of_row: i64 = row.try_get("version").unwrap_or(i64::MAX);
            let (path, known) = (self.path().to_owned(), known.next());
            let Some(migration) = known.filter(|known| known.version >= of_row) else {
                return Err(StoreError::Newer { path, version: of_row, known: newest_known() });
            };
            let is_done: bool = row.try_get("success").unwrap_or(false);
            let checksum: &[u8] = row.try_get("checksum").unwrap_or_default();
            if migration.version != of_row || !is_done || *migration.checksum != *checksum {
                return Err(StoreError::Foreign { path, version: migration.version });
            }
            version = of_row;
        }
        Ok(version)
    }

    /// Refuses a database whose bots have longer names or owners than a manifest could give them.
    async fn refuse_long_names(&self, moment: &mut SqliteConnection) -> Result<(), StoreError> {
        let is_long = OF_A_BOT.map(|column| format!("octet_length({column}) > {LONGEST_OF_A_BOT}"));
        let query = format!("SELECT EXISTS (SELECT 1 FROM bots WHERE {})", is_long.join(" OR "));
        let query = sqlx::query_scalar(AssertSqlSafe(query));
        let is_long: bool = query.fetch_one(moment).await.map_err(|error| self.error(error))?;
        let problem = format!("a bot's name or owner has more than {} KiB", LONGEST_OF_A_BOT >> 10);
        if is_long { Err(self.damaged(problem)) } else { Ok(()) }
    }

    /// Refuses a database whose tables have more bytes than its file. Its rows share pages, and
    /// reading them could take unlimited memory.
    async fn refuse_shared_pages(
        &self,
        moment: &mut SqliteConnection,
        tables: &[(&str, &[&str])],
    ) -> Result<(), StoreError> {
        let sums = tables.iter().map(|(table, columns)| {
            let sums = columns.iter().map(|column| format!("total(octet_length({column}))"));
            format!("(SELECT {} FROM {table})", sums.collect::<Vec<_>>().join(" + "))
        });
        let sum = sums.collect::<Vec<_>>().join(" + ");
        let query = format!(
            "SELECT {sum} > min(?, page_count * page_size) FROM pragma_page_count, pragma_page_size"
        );
        let bytes = i64::try_from(bytes_of(self.path())).unwrap_or(i64::MAX);
        let query = sqlx::query_scalar(AssertSqlSafe(query)).bind(bytes);
        let is_larger: bool = query.fetch_one(moment).await.map_err(|error| self.error(error))?;
        let problem = "its rows have more bytes than its file".to_owned();
        if is_larger { Err(self.damaged(problem)) } else { Ok(()) }
    }

    /// Refuses a database that would be larger as a copy, because its rows share pages.
    pub(super) async fn refuse_growth(&self) -> Result<(), StoreError> {
        let tables: Vec<_> = READ_WHOLE.into_iter().chain(READ_BY_ROWS).collect();
        let mut moment = self.snapshot().await?;
        self.refuse_shared_pages(&mut moment, &tables).await
    }

    /// Reads the whole file and looks for damage.
    ///
    /// # Errors
    ///
    /// [`StoreError::Corrupted`] with the first damage found.
    pub async fn integrity_check(&self) -> Result<(), StoreError> {
        self.check_structure("PRAGMA integrity_check(1)").await?;
        let orphans = sqlx::query("PRAGMA foreign_key_check").fetch_all(&self.readers).await;
        let orphans = orphans.map_err(|error| self.error(error))?;
        let problem = format!("{} rows belong to rows that are not there", orphans.len());
        if orphans.is_empty() { Ok(()) } else { Err(self.damaged(problem)) }
    }

    /// Returns the first structural damage, including that of indexes, as an inconsistency: an
    /// index without one of its entries hides a row.
    pub(super) async fn structure_problem(&self) -> Result<Option<Inconsistency>, StoreError> {
        match self.check_structure("PRAGMA integrity_check(1)").await {
            Ok(()) => Ok(None),
            Err(StoreError::Corrupted { path, problem }) => {
                let (row, problem) = (path.display().to_string(), format!("damaged: {problem}"));
                Ok(Some(Inconsistency { row, problem }))
            }
            Err(other) => Err(other),
        }
    }

    /// Finds damage of the structure with a pragma.
    pub(super) async fn check_structure(&self, pragma: &'static str) -> Result<(), StoreError> {
        let found: Vec<String> = sqlx::query_scalar(pragma)
            .fetch_all(&self.readers)
            .await
            .map_err(|error| self.error(error))?;
        match found.into_iter().find(|line| line != "ok") {
            None => Ok(()),
            Some(problem) => Err(self.damaged(problem)),
        }
    }

    /// Returns the error of a damaged database.
    pub(super) fn damaged(&self, problem: String) -> StoreError {
        StoreError::Corrupted { path: self.path().to_owned(), problem }
    }
}

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
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::PathBuf;

    use sqlx::Connection as _;
    use sqlx::sqlite::SqliteConnection;

    use super::*;

    /// Makes a database and changes it with SQL statements.
    async fn changed_by(statements: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.db");
        Store::open(&path, Access::CreateOrOpen).await.expect("a database").close().await;
        let options = SqliteConnectOptions::new().filename(&path).foreign_keys(false);
        let mut changed = SqliteConnection::connect_with(&options).await.expect("opened");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statements))
            .execute(&mut changed)
            .await
            .expect("changed");
        changed.close().await.expect("closed");
        (folder, path)
    }

    /// Returns the error of opening a database that SQL statements have changed.
    async fn opened_after(statements: &str) -> StoreError {
        let (_folder, path) = changed_by(statements).await;
        Store::open(&path, Access::ReadOnly).await.expect_err("refused")
    }

    #[tokio::test]
    async fn a_database_that_would_grow_is_not_copied() {
        let (folder, path) = changed_by(
            "INSERT INTO sources VALUES (x'00', x'00', hex(zeroblob(1000000)), NULL, NULL, NULL);
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET rootpage =
                 (SELECT rootpage FROM sqlite_schema WHERE name = 'sources')
             WHERE name = 'logs';",
        )
        .await;
        let copied = Store::copy(&path, &folder.path().join("copy.db")).await;
        let told = copied.expect_err("it is refused").to_string();
        assert!(told.ends_with("is damaged: its rows have more bytes than its file"), "{told}");
    }

    #[tokio::test]
    async fn rows_that_share_pages_are_refused() {
        let error = opened_after(
            "INSERT INTO sources VALUES (x'00', x'00', 'a', hex(zeroblob(1000000)), NULL, NULL);
             PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET rootpage =
                 (SELECT rootpage FROM sqlite_schema WHERE name = 'sources')
             WHERE name = 'decisions';",
        );
        let told = error.await.to_string();
        assert!(told.ends_with("is damaged: its rows have more bytes than its file"), "{told}");
    }

    #[tokio::test]
    async fn names_longer_than_a_manifest_are_refused() {
        let bot = |owner: &str| {
            format!(
                "INSERT INTO bots (event, name, author, owner, language, registration, example, entered) \
                 VALUES ('e', 'a', '', {owner}, '', 0, 0, 0)"
            )
        };
        let error = opened_after(&bot("hex(zeroblob(32769))")).await.to_string();
        assert!(error.ends_with("a bot's name or owner has more than 64 KiB"), "{error}");
        let (_folder, path) = changed_by(&bot("hex(zeroblob(32768))")).await;
        assert!(Store::open(&path, Access::ReadOnly).await.is_ok());
    }

    #[tokio::test]
    async fn more_objects_or_longer_ones_than_joust_has_are_refused() {
        let view = |number: usize| format!("CREATE VIEW v{number} AS SELECT 1;");
        let many: String = (0..3000).map(view).collect();
        let long = format!("CREATE VIEW v AS SELECT 1 /* {} */;", "x".repeat(1 << 20));
        for statements in [many, long] {
            let error = opened_after(&statements).await;
            assert!(matches!(error, StoreError::ForeignObject { .. }), "{error}");
        }
    }

    #[test]
    fn every_file_of_the_folder_is_a_migration() {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations"));
        let names = fs::read_dir(folder).expect("it is there").map(|entry| {
            entry.expect("it can be read").file_name().into_string().expect("a plain name")
        });
        let files: BTreeSet<String> = names.filter(|name| name.ends_with(".sql")).collect();
        let known: BTreeSet<String> = MIGRATIONS
            .iter()
            .map(|one| format!("{:04}_{}.sql", one.version, one.description))
            .collect();
        assert_eq!(files, known);
        for one in MIGRATIONS.iter() {
            let name = format!("{:04}_{}.sql", one.version, one.description);
            let text = fs::read_to_string(folder.join(name)).expect("it can be read");
            assert_eq!(one.sql.as_str(), text);
        }
    }

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
