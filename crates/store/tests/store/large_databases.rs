//! More bouts than are written or read at once.

use std::collections::HashMap;

use joust_model::{BoutPlan, BoutResult, Verdict, VerdictCounts};
use joust_store::{BoutPlace, Change, CheckScope, EventSettings};

use crate::fixtures::{EVENT, Fresh, event, played};

/// The other event of a database.
const OTHER: &str = "cup";

/// More than two pages of rows.
const MANY: u32 = 9000;

/// Bout `number`, in one of two events by turns of three; every fifth has faults
/// that tell it from its neighbours.
fn one_of_many(number: u32) -> (BoutPlan, BoutResult) {
    let (mut plan, mut result) = played(["anna", "bert"], u64::from(MANY - number), number);
    if number.is_multiple_of(3) {
        plan.event = OTHER.to_owned();
    }
    for (seat, place) in result.seats.iter_mut().zip(0..) {
        seat.verdicts = VerdictCounts::default();
        (0..1 + number % 4).for_each(|_| seat.verdicts.add(Verdict::Ok));
        if number.is_multiple_of(5) {
            (0..1 + place).for_each(|_| seat.verdicts.add(Verdict::Timeout));
        }
        seat.score = (i64::from(number) - 10 * place).into();
    }
    (plan, result)
}

async fn with_many() -> (Fresh, Vec<(BoutPlan, BoutResult)>) {
    let fresh = Fresh::new().await;
    let other = EventSettings { id: OTHER.to_owned(), ..event() };
    fresh.store.put_event(&other).await.expect("an event");
    let bouts: Vec<_> = (0..MANY).map(one_of_many).collect();
    fresh.store.put_bouts(&bouts).await.expect("stored");
    (fresh, bouts)
}

fn of_event<'a>(
    bouts: &'a [(BoutPlan, BoutResult)],
    event: &str,
) -> HashMap<u64, &'a (BoutPlan, BoutResult)> {
    let own = bouts.iter().filter(|(plan, _)| plan.event == event);
    own.map(|bout| (bout.0.match_number, bout)).collect()
}

#[tokio::test]
async fn each_event_has_every_result_of_its_own_in_schedule_order() {
    let (fresh, bouts) = with_many().await;
    for event in [EVENT, OTHER] {
        let mut expected = of_event(&bouts, event);
        let results = fresh.store.results(event).await.expect("read");
        assert!(results.is_sorted_by_key(|bout| bout.match_number));
        for found in results {
            let (plan, result) = expected.remove(&found.match_number).expect("stored once");
            assert_eq!((found.bout, found.seed, found.number), (plan.bout, plan.seed, plan.number));
            assert_eq!((found.rounds, found.is_isolated), (result.rounds, true));
            for (seat, stored) in found.seats.iter().zip(&result.seats) {
                assert_eq!((&*seat.bot, seat.rank), (stored.bot.as_str(), stored.rank));
                assert_eq!((seat.score, *seat.verdicts), (stored.score, stored.verdicts));
            }
            assert_eq!(found.seats.len(), 2);
        }
        assert!(expected.is_empty(), "{event} lacks {} bouts", expected.len());
    }
}

#[tokio::test]
async fn the_schedule_finds_every_bout_of_its_event() {
    let (fresh, bouts) = with_many().await;
    let own: Vec<_> = bouts.iter().filter(|(plan, _)| plan.event == OTHER).collect();
    let finished = fresh.store.finished(OTHER).await.expect("read");
    assert_eq!(finished.len(), own.len());
    assert!(own.iter().all(|(plan, _)| finished.get(&plan.bout) == Some(&plan.key())));
    let places: Vec<_> = own.iter().skip(2).map(|(plan, _)| BoutPlace::of(plan)).collect();
    let found = fresh.store.reconcile(OTHER, &places).await.expect("written");
    assert_eq!((found.finished(), found.stale), (own.len() as u64 - 2, 2));
    let left = fresh.store.results(OTHER).await.expect("read");
    assert_eq!(left.len(), own.len() - 2);
}

#[tokio::test]
async fn bouts_of_an_event_are_found_with_pages_of_others_between_them() {
    let (fresh, _) = with_many().await;
    let late = EventSettings { id: "late".to_owned(), ..event() };
    fresh.store.put_event(&late).await.expect("an event");
    let (mut plan, result) = played(["bert", "cleo"], 0, 0);
    plan.event.clone_from(&late.id);
    fresh.store.put_bouts(&[(plan.clone(), result)]).await.expect("stored");
    let found =
        fresh.store.reconcile(&late.id, &vec![BoutPlace::of(&plan)]).await.expect("written");
    assert_eq!((found.finished(), found.stale), (1, 0));
    let nothing: &Vec<BoutPlace> = &Vec::new();
    let found = fresh.store.reconcile("no such event", nothing).await.expect("read");
    assert_eq!((found.finished(), found.stale), (0, 0));
}

