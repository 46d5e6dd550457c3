//! Results and chain after random changes of a database.

use joust_model::{BoutPlan, BoutResult, Occupant};
use joust_store::{Access, BoutPlace, GroupCommitter, Store};
use joust_testkit::seeded_rng::SeededRng;

use crate::fixtures::{EVENT, Fresh, build, played, result, verify};

const BOTS: [[&str; 2]; 3] = [["anna", "bert"], ["anna", "cleo"], ["cleo", "bert"]];

/// Mirror pairs of all three pairs, ten bouts each, with results drawn by lot.
fn bouts(chance: &mut SeededRng) -> Vec<(BoutPlan, BoutResult)> {
    let mut bouts = Vec::new();
    for (pair, match_number) in BOTS.into_iter().zip(0..) {
        for number in 0..10 {
            let seats = if number % 2 == 0 { pair } else { [pair[1], pair[0]] };
            let (mut plan, _) = played(seats, match_number, number);
            plan.seed.0 = u64::from(number / 2);
            let drawn = drawn_by_lot(&plan, chance);
            bouts.push((plan, drawn));
        }
    }
    bouts
}

fn drawn_by_lot(plan: &BoutPlan, chance: &mut SeededRng) -> BoutResult {
    let mut drawn = result(plan);
    for seat in &mut drawn.seats {
        seat.rank = 1 + u8::try_from(chance.below(2)).expect("0 or 1");
    }
    drawn
}

/// Asserts that both ways to read results give the same, and that the chain fits.
async fn assert_right(store: &Store, after: &str) {
    let in_order = store.fold_in_order(EVENT, Vec::new(), Vec::push).await;
    let results = store.results(EVENT).await.expect("they can be read");
    assert_eq!(results, in_order.expect("they can be read"), "after {after}");
    verify(store).await;
}

/// Makes one random change.
async fn do_something(
    store: &Store,
    all: &[(BoutPlan, BoutResult)],
    chance: &mut SeededRng,
) -> &'static str {
    let some = chance.below(all.len() as u64) as usize;
    let (plan, _) = &all[some];
    match chance.below(6) {
        0 | 1 => {
            let end = all.len().min(some + 7);
            let group = GroupCommitter::start(store);
            group.committer().submit_all(all[some..end].to_vec()).await.expect("stored");
            group.finish().await;
            "storing"
        }
        2 => {
            let amended = drawn_by_lot(plan, chance);
            // The bout may not be stored.
            _ = store.amend(&amended, "the power failed", 5).await;
            "amending"
        }
        3 => {
            let mut changed = plan.clone();
            changed.seats[0].occupant = Occupant::Build(build("changed"));
            let drawn = drawn_by_lot(&changed, chance);
            store.put_bouts(&[(changed, drawn)]).await.expect("stored");
            "playing under another key"
        }
        4 => {
            let places: Vec<BoutPlace> =
                all.iter().skip(some / 4).map(|it| BoutPlace::of(&it.0)).collect();
            store.reconcile(EVENT, &places).await.expect("reconciled");
            "reconciling"
        }
        _ => {
            store.close().await;
            "closing"
        }
    }
}

#[tokio::test]
async fn results_and_chain_fit_after_random_changes() {
    for seed in 0..8 {
        let (fresh, mut chance) = (Fresh::new().await, SeededRng(seed));
        let (all, mut store) = (bouts(&mut chance), fresh.store.clone());
        for step in 0..25 {
            let what = do_something(&store, &all, &mut chance).await;
            if what == "closing" {
                store = Store::open(&fresh.path(), Access::MustExist).await.expect("it opens");
            }
            assert_right(&store, &format!("{what}, step {step} of seed {seed}")).await;
        }
        store.close().await;
        let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("it opens");
        assert_right(&reader, &format!("opening again, seed {seed}")).await;
    }
}
