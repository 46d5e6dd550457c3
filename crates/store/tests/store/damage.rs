//! Damaged databases, and files that are not databases.

use std::path::Path;

use joust_store::{Access, BoutPlace, CheckScope, Store, StoreError};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::fixtures::{EVENT, Fresh, event, played};

async fn open_by_hand(path: &Path) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(path).foreign_keys(false);
    options.create_if_missing(true).connect().await.expect("a connection")
}

/// Closes a database and changes it behind Joust's back.
async fn change_by_hand(fresh: &Fresh, sql: &'static str) {
    fresh.store.close().await;
    let mut connection = open_by_hand(&fresh.path()).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.expect("changed");
    connection.close().await.expect("closed");
}

async fn reopened(path: &Path) -> Result<(), StoreError> {
    Store::open(path, Access::MustExist).await.map(drop)
}

#[tokio::test]
async fn a_file_that_is_not_there_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("none.db");
    for access in [Access::MustExist, Access::ReadOnly] {
        let opened = Store::open(&path, access).await;
        assert!(matches!(opened, Err(StoreError::NotThere { .. })));
    }
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notes.txt");
    let text = "not a database\n".repeat(300);
    std::fs::write(&path, &text).expect("written");
    for access in [Access::CreateOrOpen, Access::MustExist, Access::ReadOnly] {
        let opened = Store::open(&path, access).await;
        assert!(matches!(opened, Err(StoreError::NotADatabase { .. })), "{opened:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
}

#[tokio::test]
async fn an_empty_file_becomes_a_database_only_when_one_may_be_made() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("empty.db");
    std::fs::write(&path, "").expect("written");
    let opened = Store::open(&path, Access::ReadOnly).await;
    assert!(matches!(opened, Err(StoreError::NotADatabase { .. })), "{opened:?}");
    Store::open(&path, Access::CreateOrOpen).await.expect("a database");
}

#[tokio::test]
async fn a_folder_is_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().join("copy.db");
    for (is, label) in [
        (Store::open(folder.path(), Access::CreateOrOpen).await.err(), "opened for writing"),
        (Store::open(folder.path(), Access::ReadOnly).await.err(), "opened for reading"),
        (Store::copy(folder.path(), &to).await.err(), "copied"),
    ] {
        let message = is.as_ref().map(ToString::to_string).unwrap_or_default();
        let expected = format!("`{}` is a folder, not a database", folder.path().display());
        assert_eq!(message, expected, "{label}");
        assert!(is.and_then(|error| error.hint()).is_some());
    }
    assert!(!to.exists());
}

#[tokio::test]
async fn a_pipe_is_no_database_and_nobody_waits_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&path).status().expect("mkfifo runs");
    assert!(made.success());
    for access in [Access::CreateOrOpen, Access::MustExist, Access::ReadOnly] {
        let opened = Store::open(&path, access).await;
        let message = opened.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.ends_with("is a pipe, not a database"), "{message}");
    }
}

#[tokio::test]
async fn a_database_of_another_program_is_left_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("other.db");
    let mut other = open_by_hand(&path).await;
    sqlx::raw_sql("CREATE TABLE albums (title TEXT)").execute(&mut other).await.expect("made");
    other.close().await.expect("closed");
    let before = std::fs::read(&path).expect("read");
    for access in [Access::CreateOrOpen, Access::ReadOnly] {
        let opened = Store::open(&path, access).await;
        assert!(matches!(opened, Err(StoreError::NotOurs { .. })), "{opened:?}");
    }
    assert_eq!(std::fs::read(&path).expect("read"), before);
}

#[tokio::test]
async fn a_damaged_page_is_found_and_its_problem_named() {
    let fresh = Fresh::new().await;
    let bouts: Vec<_> = (0..50).map(|number| played(["anna", "bert"], 0, number)).collect();
    fresh.store.put_bouts(&bouts).await.expect("stored");
    fresh.store.integrity_check().await.expect("whole so far");
    fresh.store.close().await;
    let mut bytes = std::fs::read(fresh.path()).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    std::fs::write(fresh.path(), bytes).expect("written");
    let found = Store::open(&fresh.path(), Access::MustExist).await.expect_err("half is gone");
    assert!(
        matches!(&found, StoreError::Corrupted { problem, .. } if !problem.is_empty()),
        "{found:?}"
    );
    assert!(found.hint().is_some_and(|hint| hint.contains("joust merge repaired.db")));
}

