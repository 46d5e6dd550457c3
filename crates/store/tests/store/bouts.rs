//! Tests of stored bouts: each comes back, once.

use joust_model::{Occupant, Score, Verdict};
use joust_store::{StoreError, StoredBout};

use crate::fixtures::{EVENT, Fresh, build, played};

#[tokio::test]
async fn a_bout_comes_back_as_it_was_stored() {
    let fresh = Fresh::new().await;
    let (plan, result) = played(["anna", "bert"], 0, 0);
    fresh.store.put_bouts(&[(plan.clone(), result.clone())]).await.expect("stored");
    let found = fresh.store.bout(&plan.bout.to_string()).await.expect("read");
    assert_eq!(found, Some(StoredBout { plan, result }));
}

#[tokio::test]
async fn the_most_points_that_a_referee_may_give_come_back() {
    let fresh = Fresh::new().await;
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    let most = [Score::MOST, -Score::MOST].map(Score::nearest);
    (result.seats[0].score, result.seats[1].score) = (most[0], most[1]);
    fresh.store.put_bouts(&[(plan.clone(), result.clone())]).await.expect("stored");
    let read = fresh.store.results(EVENT).await.expect("read");
    let scores: Vec<_> = read[0].seats.iter().map(|seat| seat.score).collect();
    assert_eq!(scores, most);
    let found = fresh.store.bout(&plan.bout.to_string()).await.expect("read");
    assert_eq!(found, Some(StoredBout { plan, result }));
}

#[tokio::test]
async fn a_bout_is_found_by_the_beginning_of_its_id() {
    let fresh = Fresh::new().await;
    let (plan, result) = played(["anna", "bert"], 0, 0);
    fresh.store.put_bouts(&[(plan.clone(), result)]).await.expect("stored");
    let id = plan.bout.to_string();
    let found = fresh.store.bout(&id[..5].to_uppercase()).await.expect("read");
    assert_eq!(found.map(|bout| bout.plan.bout), Some(plan.bout));
    assert_eq!(fresh.store.bout("no id").await.expect("read"), None);
}

#[tokio::test]
async fn a_beginning_that_several_bouts_share_is_ambiguous() {
    let fresh = Fresh::new().await;
    let bouts: Vec<_> = (0..17).map(|number| played(["anna", "bert"], 0, number)).collect();
    fresh.store.put_bouts(&bouts).await.expect("stored");
    let mut digits = "0123456789abcdef".chars().map(String::from);
    let shared = digits.find(|digit| {
        bouts.iter().filter(|(plan, _)| plan.bout.to_string().starts_with(digit)).count() > 1
    });
    let found = fresh.store.bout(&shared.expect("17 ids share 16 digits")).await;
    assert!(matches!(found, Err(StoreError::Ambiguous { bouts, .. }) if bouts.len() > 1));
}

#[tokio::test]
async fn a_bout_played_twice_keeps_its_first_result() {
    let fresh = Fresh::new().await;
    let (plan, first) = played(["anna", "bert"], 0, 0);
    let second = joust_model::BoutResult { rounds: 99, ..first.clone() };
    fresh.store.put_bouts(&[(plan.clone(), first)]).await.expect("stored");
    fresh.store.put_bouts(&[(plan.clone(), second.clone()), (plan, second)]).await.expect("stored");
    let results = fresh.store.results(EVENT).await.expect("read");
    assert_eq!(results.iter().map(|bout| bout.rounds).collect::<Vec<_>>(), [17]);
}

#[tokio::test]
async fn results_come_in_schedule_order() {
    let fresh = Fresh::new().await;
    let bouts = [
        played(["bert", "cleo"], 2, 0),
        played(["anna", "bert"], 0, 1),
        played(["anna", "cleo"], 1, 0),
        played(["anna", "bert"], 0, 0),
    ];
    fresh.store.put_bouts(&bouts).await.expect("stored");
    let results = fresh.store.results(EVENT).await.expect("read");
    let order: Vec<_> = results.iter().map(|bout| (bout.match_number, bout.number)).collect();
    assert_eq!(order, [(0, 0), (0, 1), (1, 0), (2, 0)]);
    assert_eq!(results[0].ranks(), [1, 2]);
    assert_eq!(results[0].seats[1].verdicts.of(Verdict::Crash), 1);
}

#[tokio::test]
async fn a_result_of_another_plan_is_refused_and_nothing_is_stored() {
    let fresh = Fresh::new().await;
    let (good, other) = (played(["anna", "bert"], 0, 0), played(["anna", "cleo"], 1, 0));
    let stored = fresh.store.put_bouts(&[good.clone(), (good.0, other.1)]).await;
    assert!(matches!(stored, Err(StoreError::Misfit { .. })));
    assert_eq!(fresh.store.finished(EVENT).await.expect("read").len(), 0);
}

#[tokio::test]
async fn a_void_result_is_refused() {
    let fresh = Fresh::new().await;
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    result.seats[0].verdicts.add(Verdict::InfrastructureError);
    let stored = fresh.store.put_bouts(&[(plan, result)]).await;
    assert!(matches!(stored, Err(StoreError::Misfit { .. })));
}

#[tokio::test]
async fn a_result_under_another_build_is_refused() {
    let fresh = Fresh::new().await;
    let (plan, mut result) = played(["anna", "bert"], 0, 0);
    result.seats[0].occupant = Occupant::Build(build("another"));
    let stored = fresh.store.put_bouts(&[(plan, result)]).await;
    assert!(matches!(stored, Err(StoreError::Misfit { .. })));
}
