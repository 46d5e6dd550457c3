//! A database is made whole or not at all, and stored rows soon move into its one file.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use joust_store::{Access, CheckpointOutcome, GroupCommitter, Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::chain::problems;
use crate::fixtures::{Fresh, played};

async fn by_hand(path: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(path).connect().await.expect("a connection")
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// Returns the number of bouts in the database file alone.
async fn bouts_in_the_file(path: &Path) -> i64 {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy.db");
    fs::copy(path, &copy).expect("copied");
    let mut connection = by_hand(&copy).await;
    let count = sqlx::query_scalar("SELECT count(*) FROM bouts").fetch_one(&mut connection).await;
    connection.close().await.expect("closed");
    count.expect("the tables are there")
}

#[tokio::test]
async fn files_that_an_earlier_database_left_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    for left in ["-wal", "-shm", "-journal"] {
        fs::write(beside(&path, left), b"of somebody who was killed").expect("written");
    }
    Store::open(&path, Access::CreateOrOpen).await.expect("it is made").close().await;
    assert_eq!(problems(&path).await, Vec::<String>::new());
}

/// States of a database after a process was killed while making it.
#[tokio::test]
async fn an_unfinished_database_is_completed_by_the_next_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let states = [
        "PRAGMA journal_mode = WAL",
        "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, \
         description TEXT NOT NULL, installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, \
         success BOOLEAN NOT NULL, checksum BLOB NOT NULL, execution_time BIGINT NOT NULL)",
    ];
    for begun in states {
        let options = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
        let mut connection = options.connect().await.expect("a connection");
        sqlx::raw_sql(begun).execute(&mut connection).await.expect("begun");
        connection.close().await.expect("closed");
        let read = Store::open(&path, Access::ReadOnly).await;
        assert!(matches!(read, Err(StoreError::NotADatabase { .. })), "{read:?}");
        Store::open(&path, Access::CreateOrOpen).await.expect("it is made").close().await;
        fs::remove_file(&path).expect("removed");
    }
}

