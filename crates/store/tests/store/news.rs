//! Noticing changes, and what summaries hold.

use joust_model::{Verdict, VerdictCounts};
use joust_store::{Access, Store};

use crate::fixtures::{EVENT, Fresh, played};

#[tokio::test]
async fn whoever_watches_notices_what_others_commit_and_nothing_else() {
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
