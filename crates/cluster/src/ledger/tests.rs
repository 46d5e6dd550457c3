use std::collections::BTreeSet;

use joust_model::{BoutPlan, BuildHash, GameOptions, Limits, Occupant, SeatPlan};
use joust_play::executor::{CoreNeeds, FewerCores, MachineOffer, Needs};
use joust_referee::Seed;

use super::*;
use crate::message::State;

const SILENCE: Silence = Silence { lease: Duration::from_secs(30), beat: Duration::from_secs(5) };

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn bout(number: u64, wanted: usize) -> Assignment {
    let seat = SeatPlan { bot: "a".to_owned(), occupant: Occupant::Build(BuildHash([1; 32])) };
    let plan = BoutPlan {
        bout: BoutId(number.to_be_bytes()),
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 1,
        referee: None,
        rules: "rules".to_owned(),
        options: GameOptions::default().into(),
        seed: Seed(number),
        match_number: number / 2,
        number: u32::try_from(number % 2).expect("it is small"),
        seats: vec![seat],
        limits: Limits::default().into(),
        clock: None,
    };
    let cores = CoreNeeds { wanted, otherwise: FewerCores::Refused };
    Assignment::new(plan, Needs { cores, ..Needs::default() })
}

fn said(worker: &str, held: &[u64]) -> Announcement {
    let tier = joust_sandbox::Tier::B;
    let offer = MachineOffer { cores: 1, tier, toolchains: BTreeSet::new() };
    Announcement {
        state: State::Playing,
        held: held.iter().copied().collect(),
        epoch: 1,
        ..Announcement::new(worker, offer)
    }
}

fn filled(bouts: u64) -> Ledger {
    let mut ledger = Ledger::new(1, SILENCE);
    (0..bouts).for_each(|number| assert_eq!(ledger.push(bout(number, 1), seconds(0)), None));
    ledger
}

fn matches(batch: &Batch) -> Vec<u64> {
    batch.bouts.iter().map(|it| it.plan.match_number).collect()
}

fn report(batch: &Batch) -> Report {
    let delivery = |it: &Assignment| {
        Delivery::new(it.plan.bout, Err(joust_play::executor::Failure::Cancelled))
    };
    Report {
        worker: "w".to_owned(),
        epoch: 1,
        batch: batch.number,
        attempt: batch.attempt,
        deliveries: batch.bouts.iter().map(delivery).collect(),
        returned: Vec::new(),
        signatures: Vec::new(),
    }
}

#[test]
fn the_bouts_of_a_match_are_never_in_two_batches() {
    let mut ledger = filled(7);
    let first = ledger.cut(seconds(0)).expect("whole matches wait");
    assert_eq!(matches(&first), [0, 0]);
    let second = ledger.cut(seconds(0)).expect("whole matches wait");
    assert_eq!(matches(&second), [1, 1]);
    assert_eq!(ledger.cut(seconds(0)), None, "as many are out as there may be");
    ledger.heard(&said("w", &[]), seconds(0));
    assert_eq!(matches(&ledger.cut(seconds(0)).expect("one may be")), [2, 2]);
    ledger.heard(&said("v", &[]), seconds(0));
    assert_eq!(ledger.cut(seconds(0)), None, "the last match may not be whole");
    ledger.close();
    assert_eq!(matches(&ledger.cut(seconds(0)).expect("it is whole")), [3]);
}

#[test]
fn a_batch_is_of_one_class() {
    let mut ledger = Ledger::new(1, SILENCE);
    for (number, cores) in [(0, 1), (1, 1), (2, 4), (3, 4), (4, 1), (5, 1)] {
        ledger.push(bout(number, cores), seconds(0));
    }
    ledger.close();
    let classes = [ledger.cut(seconds(0)), ledger.cut(seconds(0))].map(|it| it.unwrap().class);
    assert_ne!(classes[0], classes[1]);
    assert_eq!(ledger.classes().len(), 2);
}

#[test]
fn what_is_reported_twice_is_new_once() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.cut(seconds(0)).expect("it waits");
    assert_eq!(ledger.report(report(&batch)).len(), 2);
    assert!(ledger.report(report(&batch)).is_empty());
    assert!(ledger.is_empty());
}

#[test]
fn what_is_given_back_waits_again() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.cut(seconds(0)).expect("it waits");
    let returned = batch.bouts.iter().map(|it| it.plan.bout).collect();
    ledger.report(Report { deliveries: Vec::new(), returned, ..report(&batch) });
    assert_eq!(ledger.cut(seconds(0)).expect("it waits again").bouts.len(), 2);
}

#[test]
fn a_batch_of_a_silent_worker_is_handed_out_again() {
    let mut ledger = filled(2);
    ledger.close();
    let batch = ledger.cut(seconds(0)).expect("it waits");
    ledger.heard(&said("w", &[batch.number]), seconds(10));
    assert!(ledger.overdue(seconds(54)).is_empty());
    assert_eq!(ledger.overdue(seconds(56)), [batch.number]);
    let again = ledger.cut(seconds(56)).expect("it is handed out");
    assert_eq!((again.attempt, again.bouts.len()), (1, 2));
    assert_eq!(ledger.gone(seconds(56)), ["w"]);
}

#[test]
fn what_nobody_holds_is_handed_out_again_when_the_transport_was_wiped() {
    let mut ledger = filled(4);
    ledger.close();
    let (held, waits) = (ledger.cut(seconds(0)).unwrap(), ledger.cut(seconds(0)).unwrap());
    ledger.heard(&said("w", &[held.number]), seconds(10));
    assert_eq!(ledger.wiped(seconds(12)), 1);
    assert_eq!(ledger.cut(seconds(12)).expect("it is handed out").number, waits.number);
}