#[tokio::test]
async fn a_newer_database_is_refused_with_its_version() {
    let fresh = Fresh::new().await;
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9999, 'from tomorrow', 1, x'00', 0)";
    change_by_hand(&fresh, newer).await;
    let opened = reopened(&fresh.path()).await;
    assert!(matches!(opened, Err(StoreError::Newer { version: 9999, .. })), "{opened:?}");
    let read = Store::open(&fresh.path(), Access::ReadOnly).await;
    assert!(matches!(read, Err(StoreError::Newer { version: 9999, .. })), "{read:?}");
}

#[tokio::test]
async fn a_database_of_an_edited_migration_is_refused() {
    let fresh = Fresh::new().await;
    change_by_hand(&fresh, "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1").await;
    let opened = reopened(&fresh.path()).await;
    assert!(matches!(opened, Err(StoreError::Foreign { version: 1, .. })), "{opened:?}");
}

#[tokio::test]
async fn keys_that_are_none_are_named_when_a_schedule_is_compared() {
    for change in [
        "UPDATE bouts SET key = x'5e5e' WHERE number = 2",
        "UPDATE bouts SET key = zeroblob(31) WHERE number = 2",
        "UPDATE bouts SET key = x''",
    ] {
        let fresh = Fresh::new().await;
        let bouts: Vec<_> = (0..3).map(|number| played(["anna", "bert"], 0, number)).collect();
        fresh.store.put_bouts(&bouts).await.expect("stored");
        change_by_hand(&fresh, change).await;
        let store = Store::open(&fresh.path(), Access::MustExist).await.expect("it opens");
        let places: Vec<_> = bouts.iter().map(|(plan, _)| BoutPlace::of(plan)).collect();
        let error = store.done(EVENT, &places).await.expect_err("a broken key");
        let shown = error.to_string();
        assert!(shown.contains("table `bouts`, column `key`, row `1 to 3`"), "{shown}");
    }
}

#[tokio::test]
async fn an_impossible_value_is_named_by_table_column_and_row() {
    let fresh = Fresh::new().await;
    fresh.store.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    change_by_hand(&fresh, "UPDATE seats SET rank = 300 WHERE seat = 1").await;
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let error = store.results(EVENT).await.expect_err("an impossible rank");
    let text = error.to_string();
    assert_eq!(
        text,
        "impossible value in table `seats`, column `rank`, row `1`: `300` is out of range"
    );
}

#[tokio::test]
async fn text_of_a_row_is_no_terminal_command() {
    let fresh = Fresh::new().await;
    fresh.store.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    let change = "UPDATE bouts SET tier = char(27) || '[2J' || char(10) || '::error::x'";
    change_by_hand(&fresh, change).await;
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let mut bouts = store.bouts_after(0).await.expect("it is there");
    let error = bouts.remove(0).stored.expect_err("an impossible tier").to_string();
    assert!(error.ends_with("`\\u{1b}[2J | ::error::x` is not known"), "{error}");
}

#[tokio::test]
async fn a_database_opened_to_read_cannot_be_written() {
    let fresh = Fresh::new().await;
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let put = store.put_event(&event()).await;
    assert!(matches!(put, Err(StoreError::ReadOnly { .. })));
    assert_eq!(store.events().await.expect("read"), [event()]);
}