#[tokio::test]
async fn the_chain_fits_many_bouts_written_together() {
    let (fresh, bouts) = with_many().await;
    let mut ledger = fresh.store.ledger().await.expect("read");
    let (mut last, mut seen) = (i64::MIN, 0);
    loop {
        let page = fresh.store.bouts_after(last).await.expect("read");
        let Some(newest) = page.last() else { break };
        last = newest.number;
        seen += page.len();
        for recorded in &page {
            assert_eq!(ledger.check(recorded), []);
        }
    }
    let found = fresh.store.close_ledger(ledger, CheckScope::Everything).await.expect("read");
    assert_eq!((found, seen), (Vec::new(), bouts.len()));
}

#[tokio::test]
async fn a_bout_that_comes_twice_in_a_group_is_stored_once() {
    let fresh = Fresh::new().await;
    let (plan, first) = played(["anna", "bert"], 0, 0);
    let (mut changed, mut second) = (plan.clone(), first.clone());
    changed.seed.0 -= 1;
    (second.key, second.rounds) = (changed.key(), 99);
    let again = (plan.clone(), BoutResult { rounds: 55, ..first.clone() });
    let group = [
        (plan.clone(), first),
        played(["anna", "cleo"], 1, 0),
        again,
        (changed, second),
        played(["bert", "cleo"], 2, 0),
    ];
    fresh.store.put_bouts(&group).await.expect("stored");
    assert_eq!(fresh.store.all_bouts().await.expect("read"), 3);
    let stands = fresh.store.bout(&plan.bout.to_string()).await.expect("read").expect("there");
    assert_eq!(stands.result.rounds, 99);
    let history = fresh.store.history(plan.bout).await.expect("read");
    let rounds: Vec<_> = history
        .iter()
        .map(|row| (row.change, row.before.as_ref().map(|bout| bout.result.rounds)))
        .collect();
    assert_eq!(rounds, [(Change::Replaced, Some(17))]);
}

#[tokio::test]
async fn every_bout_of_a_version_is_counted() {
    let (fresh, bouts) = with_many().await;
    let own = of_event(&bouts, EVENT);
    let versions = fresh.store.versions(EVENT).await.expect("read");
    let names: Vec<_> = versions.iter().map(|version| version.bot.as_str()).collect();
    assert_eq!(names, ["anna", "bert"]);
    for (version, seat) in versions.iter().zip(0..) {
        let seats = own.values().map(|(_, result)| &result.seats[seat]);
        let faults: u64 = seats.map(|seat| u64::from(seat.verdicts.faults())).sum();
        assert_eq!((u64::from(version.bouts), version.faults), (own.len() as u64, faults));
        assert_eq!((version.standing, version.drawn), (version.bouts, 0));
        assert_eq!(version.won, if seat == 0 { version.bouts } else { 0 });
        let days = version.days.iter();
        let counted = days.fold((0, 0), |sum, day| (sum.0 + day.bouts, sum.1 + day.won));
        assert_eq!(counted, (version.bouts, version.won));
        assert!(version.days.is_sorted_by(|one, next| one.at + 86_400_000 <= next.at));
    }
}

#[tokio::test]
async fn bouts_come_in_schedule_order_however_they_were_stored() {
    let (fresh, bouts) = with_many().await;
    for event in [EVENT, OTHER] {
        let in_order = fresh.store.fold_in_order(event, Vec::new(), Vec::push).await.expect("read");
        assert_eq!(in_order, fresh.store.results(event).await.expect("read"));
        let ids = fresh.store.bouts_in_order(event).await.expect("read");
        let own = of_event(&bouts, event);
        let plans = own.values().map(|(plan, _)| (plan.match_number, plan.number, plan.bout));
        let mut plans: Vec<_> = plans.collect();
        plans.sort_unstable();
        assert_eq!(ids, plans.into_iter().map(|(.., bout)| bout).collect::<Vec<_>>());
    }
    let nothing = fresh.store.fold_in_order("another", 0, |count, _| *count += 1).await;
    assert_eq!(nothing.expect("read"), 0);
    assert_eq!(fresh.store.all_bouts().await.expect("read"), u64::from(MANY));
}
