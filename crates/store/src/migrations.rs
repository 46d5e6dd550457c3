//! Migrations: what makes the tables, in the order of their numbers.

use std::sync::LazyLock;

use sqlx::SqlStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

/// Every migration, as `migrations/README.md` says.
pub(crate) static MIGRATIONS: LazyLock<Migrator> =
    LazyLock::new(|| Migrator::with_migrations(vec![init()]));

fn init() -> Migration {
    let sql = SqlStr::from_static(include_str!("../../../migrations/0001_init.sql"));
    Migration::new(1, "init".into(), MigrationType::Simple, sql, false)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::MIGRATIONS;

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
}
