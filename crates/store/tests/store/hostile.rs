//! Malicious databases, which try to block, mislead or crash their readers.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use joust_store::shard::merge;
use joust_store::{Access, BoutPlace, CheckScope, Ledger, Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Row, SqliteConnection};

use crate::chain::eventful;
use crate::fixtures::{EVENT, event, played};

async fn by_hand(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).foreign_keys(false);
    options.connect().await.expect("a connection")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// A recursion without an end, in the place of a table.
const ENDLESS: [&str; 2] = [
    "ALTER TABLE tournament RENAME TO t; CREATE VIEW tournament AS WITH RECURSIVE n(i) AS \
     (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS id, '' AS name, 0 AS seed, \
     0 AS seed_is_drawn FROM n",
    "DROP TABLE _sqlx_migrations; CREATE VIEW _sqlx_migrations AS WITH RECURSIVE n(i) AS \
     (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS version, 1 AS success, \
     x'' AS checksum FROM n",
];

#[tokio::test]
async fn a_view_that_never_ends_is_never_asked() {
    for sql in ENDLESS {
        let fresh = eventful().await;
        fresh.store.close().await;
        let mut connection = by_hand(&fresh.path()).await;
        sqlx::raw_sql(sql).execute(&mut connection).await.expect(sql);
        connection.close().await.expect("closed");
        for access in [Access::ReadOnly, Access::MustExist, Access::CreateOrOpen] {
            let refused = Store::open(&fresh.path(), access).await.expect_err(sql);
            let is_named =
                matches!(refused, StoreError::ForeignObject { .. } | StoreError::Incomplete { .. });
            assert!(is_named, "{sql}: {refused}");
        }
        let to = beside(&fresh.path(), ".copy");
        assert!(Store::copy(&fresh.path(), &to).await.is_err() && !to.exists());
        assert!(merge(&to, &[fresh.path()]).await.is_err() && !to.exists());
    }
}

/// Statement that replaces SQLite's statistics, which it reads when it opens a database, with
/// computed ones.
const COMPUTED: &str = "ANALYZE; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = \
    'CREATE TABLE sqlite_stat1(tbl,idx,x,stat GENERATED ALWAYS AS (hex(zeroblob(10))) VIRTUAL)' \
    WHERE name = 'sqlite_stat1'";

#[tokio::test]
async fn counts_of_sqlite_are_never_computed() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let mut connection = by_hand(&fresh.path()).await;
    sqlx::raw_sql(COMPUTED).execute(&mut connection).await.expect("changed");
    connection.close().await.expect("closed");
    for access in [Access::ReadOnly, Access::MustExist, Access::CreateOrOpen] {
        let refused = Store::open(&fresh.path(), access).await.expect_err("computed").to_string();
        assert!(refused.ends_with("table `sqlite_stat1` is not of Joust"), "{refused}");
    }
}

#[tokio::test]
async fn pipes_and_links_beside_a_database_are_not_opened() {
    for suffix in ["-wal", "-shm", "-journal"] {
        let fresh = eventful().await;
        fresh.store.close().await;
        let file = beside(&fresh.path(), suffix);
        _ = std::fs::remove_file(&file);
        let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo runs");
        assert!(made.success());
        for access in [Access::ReadOnly, Access::MustExist, Access::CreateOrOpen] {
            let refused = Store::open(&fresh.path(), access).await.expect_err("a pipe").to_string();
            assert!(refused.ends_with("is a pipe, not a database"), "{refused}");
        }
        std::fs::remove_file(&file).expect("removed");
        symlink("/dev/zero", &file).expect("a link");
        let refused = Store::open(&fresh.path(), Access::ReadOnly).await.expect_err("a link");
        assert!(refused.to_string().ends_with("is a link, not a file of a database"), "{refused}");
        std::fs::remove_file(&file).expect("removed");
        let other = fresh.path().with_file_name("other");
        std::fs::write(&other, "text").expect("written");
        std::fs::hard_link(&other, &file).expect("another name");
        let refused = Store::open(&fresh.path(), Access::ReadOnly).await.expect_err("two names");
        assert!(refused.to_string().contains("is a file with several names"), "{refused}");
        assert_eq!(std::fs::read(&other).expect("read"), b"text");
    }
}

