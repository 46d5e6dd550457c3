//! Totals of closed partitions: always those of the bouts, whatever happened in between.

use joust_model::{BoutPlan, BoutResult, Occupant, Totals};
use joust_store::{Access, Check, GroupCommitter, Place, Store};
use joust_testkit::chance::Chance;

use crate::fixtures::{EVENT, Fresh, build, event, played, result};

const BOTS: [[&str; 2]; 3] = [["anna", "bert"], ["anna", "cleo"], ["cleo", "bert"]];

/// Mirror pairs of all three pairs, ten bouts each, with results drawn by lot.
fn bouts(chance: &mut Chance) -> Vec<(BoutPlan, BoutResult)> {
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

fn drawn_by_lot(plan: &BoutPlan, chance: &mut Chance) -> BoutResult {
    let mut drawn = result(plan);
    for seat in &mut drawn.seats {
        seat.rank = 1 + u8::try_from(chance.below(2)).expect("0 or 1");
    }
    drawn
}

/// Adds up every bout.
async fn scanned(store: &Store) -> Totals {
    let add = |totals: &mut Totals, bout| {
        assert!(totals.add(&bout), "two bots have met");
    };
    let totals = Totals::new(event().mirror);
    store.fold_results(EVENT, totals, add).await.expect("they can be read")
}

async fn assert_right(store: &Store, after: &str) {
    let totals = store.totals(&event()).await.expect("they can be read").expect("two seats");
    assert_eq!(totals, scanned(store).await, "after {after}");
}

/// Does one thing of those that happen to databases.
async fn do_something(
    store: &Store,
    all: &[(BoutPlan, BoutResult)],
    chance: &mut Chance,
) -> &'static str {
    let some = chance.below(all.len() as u64) as usize;
    let (plan, _) = &all[some];
    match chance.below(6) {
        0 | 1 => {
            let end = all.len().min(some + 7);
            store.put_bouts(&all[some..end]).await.expect("stored");
            "storing"
        }
        2 => {
            let amended = drawn_by_lot(plan, chance);
            // It may not be there.
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
            let places: Vec<Place> = all.iter().skip(some / 4).map(|it| Place::of(&it.0)).collect();
            store.reconcile(EVENT, &places).await.expect("reconciled");
            "reconciling"
        }
        _ => {
            store.close_partition().await.expect("closed");
            "closing"
        }
    }
}

#[tokio::test]
async fn totals_are_those_of_a_scan_whatever_happened() {
    for seed in 0..8 {
        let (fresh, mut chance) = (Fresh::new().await, Chance(seed));
        let all = bouts(&mut chance);
        for step in 0..25 {
            let what = do_something(&fresh.store, &all, &mut chance).await;
            assert_right(&fresh.store, &format!("{what}, step {step} of seed {seed}")).await;
        }
        fresh.store.close().await;
        let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("it opens");
        assert_right(&reader, &format!("opening anew, seed {seed}")).await;
    }
}

/// Hands bouts to a committer, some of them again and some under another key, with a partition
/// after every ten of them; now and then something else happens.
async fn hand_over(store: &Store, all: &[(BoutPlan, BoutResult)], chance: &mut Chance) {
    let group = GroupCommitter::start(store);
    for step in 0..12 {
        let some = chance.below(all.len() as u64) as usize;
        let mut bouts = all[some..all.len().min(some + 4)].to_vec();
        if chance.below(4) == 0 {
            bouts[0].0.seats[0].occupant = Occupant::Build(build(&format!("changed {step}")));
            bouts[0].1 = drawn_by_lot(&bouts[0].0, chance);
        }
        if chance.below(4) == 0 {
            bouts[0].1.ended = "referee-error: the board is gone".to_owned();
        }
        group.committer().submit_all(bouts).await.expect("stored");
        if chance.below(6) == 0 {
            let amended = drawn_by_lot(&all[some].0, chance);
            // It may be under another key.
            _ = store.amend(&amended, "the power failed", 5).await;
        }
    }
    group.finish().await;
}

#[tokio::test]
async fn what_is_added_up_as_it_is_stored_is_what_a_scan_says() {
    for seed in 0..8 {
        let (fresh, mut chance) = (Fresh::new().await, Chance(seed));
        let store = fresh.store.clone().with_partitions_of(10);
        let all = bouts(&mut chance);
        for _ in 0..2 {
            hand_over(&store, &all, &mut chance).await;
            store.renew_totals().await.expect("added up");
            assert_right(&store, &format!("seed {seed}")).await;
            let ledger = store.ledger().await.expect("read");
            let found = store.close_ledger(ledger, Check::Some).await.expect("read");
            assert_eq!(found, [], "seed {seed}");
        }
        assert!(!store.partition_files().await.expect("read").is_empty());
    }
}

/// Damages the bouts of every partition.
async fn damage(store: &Store) {
    for file in store.partition_files().await.expect("read") {
        let mut bytes = std::fs::read(&file).expect("it can be read");
        bytes[4096..].fill(0);
        std::fs::write(&file, &bytes).expect("it can be written");
    }
}

#[tokio::test]
async fn who_closes_the_database_waits_for_totals_that_are_added_up_while_bouts_are_stored() {
    let (fresh, mut chance) = (Fresh::new().await, Chance(2));
    let store = fresh.store.clone().with_partitions_of(10);
    let group = GroupCommitter::start(&store);
    for bouts in bouts(&mut chance).chunks(5) {
        group.committer().submit_all(bouts.to_vec()).await.expect("stored");
    }
    group.finish().await;
    let expected = scanned(&store).await;
    assert_eq!(store.partition_files().await.expect("read").len(), 3);
    store.close().await;
    let reader = Store::open(&fresh.path(), Access::ReadOnly).await.expect("it opens");
    damage(&reader).await;
    assert_eq!(reader.totals(&event()).await.expect("they can be read"), Some(expected));
}

#[tokio::test]
async fn totals_are_read_without_the_bouts_of_partitions_and_verified_with_them() {
    let (fresh, mut chance) = (Fresh::new().await, Chance(1));
    fresh.store.put_bouts(&bouts(&mut chance)).await.expect("stored");
    assert!(fresh.store.close_partition().await.expect("closed"));
    let expected = scanned(&fresh.store).await;
    let ledger = fresh.store.ledger().await.expect("read");
    let found = fresh.store.close_ledger(ledger, Check::Some).await.expect("read");
    assert_eq!(found, []);
    // Bytes in the middle of the partition are not looked at for totals.
    damage(&fresh.store).await;
    assert!(fresh.store.fold_results(EVENT, (), |(), _| ()).await.is_err(), "it is damaged");
    let totals = fresh.store.totals(&event()).await.expect("they can be read");
    assert_eq!(totals, Some(expected));
}
