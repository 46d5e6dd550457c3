//! Schema of a database compared with that of the migrations: what is kept, and
//! nothing that acts by itself.

use std::collections::BTreeMap;

use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{Row as _, SqlitePool};

use super::chain::Inconsistency;
use super::migrations::MIGRATIONS;
use super::{Store, StoreError};

/// Tables and columns that `verify` does not vouch for, and why; `*` is every column.
pub const OUTSIDE: [(&str, &str, &str); 5] = [
    ("accounts", "*", "belongs to a standing server, decides no bout, and changes with every game"),
    (
        "calibrations",
        "*",
        "the newest measurement, replaced by every run; what a bout was played with is chained with its seats",
    ),
    ("_sqlx_migrations", "description", "the name of a migration, for people"),
    ("_sqlx_migrations", "installed_on", "when the tables were made"),
    ("_sqlx_migrations", "execution_time", "how long that took"),
];

/// A table, index, view or trigger, by its kind and name, with the statement that
/// makes it.
type Objects = BTreeMap<(String, String), String>;

impl Store {
    /// Returns what differs from the tables that the migrations make: triggers, views,
    /// indexes and tables that were added, changed or are gone, and migrations that are
    /// said to be others.
    pub(super) async fn schema_problems(&self) -> Result<Vec<Inconsistency>, StoreError> {
        let error = |error| self.error(error);
        let found = objects(self.readers()).await.map_err(error)?;
        let expected = fresh_objects().await.map_err(error)?;
        let mut problems = Vec::new();
        let mut find = |(kind, name): &(String, String), problem: &str| {
            let row = format!("{kind} `{name}`");
            problems.push(Inconsistency { row, problem: problem.to_owned() });
        };
        for (object, sql) in &found {
            match expected.get(object) {
                Some(same) if same == sql => {}
                Some(_) => find(object, "is not as Joust makes it"),
                None => find(object, "not of Joust: it was added by hand"),
            }
        }
        for object in expected.keys().filter(|object| !found.contains_key(object)) {
            find(object, "gone");
        }
        problems.extend(self.migration_problems().await?);
        Ok(problems)
    }

    async fn migration_problems(&self) -> Result<Vec<Inconsistency>, StoreError> {
        let rows = sqlx::query("SELECT version, success, checksum FROM _sqlx_migrations")
            .fetch_all(self.readers())
            .await
            .map_err(|error| self.error(error))?;
        let mut known: BTreeMap<i64, &[u8]> =
            MIGRATIONS.iter().map(|one| (one.version, &*one.checksum)).collect();
        let mut problems = Vec::new();
        let mut find = |version, problem: &str| {
            let row = format!("row {version} of `_sqlx_migrations`");
            problems.push(Inconsistency { row, problem: problem.to_owned() });
        };
        for row in &rows {
            let version: i64 = row.try_get("version").unwrap_or(i64::MIN);
            let is_done: bool = row.try_get("success").unwrap_or(false);
            let checksum: Vec<u8> = row.try_get("checksum").unwrap_or_default();
            match known.remove(&version) {
                None => find(version, "there, but no migration of Joust"),
                Some(sum) if !is_done || sum != checksum => find(version, "changed by hand"),
                Some(_) => {}
            }
        }
        known.into_keys().for_each(|version| find(version, "gone"));
        Ok(problems)
    }
}

/// Returns what the migrations make.
async fn fresh_objects() -> Result<Objects, sqlx::Error> {
    let options = SqliteConnectOptions::new().in_memory(true);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await?;
    let made = MIGRATIONS.run(&pool).await;
    made.map_err(|error| sqlx::Error::Migrate(Box::new(error)))?;
    let objects = objects(&pool).await;
    pool.close().await;
    objects
}

/// What SQLite counts for itself (`sqlite_stat1`) only makes reading faster.
async fn objects(pool: &SqlitePool) -> Result<Objects, sqlx::Error> {
    let rows: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT type, name, tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema \
         WHERE NOT (type = 'table' AND name GLOB 'sqlite_stat[1-4]')",
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|(kind, name, sql)| ((kind, name), sql)).collect())
}