/// Reads everything that commands read of a database, and merges it into another one.
async fn read_everything(path: &Path) -> Result<(), StoreError> {
    let store = Store::open(path, Access::ReadOnly).await?;
    let summary = store.summary().await?;
    let mut ledger = store.ledger().await?;
    let mut last = i64::MIN;
    loop {
        let page = store.page_after(last).await?;
        let Some(newest) = page.newest else { break };
        last = newest;
        page.assemble()?.iter().for_each(|recorded| _ = ledger.check(recorded));
    }
    store.close_ledger(ledger, CheckScope::Everything).await?;
    for event in &summary.events {
        store.event(&event.id).await?;
        store.results(&event.id).await?;
        store.versions(&event.id).await?;
        store.mean_duration(&event.id).await?;
        store.referee_errors(&event.id).await?;
        store.past(&event.id, 0).await?;
        store.ended_after(&event.id, 0).await?;
        store.fold_in_order(&event.id, 0, |count, _| *count += 1).await?;
        let places: Vec<BoutPlace> =
            (0..3).map(|number| BoutPlace::of(&played(["anna", "bert"], 0, number).0)).collect();
        store.done(&event.id, &places).await?;
    }
    for event in store.events().await? {
        for bout in store.finished(&event.id).await?.into_keys() {
            let stored = store.bout(&bout.to_string()).await?;
            if let Some(stored) = stored {
                assert!(stored.result.took < Duration::from_secs(400 * 24 * 3600));
            }
            store.history(bout).await?;
        }
    }
    for build in store.builds().await? {
        store.source(&build.hash).await?;
    }
    store.calibrations("here").await?;
    store.links_after(0).await?;
    store.close().await;
    Ok(())
}

/// Every column with a number, by table.
async fn numbers(path: &Path) -> Vec<(String, String)> {
    let mut connection = by_hand(path).await;
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let tables: Vec<String> =
        sqlx::query_scalar(tables).fetch_all(&mut connection).await.expect("read");
    let mut columns = Vec::new();
    for table in tables {
        let info = sqlx::query(sqlx::AssertSqlSafe(format!("PRAGMA table_info({table})")));
        for row in info.fetch_all(&mut connection).await.expect("read") {
            if matches!(row.get("type"), "INTEGER" | "BIGINT") {
                columns.push((table.clone(), row.get("name")));
            }
        }
    }
    connection.close().await.expect("closed");
    columns
}

#[tokio::test]
async fn numbers_at_the_ends_of_their_range_hold_nobody_and_are_named() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let columns = numbers(&fresh.path()).await;
    assert!(columns.len() > 50, "{columns:?}");
    for (table, column) in columns {
        for value in [i64::MAX, i64::MIN, -1, i64::from(u32::MAX)] {
            // A connection that was refused may still be closing, and its journal be there.
            let name = format!("{table}-{column}-{value}.db");
            let copy = fresh.path().with_file_name(&name);
            std::fs::copy(fresh.path(), &copy).expect("copied");
            let mut connection = by_hand(&copy).await;
            let sql = format!(
                "PRAGMA ignore_check_constraints = ON; UPDATE {table} SET {column} = {value} \
                 WHERE rowid = (SELECT max(rowid) FROM {table})"
            );
            let rowless = ["bots", "builds", "calibrations", "seats", "accounts"];
            let sql = match rowless.contains(&table.as_str()) {
                true => format!("UPDATE OR IGNORE {table} SET {column} = {value}"),
                false => sql,
            };
            let changed = sqlx::raw_sql(sqlx::AssertSqlSafe(sql.clone()));
            changed.execute(&mut connection).await.expect(&sql);
            connection.close().await.expect("closed");
            let reading = tokio::time::timeout(Duration::from_secs(60), read_everything(&copy));
            let read = reading.await.unwrap_or_else(|_| panic!("{sql}: it never ends"));
            if let Err(StoreError::ImpossibleRow { table: named, row, .. }) = &read {
                assert!(!row.is_empty() && !named.is_empty(), "{sql}: {read:?}");
            }
            let to = fresh.path().with_file_name(format!("joined-{name}"));
            let inputs = [copy.clone()];
            let joining = tokio::time::timeout(Duration::from_secs(60), merge(&to, &inputs));
            // It may be refused.
            _ = joining.await.unwrap_or_else(|_| panic!("{sql}: joining never ends"));
            _ = (std::fs::remove_file(&to), std::fs::remove_file(&copy));
        }
    }
}

