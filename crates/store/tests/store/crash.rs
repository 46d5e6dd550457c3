//! A run that is killed loses no bout that was reported as stored.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use joust_store::{Access, GroupCommitter, Store};

use crate::fixtures::{EVENT, Fresh, event, played, verify};

const DATABASE: &str = "JOUST_TEST_DATABASE_OF_THE_KILLED";

/// Alone a short run; in the process of the next test one that is killed.
#[tokio::test]
async fn a_run_stores_every_bout_in_groups() {
    let folder = tempfile::tempdir().expect("a folder");
    let killed = std::env::var_os(DATABASE).map(PathBuf::from);
    let path = killed.clone().unwrap_or_else(|| folder.path().join("results.db"));
    let rounds = if killed.is_some() { 2_000 } else { 2 };
    let store = Store::open(&path, Access::CreateOrOpen).await.expect("a database");
    let _lock = store.lock().expect("free");
    store.put_event(&event()).await.expect("an event");
    run(&store, rounds).await;
    assert_eq!(store.finished(EVENT).await.expect("read").len(), 8 * rounds as usize);
}

/// Stores eight bouts a round and says so.
async fn run(store: &Store, rounds: u32) {
    let group = GroupCommitter::start(store);
    for first in (0..rounds).map(|round| round * 8) {
        let bouts = (first..first + 8).map(|number| {
            let committer = group.committer();
            let (plan, result) = played(["anna", "bert"], 0, number);
            tokio::spawn(async move { committer.submit(plan, result).await })
        });
        for bout in bouts.collect::<Vec<_>>() {
            bout.await.expect("no panic").expect("stored");
        }
        writeln!(std::io::stderr(), "stored {}", first + 8).expect("somebody listens");
    }
}

fn start(path: &Path) -> Child {
    Command::new(std::env::current_exe().expect("a test program"))
        .args(["--exact", "crash::a_run_stores_every_bout_in_groups", "--nocapture"])
        .env(DATABASE, path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Kills the process after `lines` lines; returns how many bouts it reported as stored.
fn kill_after(mut child: Child, lines: usize) -> usize {
    let stderr = BufReader::new(child.stderr.take().expect("piped"));
    let said = stderr.lines().map_while(Result::ok);
    let mut stored = said.filter_map(|line| line.strip_prefix("stored ")?.parse().ok());
    let last = stored.nth(lines - 1).expect("it stores bouts");
    child.kill().expect("killed");
    child.wait().expect("reaped");
    last
}

#[tokio::test]
async fn a_killed_run_keeps_every_stored_bout_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let promised = kill_after(start(&path), 3);
    let reader = Store::open(&path, Access::ReadOnly).await.expect("opens");
    assert!(reader.finished(EVENT).await.expect("read").len() >= promised);
    let store = Store::open(&path, Access::MustExist).await.expect("opens");
    store.lock().expect("the lock went with the process");
    store.integrity_check().await.expect("whole");
    let finished = store.finished(EVENT).await.expect("read");
    assert!(finished.len() >= promised, "{} of {promised}", finished.len());
    for bout in finished.keys() {
        let stored = store.bout(&bout.to_string()).await.expect("read").expect("there");
        assert_eq!(stored.result.seats.len(), 2);
    }
    verify(&store).await;
}

#[tokio::test]
async fn a_change_that_was_not_committed_never_happened() {
    let fresh = Fresh::new().await;
    let (good, bad) = (played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0));
    let mut foreign = bad.0;
    foreign.event = "no such event".to_owned();
    let put = fresh.store.put_bouts(&[good, (foreign, bad.1)]).await;
    assert!(put.is_err());
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 0);
}
