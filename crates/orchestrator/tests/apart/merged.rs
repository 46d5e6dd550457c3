//! Databases that are not merged, and the reasons.

use std::path::{Path, PathBuf};

use joust_model::BoutPlan;
use joust_store::shard::{MergeError, merge};
use joust_store::{Access, Store};

use super::Place;
use super::leagues::{EVENT, Made, result};
use super::played::Manner;

const LEAGUE: &str = "\
name: League
seed: 1
events:
  - id: league
    game: battlebots
    bots: [bots/*]
    bouts: 2
";

/// Writes another result for each of `plans`.
async fn contradict(path: &Path, plans: &[BoutPlan]) {
    let store = Store::open(path, Access::CreateOrOpen).await.expect("a database");
    let other = |plan: &BoutPlan| {
        let mut other = result(plan, 7);
        other.action_log = vec![0; 9];
        other.state_hash = "00".repeat(32);
        (plan.clone(), other)
    };
    let bouts: Vec<_> = plans.iter().map(other).collect();
    store.put_bouts(&bouts).await.expect("stored");
    store.close().await;
}

async fn refusal(place: &Place, inputs: &[PathBuf]) -> MergeError {
    let out = place.path("out.db");
    let error = merge(&out, inputs).await.expect_err("they do not belong together");
    assert!(!out.exists(), "nothing is written");
    error
}

#[tokio::test]
async fn exactly_the_bouts_that_differ_are_named() {
    for differing in [1, 2, 5] {
        let made = Made::new(LEAGUE, 4);
        let place = Place::new();
        let one = place.play(&made, "one.db", Manner::plain()).await;
        let plans: Vec<BoutPlan> = made.plans().all().collect();
        let other = place.path("other.db");
        let begun =
            place.play(&made, "other.db", Manner { stops_after: Some(0), ..Manner::plain() });
        begun.await;
        contradict(&other, &plans[..differing]).await;
        for inputs in [[&one, &other], [&other, &one]] {
            let error = refusal(&place, &inputs.map(Clone::clone)).await;
            let MergeError::Conflicts { first: conflicts, .. } = &error else { panic!("{error}") };
            let mut named: Vec<_> = conflicts.iter().map(|conflict| conflict.bout).collect();
            let mut expected: Vec<_> = plans[..differing].iter().map(|plan| plan.bout).collect();
            named.sort_unstable();
            expected.sort_unstable();
            assert_eq!(named, expected);
            assert!(error.to_string().contains(&expected[0].to_string()), "{error}");
        }
    }
}

#[tokio::test]
async fn parts_of_different_configurations_are_refused_with_the_difference() {
    let others = [
        (LEAGUE.replace("bouts: 2", "bouts: 4"), 4, "`bouts_per_match` is 2 in one and 4"),
        (LEAGUE.replace("seed: 1", "seed: 2"), 4, "seed 2"),
        (LEAGUE.replace("name: League", "name: Other"), 4, "`Other`"),
        (LEAGUE.replace("bouts: 2", "bouts: 2\n    mirror: false"), 4, "`mirror` is"),
        (LEAGUE.replace("bouts: 2", "bouts: 2\n    seats: listed"), 4, "`seats` is"),
        (LEAGUE.replace("bouts: 2", "bouts: 2\n    options: { max_rounds: 3 }"), 4, "`options` is"),
        (LEAGUE.to_owned(), 5, "bot `bot-4` is not in the field"),
    ];
    for (file, bots, reason) in others {
        let place = Place::new();
        let one = place.play(&Made::new(LEAGUE, 4), "one.db", Manner::plain()).await;
        let other = place.play(&Made::new(&file, bots), "other.db", Manner::plain()).await;
        let error = refusal(&place, &[one, other]).await;
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
}

#[tokio::test]
async fn the_same_settings_under_other_limits_are_a_conflict_of_the_bouts() {
    let place = Place::new();
    let made = Made::new(LEAGUE, 3);
    let one = place.play(&made, "one.db", Manner::plain()).await;
    let limits = format!("{LEAGUE}    limits: {{ memory: 300MiB }}\n");
    let other = place.play(&Made::new(&limits, 3), "other.db", Manner::plain()).await;
    let error = refusal(&place, &[one, other]).await;
    let MergeError::Conflicts { first: conflicts, .. } = &error else { panic!("{error}") };
    assert_eq!(conflicts.len() as u64, made.bouts());
    assert!(error.to_string().contains("under different settings or builds"), "{error}");
    assert!(conflicts.iter().all(|conflict| conflict.event == EVENT));
}
