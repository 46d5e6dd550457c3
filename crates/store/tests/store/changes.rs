//! Tests of results when something changes.

use joust_model::{BoutPlan, BoutResult, Occupant};
use joust_store::{BoutPlace, Change, StoreError};

use crate::fixtures::{EVENT, Fresh, build, plan, played, result};

fn with_new_build(mut changed: BoutPlan) -> (BoutPlan, BoutResult) {
    changed.seats[0].occupant = Occupant::Build(build("changed"));
    let result = result(&changed);
    (changed, result)
}

#[tokio::test]
async fn a_result_under_another_key_replaces_the_old_one_and_keeps_it_in_the_history() {
    let fresh = Fresh::new().await;
    let (plan, old) = played(["anna", "bert"], 0, 0);
    let (changed, new) = with_new_build(plan.clone());
    fresh.store.put_bouts(&[(plan.clone(), old.clone())]).await.expect("stored");
    fresh.store.put_bouts(&[(changed.clone(), new.clone())]).await.expect("stored");
    let keys = fresh.store.finished(EVENT).await.expect("read");
    assert_eq!(keys.get(&plan.bout), Some(&changed.key()));
    let history = fresh.store.history(plan.bout).await.expect("read");
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].change, Change::Replaced);
    assert_eq!(history[0].before.as_ref().map(|bout| &bout.result), Some(&old));
    fresh.store.integrity_check().await.expect("no row without its bout");
}

#[tokio::test]
async fn bouts_that_left_the_schedule_do_not_count() {
    let fresh = Fresh::new().await;
    let bouts = [played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0)];
    fresh.store.put_bouts(&bouts).await.expect("stored");
    let schedule = vec![BoutPlace::of(&bouts[0].0), BoutPlace::of(&plan(["anna", "bert"], 0, 1))];
    let found = fresh.store.reconcile(EVENT, &schedule).await.expect("reconciled");
    assert_eq!((found.scheduled, found.finished(), found.stale), (2, 1, 1));
    let results = fresh.store.results(EVENT).await.expect("read");
    assert_eq!(results.iter().map(|bout| bout.bout).collect::<Vec<_>>(), [bouts[0].0.bout]);
}

#[tokio::test]
async fn a_bout_under_another_key_does_not_count() {
    let fresh = Fresh::new().await;
    let bout = played(["anna", "bert"], 0, 0);
    fresh.store.put_bouts(std::slice::from_ref(&bout)).await.expect("stored");
    let changed = BoutPlace::of(&with_new_build(bout.0).0);
    let found = fresh.store.reconcile(EVENT, &vec![changed]).await.expect("reconciled");
    assert_eq!((found.scheduled, found.finished(), found.stale), (1, 0, 1));
    assert_eq!(fresh.store.results(EVENT).await.expect("read"), []);
}

#[tokio::test]
async fn a_bout_that_comes_back_counts_in_its_new_place() {
    let fresh = Fresh::new().await;
    let bout = played(["anna", "bert"], 0, 0);
    fresh.store.put_bouts(std::slice::from_ref(&bout)).await.expect("stored");
    fresh.store.reconcile(EVENT, &Vec::new()).await.expect("reconciled");
    let moved = BoutPlace { match_number: 7, ..BoutPlace::of(&bout.0) };
    let found = fresh.store.reconcile(EVENT, &vec![moved]).await.expect("reconciled");
    assert_eq!((found.scheduled, found.finished(), found.stale), (1, 1, 0));
    let results = fresh.store.results(EVENT).await.expect("read");
    assert_eq!(results.iter().map(|bout| bout.match_number).collect::<Vec<_>>(), [7]);
}

#[tokio::test]
async fn an_amended_result_stands_and_the_old_one_is_kept_with_the_reason() {
    let fresh = Fresh::new().await;
    let (plan, old) = played(["anna", "bert"], 0, 0);
    fresh.store.put_bouts(&[(plan.clone(), old.clone())]).await.expect("stored");
    let new = BoutResult { rounds: 18, ..old.clone() };
    fresh.store.amend(&new, "a bug of ours", 5).await.expect("amended");
    let stored = fresh.store.bout(&plan.bout.to_string()).await.expect("read");
    assert_eq!(stored.map(|bout| bout.result), Some(new));
    let history = fresh.store.history(plan.bout).await.expect("read");
    let line = history.first().expect("a line");
    assert_eq!((line.change, line.reason.as_str(), line.at), (Change::Amended, "a bug of ours", 5));
    assert_eq!(line.before.as_ref().map(|bout| &bout.result), Some(&old));
}

#[tokio::test]
async fn a_bout_that_is_not_there_cannot_be_amended() {
    let fresh = Fresh::new().await;
    let amended = fresh.store.amend(&played(["anna", "bert"], 0, 0).1, "why", 5).await;
    assert!(matches!(amended, Err(StoreError::NoBout { .. })));
}

#[tokio::test]
async fn a_voided_try_is_a_line_of_the_history() {
    let fresh = Fresh::new().await;
    let bout = plan(["anna", "bert"], 0, 0).bout;
    fresh.store.put_change(bout, Change::Voided, "the disk broke", 9).await.expect("stored");
    let history = fresh.store.history(bout).await.expect("read");
    assert_eq!(history.len(), 1);
    assert_eq!((history[0].change, history[0].before.is_none()), (Change::Voided, true));
}