#[tokio::test]
async fn an_out_of_range_value_names_table_column_and_row() {
    let cases = [
        (
            "UPDATE bouts SET started_at = 9223372036854775807",
            "table `bouts`, column `started_at`, row `3`: `9223372036854775807` is out of range",
        ),
        (
            "UPDATE seats SET cpu_ns = 9223372036854775807",
            "table `seats`, column `cpu_ns`, row `3`: `9223372036854775807` is out of range",
        ),
        (
            "UPDATE seats SET score_millionths = -9223372036854775808",
            "table `seats`, column `score_millionths`, row `3`: `-9223372036854775808` is out of range",
        ),
        (
            "UPDATE bouts SET match_number = 9223372036854775807",
            "table `bouts`, column `match_number`, row `3`: `9223372036854775807` is out of range",
        ),
    ];
    for (sql, expected) in cases {
        let fresh = eventful().await;
        fresh.store.close().await;
        let mut connection = by_hand(&fresh.path()).await;
        sqlx::query(sql).execute(&mut connection).await.expect(sql);
        connection.close().await.expect("closed");
        let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
        let page = store.bouts_after(2).await.expect("read");
        let error = page.into_iter().next().expect("a bout").stored.expect_err(sql).to_string();
        assert!(error.ends_with(expected), "{error}");
    }
}

