//! Many bouts in one commit.

use joust_model::Occupant;
use joust_store::{Access, GroupCommitter, Store, StoreError};

use crate::fixtures::{EVENT, Fresh, build, event, played, result, verify};

#[tokio::test]
async fn bouts_handed_over_together_are_all_stored() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let bouts = (0..300).map(|number| {
        let (committer, (plan, result)) = (group.committer(), played(["anna", "bert"], 0, number));
        tokio::spawn(async move { committer.submit(plan, result).await })
    });
    for bout in bouts.collect::<Vec<_>>() {
        bout.await.expect("no panic").expect("stored");
    }
    group.finish().await;
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 300);
}

#[tokio::test]
async fn a_bad_result_does_not_spoil_its_group() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let committer = group.committer();
    let ((plan, good), (_, other)) =
        (played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0));
    let (bad, good) =
        tokio::join!(committer.submit(plan.clone(), other), committer.submit(plan.clone(), good));
    assert!(matches!(bad, Err(StoreError::Misfit { .. })));
    good.expect("stored");
}

#[tokio::test]
async fn a_bad_result_does_not_spoil_those_it_is_handed_over_with() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let mut bouts: Vec<_> = (0..10).map(|number| played(["anna", "bert"], 0, number)).collect();
    bouts[3].1 = played(["anna", "cleo"], 1, 0).1;
    let refused = group.committer().submit_all(bouts).await;
    assert!(matches!(refused, Err(StoreError::Misfit { .. })));
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 9);
}

#[tokio::test]
async fn each_submitter_gets_the_results_of_its_own_bouts() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let some = |numbers: std::ops::Range<u32>| {
        let bouts: Vec<_> = numbers.map(|number| played(["anna", "bert"], 0, number)).collect();
        let results: Vec<_> = bouts.iter().map(|(_, result)| result.clone()).collect();
        (bouts, results)
    };
    let ((first, one), (second, other)) = (some(0..700), some(700..1500));
    let committer = group.committer();
    let stored = tokio::join!(committer.submit_all(first), committer.submit_all(second));
    assert_eq!((stored.0.expect("stored"), stored.1.expect("stored")), (one, other));
    assert_eq!(committer.submit_all(Vec::new()).await.expect("nothing to store"), []);
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 1500);
}

#[tokio::test]
async fn a_stored_bout_is_there_before_its_committer_has_finished() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let (plan, result) = played(["anna", "bert"], 0, 0);
    group.committer().submit(plan.clone(), result).await.expect("stored");
    assert!(fresh.store.bout(&plan.bout.to_string()).await.expect("read").is_some());
}

#[tokio::test]
async fn a_group_that_cannot_be_written_says_so_to_every_bout() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let committer = group.committer();
    fresh.store.close().await;
    let ((first, one), (second, other)) =
        (played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0));
    let answers = tokio::join!(committer.submit(first, one), committer.submit(second, other));
    assert!(answers.0.is_err() && answers.1.is_err());
}

#[tokio::test]
async fn nothing_is_written_once_the_database_is_closed() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let committer = group.committer();
    let (plan, result) = played(["anna", "bert"], 0, 0);
    committer.submit(plan, result).await.expect("stored");
    fresh.store.close().await;
    let (plan, result) = played(["anna", "bert"], 0, 1);
    assert!(committer.submit(plan, result).await.is_err());
    let again = Store::open(&fresh.path(), Access::ReadOnly).await.expect("opens");
    assert_eq!(again.finished(EVENT).await.expect("read").len(), 1);
}

#[tokio::test]
async fn a_bout_of_an_event_that_is_not_there_is_refused_with_its_group() {
    let fresh = Fresh::new().await;
    let group = GroupCommitter::start(&fresh.store);
    let (mut plan, mut result) = played(["anna", "bert"], 0, 0);
    plan.event = "another".to_owned();
    result.key = plan.key();
    let committer = group.committer();
    let bouts = vec![(plan, result), played(["anna", "cleo"], 1, 0)];
    let refused = committer.submit_all(bouts);
    let refused = refused.await.expect_err("there is no such event");
    assert!(matches!(refused, StoreError::Sql { .. }), "{refused:?}");
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 0);
    let (plan, result) = played(["anna", "cleo"], 1, 0);
    group.committer().submit(plan, result).await.expect("the next is stored");
}

#[tokio::test]
async fn a_group_that_finds_the_disk_full_says_so_and_the_next_that_fits_is_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results.db");
    let store = Store::open_with_at_most(&path, 60).await.expect("a database");
    store.put_event(&event()).await.expect("an event");
    let group = GroupCommitter::start(&store);
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    result.action_log = vec![7; 1 << 20];
    let full = group.committer().submit(plan, result).await;
    assert!(matches!(full, Err(StoreError::DiskFull { .. })), "{full:?}");
    let (plan, result) = played(["anna", "cleo"], 1, 0);
    group.committer().submit(plan, result).await.expect("there is room for it");
    assert_eq!(store.finished(EVENT).await.expect("read").len(), 1);
}

#[tokio::test]
async fn groups_find_bouts_that_are_stored() {
    let fresh = Fresh::new().await;
    let all: Vec<_> = (0..30).map(|number| played(["anna", "bert"], 0, number)).collect();
    let group = GroupCommitter::start(&fresh.store);
    for bouts in all.chunks(10) {
        group.committer().submit_all(bouts.to_vec()).await.expect("stored");
    }
    let (mut changed, old) = all[3].clone();
    changed.seats[0].occupant = Occupant::Build(build("changed"));
    let again = vec![(changed.clone(), result(&changed)), all[12].clone(), all[29].clone()];
    group.committer().submit_all(again).await.expect("stored");
    group.finish().await;
    assert_eq!(fresh.store.results(EVENT).await.expect("read").len(), 30);
    let history = fresh.store.history(old.bout).await.expect("read");
    assert_eq!(history[0].before.as_ref().map(|bout| &bout.result), Some(&old));
    verify(&fresh.store).await;
}
