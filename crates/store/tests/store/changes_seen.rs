//! Noticing changes, and what summaries hold.

use std::path::Path;

use joust_model::{Verdict, VerdictCounts};
use joust_store::{Access, CheckpointOutcome, Store};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::fixtures::{EVENT, Fresh, played};

#[tokio::test]
async fn a_watcher_notices_commits_of_other_connections_only() {
    let fresh = Fresh::new().await;
    let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let mut changes = reader.changes().await.expect("watching");
    assert!(changes.has_news().await.expect("asked"), "the first look is always news");
    assert!(!changes.has_news().await.expect("asked"));
    fresh.store.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    assert!(changes.has_news().await.expect("asked"));
    reader.results(EVENT).await.expect("read");
    assert!(!changes.has_news().await.expect("asked"), "reading is no change");
}

/// Mounts a folder once more at another place, where nothing can be written, for this thread and
/// those that it starts.
fn mount_to_be_read(folder: &Path, place: &Path) {
    unshare(CloneFlags::CLONE_FS | CloneFlags::CLONE_NEWNS).expect("a name space of its own");
    let set = |from: Option<&Path>, place: &Path, flags| {
        mount(from, place, None::<&Path>, flags, None::<&Path>).expect("it is mounted");
    };
    set(None, Path::new("/"), MsFlags::MS_REC | MsFlags::MS_PRIVATE);
    set(Some(folder), place, MsFlags::MS_BIND);
    set(None, place, MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY);
}

#[tokio::test]
async fn a_reader_of_a_read_only_folder_knows_of_newer_rows() {
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let fresh = Fresh::new().await;
    assert!(matches!(fresh.store.close().await, CheckpointOutcome::Complete));
    let place = tempfile::tempdir().expect("a folder");
    mount_to_be_read(fresh.path().parent().expect("a folder"), place.path());
    let seen = place.path().join("results.db");
    let reader = Store::open(&seen, Access::ReadOnly).await.expect("opens");
    assert!(reader.results(EVENT).await.expect("read").is_empty());
    assert!(!reader.is_outdated());
    let writer = Store::open(&fresh.path(), Access::MustExist).await.expect("opens");
    assert!(!writer.is_outdated());
    writer.put_bouts(&[played(["anna", "bert"], 0, 0)]).await.expect("stored");
    assert!(reader.is_outdated(), "it is beside the file");
    let reader = Store::open(&seen, Access::ReadOnly).await.expect("opens");
    assert_eq!(reader.results(EVENT).await.expect("read").len(), 1);
    reader.close().await;
    writer.close().await;
    let reader = Store::open(&seen, Access::ReadOnly).await.expect("opens");
    assert_eq!(reader.results(EVENT).await.expect("read").len(), 1);
    assert!(!reader.is_outdated());
}

#[tokio::test]
async fn a_snapshot_is_consistent() {
    let fresh = Fresh::new().await;
    let one = |number| [played(["anna", "bert"], 0, number)];
    fresh.store.put_bouts(&one(0)).await.expect("stored");
    let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    let moment = reader.at_one_moment().await.expect("opens");
    let head = moment.head().await.expect("read");
    fresh.store.put_bouts(&one(1)).await.expect("stored");
    for (store, bouts) in [(&moment, 1), (&reader, 2), (&moment, 1)] {
        let folded = store.fold_results(EVENT, 0, |bouts, _| *bouts += 1).await;
        assert_eq!(folded.expect("read"), bouts);
        let in_order = store.fold_in_order(EVENT, 0, |bouts, _| *bouts += 1).await;
        assert_eq!(in_order.expect("read"), bouts);
        assert_eq!(store.results(EVENT).await.expect("read").len(), bouts);
    }
    assert_eq!(moment.head().await.expect("read"), head);
    assert_ne!(reader.head().await.expect("read"), head);
    moment.close().await;
    assert_eq!(reader.results(EVENT).await.expect("read").len(), 2);
}

#[tokio::test]
async fn a_summary_has_the_verdicts_with_and_without_faults() {
    let fresh = Fresh::new().await;
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    let (mut clean, mut faulty) = (VerdictCounts::default(), VerdictCounts::default());
    (0..40).for_each(|_| clean.add(Verdict::Ok));
    Verdict::ALL.into_iter().skip(1).for_each(|verdict| faulty.add(verdict));
    (result.seats[0].verdicts, result.seats[1].verdicts) = (clean, faulty);
    fresh.store.put_bouts(&[(plan, result)]).await.expect("stored");
    let results = fresh.store.results(EVENT).await.expect("read");
    let verdicts: Vec<_> = results[0].seats.iter().map(|seat| *seat.verdicts).collect();
    assert_eq!(verdicts, [clean, faulty]);
}