/// Numbers and lists in JSON that would block their reader, with their names in the error.
#[tokio::test]
async fn an_out_of_range_value_in_json_names_table_column_and_row() {
    let set = |path: &str, value: &str| format!("json_set(settings, '{path}', json('{value}'))");
    let settings = |what: &str, value: String| {
        let named = "table `events`, column `settings`, row `e`";
        (
            format!("UPDATE events SET settings = {value}"),
            format!("{named}: {what} is out of range"),
        )
    };
    let rounds = r#"{"kind":"swiss","rounds":4294967295}"#;
    let tie_breaks = format!("[{}]", vec![r#""points""#; 200_000].join(","));
    let options: Vec<String> = (0..2000).map(|it| format!(r#""k{it}":1"#)).collect();
    let options = format!("{{{}}}", options.join(","));
    let long = format!(r#"{{"k":"{}"}}"#, "x".repeat(65_536));
    for (sql, expected) in [
        settings("the rounds", set("$.schedule", rounds)),
        settings("the tie-breaks", set("$.tie_breaks", &tie_breaks)),
        settings("the options", set("$.options", &options)),
        settings("the options", set("$.options", &long)),
    ] {
        let fresh = changed(&sql).await;
        let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
        for read in [store.events().await.map(drop), store.event(EVENT).await.map(drop)] {
            let error = read.expect_err(&sql[..80]).to_string();
            let expected = expected.replace("row `e`", &format!("row `{EVENT}`"));
            assert!(error.ends_with(&expected), "{error}");
        }
    }
    let ages = r#"{"secs":18446744073709551615,"nanos":0}"#;
    let document = |column: &str, path: &str, value: &str| {
        format!(
            "UPDATE documents SET text = json_set(text, '{path}', json('{value}')) \
             WHERE id IN (SELECT {column} FROM bouts JOIN seats ON seats.bout = bouts.number)"
        )
    };
    for (sql, column, expected) in [
        (document("limits", "$.turn", ages), "limits", "a limit is out of range"),
        (document("limits", "$.cpu_bout", ages), "limits", "a limit is out of range"),
        (document("options", "$.k", &format!("\"{}\"", "x".repeat(65_536))), "options", "range"),
        (document("calibration", "$.spread", ages), "calibration", "a calibration is out of range"),
        (
            document("calibration", "$.measured_at", "-9223372036854775808"),
            "calibration",
            "a calibration is out of range",
        ),
        // What many rows share is no longer than that.
        (
            document("options", "$.k", &format!("\"{}\"", "x".repeat(1 << 20))),
            "options",
            "EOF while parsing a value at line 1 column 0",
        ),
    ] {
        let fresh = changed(&sql).await;
        let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
        let page = store.bouts_after(0).await.expect("read");
        let error = page.into_iter().next().expect("a bout").stored.expect_err(column).to_string();
        assert!(error.contains(&format!("column `{column}`")), "{error}");
        assert!(error.ends_with(expected), "{error}");
    }
}

/// Messages of SQLite quote the file.
#[tokio::test]
async fn no_control_character_of_a_file_is_shown() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let mut bytes = std::fs::read(fresh.path()).expect("read");
    let table = b"CREATE TABLE bots";
    let at = bytes.windows(table.len()).position(|it| it == table).expect("it is there");
    bytes[at + table.len() - 4..at + table.len()].copy_from_slice(b"\x1b[3m");
    std::fs::write(fresh.path(), bytes).expect("written");
    let shown =
        Store::open(&fresh.path(), Access::ReadOnly).await.expect_err("damaged").to_string();
    assert!(shown.contains("\\u{1b}") && !shown.contains('\x1b'), "{shown}");
}

/// Returns a database that was changed by hand.
async fn changed(sql: &str) -> crate::fixtures::Fresh {
    let fresh = eventful().await;
    fresh.store.close().await;
    let mut connection = by_hand(&fresh.path()).await;
    let change = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut connection);
    assert!(change.await.expect("changed").rows_affected() > 0);
    connection.close().await.expect("closed");
    fresh
}

/// Checks that no row follows the row with the greatest possible number.
#[tokio::test]
async fn the_last_row_that_can_be_is_read_once() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let mut connection = by_hand(&fresh.path()).await;
    let sql = "UPDATE bouts SET number = 9223372036854775807 WHERE number = 3";
    sqlx::query(sql).execute(&mut connection).await.expect(sql);
    connection.close().await.expect("closed");
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let page = store.page_after(3).await.expect("read");
    assert_eq!(page.newest, Some(i64::MAX));
    assert!(store.page_after(i64::MAX).await.expect("read").newest.is_none());
    let _: Ledger = store.ledger().await.expect("read");
}

#[tokio::test]
async fn paths_in_columns_are_texts() {
    let fresh = eventful().await;
    fresh.store.close().await;
    let folder = tempfile::tempdir().expect("a folder");
    let outside = folder.path().join("outside.db");
    let mut connection = by_hand(&fresh.path()).await;
    for (table, column) in [
        ("sources", "name"),
        ("sources", "place"),
        ("tournament", "name"),
        ("bots", "owner"),
        ("bouts", "machine"),
    ] {
        let set = format!("UPDATE {table} SET {column} = ?");
        let set = sqlx::query(sqlx::AssertSqlSafe(set)).bind(outside.display().to_string());
        set.execute(&mut connection).await.expect("changed");
    }
    connection.close().await.expect("closed");
    let inside = fresh.path().parent().expect("a folder").to_owned();
    let files = || std::fs::read_dir(&inside).expect("read").flatten().count();
    let (before, copy) = (files(), inside.join("copy.db"));
    read_everything(&fresh.path()).await.expect("texts are read");
    Store::copy(&fresh.path(), &copy).await.expect("copied");
    assert!(files() <= before + 3, "a copy and what SQLite keeps beside the database");
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 0);
    assert_eq!(
        Store::open(&copy, Access::ReadOnly).await.expect("opens").events().await.expect("read"),
        [event()]
    );
    assert!(!Path::new(EVENT).exists());
}