#[tokio::test]
async fn a_full_disk_is_named_and_stored_bouts_stay() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let store = Store::open_with_at_most(&path, 60).await.expect("a database");
    store.put_event(&event()).await.expect("an event");
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    result.action_log = vec![7; 1 << 20];
    store.put_bouts(&[played(["anna", "cleo"], 1, 0)]).await.expect("stored");
    let full = store.put_bouts(&[(plan, result)]).await;
    assert!(matches!(full, Err(StoreError::DiskFull { .. })), "{full:?}");
    assert_eq!(store.finished(EVENT).await.expect("read").len(), 1);
    let small = store.put_bouts(&[played(["bert", "cleo"], 2, 0)]).await;
    small.expect("what there is room for is stored");
    assert_eq!(store.finished(EVENT).await.expect("read").len(), 2);
}

#[tokio::test]
async fn two_runs_at_once_are_refused_with_the_other_process() {
    let fresh = Fresh::new().await;
    let lock = fresh.store.lock().expect("free");
    let again = fresh.store.lock();
    let own = std::process::id();
    assert!(matches!(again, Err(StoreError::Locked { pid: Some(pid), .. }) if pid == own));
    drop(lock);
    fresh.store.lock().expect("free again");
}

#[tokio::test]
async fn the_lock_of_a_run_that_was_killed_is_waited_for() {
    let fresh = Fresh::new().await;
    drop(fresh.store.lock().expect("free"));
    let mut path = fresh.path().into_os_string();
    path.push(".lock");
    // A process that was killed while it was starting another one has left this file.
    std::fs::write(&path, format!("{}\n", u32::MAX)).expect("written");
    let left = std::fs::File::open(&path).expect("it is there");
    left.lock().expect("free");
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| fresh.store.lock());
        std::thread::sleep(std::time::Duration::from_millis(50));
        drop(left);
        waiting.join().expect("no panic")
    });
    waiting.expect("it was waited for");
}

#[tokio::test]
async fn results_can_be_read_while_a_run_writes() {
    let fresh = Fresh::new().await;
    let _lock = fresh.store.lock().expect("free");
    let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    fresh.store.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    assert_eq!(reader.results(EVENT).await.expect("read").len(), 1);
}

#[tokio::test]
async fn a_database_made_twice_at_the_same_moment_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    for number in 0..8 {
        let path = folder.path().join(format!("{number}.db"));
        let opened = tokio::join!(
            Store::open(&path, Access::CreateOrOpen),
            Store::open(&path, Access::CreateOrOpen),
            Store::open(&path, Access::CreateOrOpen),
        );
        opened.0.expect("the first");
        opened.1.expect("the second");
        opened.2.expect("the third");
    }
}

/// An index that lacks rows hides them from queries that use it.
#[tokio::test]
async fn an_emptied_index_is_damage() {
    let fresh = Fresh::new().await;
    fresh.store.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    fresh.store.close().await;
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'bouts_in_schedule_order'";
    let mut connection = open_by_hand(&fresh.path()).await;
    let root: i64 =
        sqlx::query_scalar(root).fetch_one(&mut connection).await.expect("it has the index");
    connection.close().await.expect("closed");
    let mut damaged = std::fs::read(fresh.path()).expect("read");
    let page = usize::try_from(root - 1).expect("small") * 8192;
    damaged[page..page + 8192].fill(0);
    // A leaf without cells, whose content begins at the page's end.
    damaged[page..page + 7].copy_from_slice(&[10, 0, 0, 0, 0, 32, 0]);
    std::fs::write(fresh.path(), damaged).expect("written");
    let store = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let ledger = store.ledger().await.expect("read");
    let problems = store.close_ledger(ledger, CheckScope::Everything).await.expect("read");
    assert!(problems.iter().any(|it| it.problem.starts_with("damaged: ")), "{problems:?}");
}

#[tokio::test]
async fn behind_a_link_the_lock_is_that_of_the_file() {
    let fresh = Fresh::new().await;
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("league.db");
    std::os::unix::fs::symlink(fresh.path(), &link).expect("a link");
    let linked = Store::open(&link, Access::MustExist).await.expect("opens");
    let _lock = fresh.store.lock().expect("free");
    assert!(matches!(linked.lock(), Err(StoreError::Locked { .. })));
    assert_eq!(std::fs::read_dir(folder.path()).expect("read").count(), 1);
}