#[tokio::test]
async fn an_empty_file_and_a_link_to_nothing_become_databases() {
    let folder = tempfile::tempdir().expect("a folder");
    let (empty, link) = (folder.path().join("empty.db"), folder.path().join("link.db"));
    fs::write(&empty, b"").expect("written");
    std::os::unix::fs::symlink("elsewhere.db", &link).expect("a link");
    for path in [&empty, &link] {
        Store::open(path, Access::CreateOrOpen).await.expect("it is made").close().await;
        assert_eq!(problems(path).await, Vec::<String>::new());
    }
    assert!(link.is_symlink() && folder.path().join("elsewhere.db").is_file());
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creators_make_one_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let open = || {
        let path = path.clone();
        tokio::spawn(async move { Store::open(&path, Access::CreateOrOpen).await })
    };
    for (number, opening) in [0; 8].map(|_| open()).into_iter().enumerate() {
        let store = opening.await.expect("no panic").expect("it is made");
        let cup = joust_store::TournamentRow {
            name: "cup".to_owned(),
            seed: joust_model::Seed(1),
            seed_is_drawn: false,
        };
        store.put_tournament(&cup).await.unwrap_or_else(|error| panic!("{number}: {error}"));
    }
    assert_eq!(problems(&path).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_disk_that_is_full_while_it_is_made_is_named_and_the_next_run_makes_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let made = Store::open_with_at_most(&path, 3).await;
    assert!(matches!(made, Err(StoreError::DiskFull { .. })), "{made:?}");
    Store::open(&path, Access::CreateOrOpen).await.expect("with room it is made").close().await;
    assert_eq!(problems(&path).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_hot_journal_is_rolled_back_by_a_writer_and_named_by_a_reader() {
    {
        let fresh = Fresh::new().await;
        fresh.store.close().await;
        let mut connection = by_hand(&fresh.path()).await;
        let spill = "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 2; BEGIN IMMEDIATE; \
                     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) \
                     INSERT INTO documents (text) SELECT printf('%0200d', i) FROM n";
        sqlx::raw_sql(spill).execute(&mut connection).await.expect("half a change");
        let killed = fresh.path().with_file_name("killed.db");
        fs::copy(fresh.path(), &killed).expect("copied");
        fs::copy(beside(&fresh.path(), "-journal"), beside(&killed, "-journal")).expect("copied");
        let read = Store::open(&killed, Access::ReadOnly).await;
        assert!(matches!(read, Err(StoreError::Unfinished { .. })), "{read:?}");
        let store = Store::open(&killed, Access::MustExist).await.expect("it is healed");
        store.close().await;
        assert_eq!(problems(&killed).await, Vec::<String>::new());
        assert!(!beside(&killed, "-journal").exists());
    }
}

#[tokio::test]
async fn stored_bouts_soon_reach_the_main_file() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let (plan, result) = played(["anna", "bert"], 0, 0);
    group.committer().submit(plan, result).await.expect("stored");
    let until = Instant::now() + Duration::from_secs(20);
    while bouts_in_the_file(&fresh.path()).await == 0 {
        assert!(Instant::now() < until, "it stays beside the file");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    group.finish().await;
}

#[tokio::test]
async fn the_next_run_checkpoints_the_log_of_a_killed_one() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let (plan, result) = played(["anna", "bert"], 0, 0);
    group.committer().submit(plan, result).await.expect("stored");
    let killed = fresh.path().with_file_name("killed.db");
    let alone = fresh.path().with_file_name("alone.db");
    for copy in [&killed, &alone] {
        fs::copy(fresh.path(), copy).expect("copied");
    }
    fs::copy(beside(&fresh.path(), "-wal"), beside(&killed, "-wal")).expect("copied");
    assert_eq!(bouts_in_the_file(&killed).await, 0, "the bout is beside it");
    let reader = Store::open(&killed, Access::ReadOnly).await.expect("opens");
    assert_eq!(reader.all_bouts().await.expect("read"), 1);
    assert!(!reader.lacks_newer_rows().await);
    reader.close().await;
    assert_eq!(bouts_in_the_file(&killed).await, 0, "nothing is written by who reads");
    let next = Store::open(&killed, Access::MustExist).await.expect("opens");
    assert!(matches!(next.close().await, CheckpointOutcome::Complete));
    assert_eq!(bouts_in_the_file(&killed).await, 1);
    // A copy of the file alone records that rows are missing.
    let reader = Store::open(&alone, Access::ReadOnly).await.expect("opens");
    assert!(reader.lacks_newer_rows().await);
    reader.close().await;
    group.finish().await;
    fresh.store.close().await;
    let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    assert!(!reader.lacks_newer_rows().await);
}

#[tokio::test]
async fn a_checkpoint_waits_for_readers_and_reports_them() {
    let fresh = Fresh::new().await;
    let mut reader = by_hand(&fresh.path()).await;
    let group = GroupCommitter::start(&fresh.store);
    sqlx::raw_sql("BEGIN; SELECT * FROM bouts").execute(&mut reader).await.expect("it reads");
    let (plan, result) = played(["anna", "bert"], 0, 0);
    group.committer().submit(plan, result).await.expect("stored");
    group.finish().await;
    let began = Instant::now();
    assert!(matches!(fresh.store.close().await, CheckpointOutcome::HeldByReaders));
    let waited = began.elapsed();
    assert!((4..60).contains(&waited.as_secs()), "{waited:?}");
    assert_eq!(bouts_in_the_file(&fresh.path()).await, 0);
    sqlx::raw_sql("COMMIT").execute(&mut reader).await.expect("it has read");
    let next = Store::open(&fresh.path(), Access::MustExist).await.expect("opens");
    assert!(matches!(next.close().await, CheckpointOutcome::Complete));
    assert_eq!(bouts_in_the_file(&fresh.path()).await, 1);
}

#[tokio::test]
async fn tables_that_are_gone_are_damage() {
    let fresh = Fresh::new().await;
    fresh.store.close().await;
    let mut connection = by_hand(&fresh.path()).await;
    sqlx::query("DROP TABLE seats").execute(&mut connection).await.expect("dropped");
    connection.close().await.expect("closed");
    let error = Store::open(&fresh.path(), Access::ReadOnly).await.expect_err("a table is gone");
    assert!(error.to_string().ends_with("is damaged: its table `seats` is missing"), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("a copy of before")));
}
