//! Envelopes: what is written is read again, and nothing else is.

use std::time::Duration;

use joust_cluster::envelope::{EnvelopeError, MOST_BYTES, WireMessage, read, write};
use joust_cluster::{Batch, ClassId, Report};
use joust_model::{
    BoutId, BoutPlan, BoutResult, BuildHash, GameOptions, Limits, Occupant, SeatPlan, Setting,
};
use joust_play::executor::{Assignment, Delivery, Failure, Needs};
use joust_referee::Seed;
use joust_testkit::fixtures;
use serde::{Deserialize, Serialize};

fn plan() -> BoutPlan {
    let seat = |bot: &str, occupant| SeatPlan { bot: bot.to_owned(), occupant };
    let options = [("walls".to_owned(), Setting::Bool(true)), ("size".to_owned(), Setting::Int(9))];
    BoutPlan {
        bout: BoutId([7; 8]),
        event: "event".to_owned(),
        game: "game".to_owned(),
        revision: 3,
        referee: None,
        rules: "rules".to_owned(),
        options: GameOptions(options.into()).into(),
        seed: Seed(u64::MAX),
        match_number: 2,
        number: 1,
        seats: vec![
            seat("ä", Occupant::Build(BuildHash([9; 32]))),
            seat("somebody", Occupant::Person),
        ],
        limits: Limits::default().into(),
        clock: None,
    }
}

fn result() -> BoutResult {
    let plan = plan();
    BoutResult {
        started_at: -1,
        took: Duration::from_nanos(1_000_000_007),
        action_log: vec![0xfe; 5000],
        turn_log: vec![0x81; 3000],
        ..fixtures::result(&plan, plan.key(), Vec::new())
    }
}

fn report() -> Report {
    let failed = Failure::Infrastructure("the power failed".to_owned());
    Report {
        worker: "w".to_owned(),
        epoch: 1,
        batch: 2,
        attempt: 3,
        deliveries: vec![
            Delivery::new(BoutId([7; 8]), Ok(result())),
            Delivery::new(BoutId([8; 8]), Err(failed)),
            Delivery::new(BoutId([9; 8]), Err(Failure::Cancelled)),
            Delivery::of_all(BoutId([7; 8]), Ok(vec![result(), result()])),
        ],
        returned: vec![BoutId([1; 8])],
    }
}

fn batch() -> Batch {
    let bouts =
        vec![Assignment { rest: vec![plan()], ..Assignment::new(plan(), Needs::default()) }];
    let class = ClassId::of(&Needs::default());
    Batch { epoch: 1, number: 2, attempt: 0, class, bouts }
}

#[test]
fn what_is_written_is_read_again() {
    let written = write(&batch()).expect("it is small");
    let again: Batch = read(&written).expect("it is whole");
    assert_eq!(again, batch());
    assert_eq!(again.bouts[0].plan.key(), plan().key());
    let written = write(&report()).expect("it is small");
    assert_eq!(read::<Report>(&written).expect("it is whole"), report());
}

#[test]
fn logs_are_bytes_and_take_no_more_room_than_they_have() {
    let mut without = report();
    let all = without.deliveries.iter_mut();
    for result in all.flat_map(|it| it.result.as_mut().ok().into_iter().chain(&mut it.rest)) {
        result.action_log.clear();
        result.turn_log.clear();
    }
    let lengths = [report(), without].map(|it| write(&it).expect("it is small").len());
    assert!(lengths[0] - lengths[1] < 3 * (5000 + 3000 + 16), "{lengths:?}");
}

#[test]
fn an_unknown_version_is_refused_with_both_versions() {
    let mut written = write(&report()).expect("it is small");
    written[5..7].copy_from_slice(&9_u16.to_le_bytes());
    let text = read::<Report>(&written).expect_err("it is another version").to_string();
    assert_eq!(text, "a report of results in form 9, and this version reads form 1");
}

#[test]
fn what_is_too_large_is_refused_with_its_size_and_the_most() {
    let mut large = report();
    let result = large.deliveries[0].result.as_mut().expect("it is a result");
    result.action_log = vec![0; MOST_BYTES];
    let text = write(&large).expect_err("it is too large").to_string();
    assert!(text.starts_with("a report of results has 134"), "{text}");
    assert!(text.ends_with("more than the 134217728 that are allowed"), "{text}");
    let text = read::<Report>(&vec![0; MOST_BYTES + 1]).expect_err("it is too large").to_string();
    assert!(text.contains("134217729"), "{text}");
}

#[test]
fn what_is_foreign_damaged_or_another_letter_is_refused() {
    let written = write(&report()).expect("it is small");
    assert!(matches!(read::<Batch>(&written), Err(EnvelopeError::Foreign { .. })));
    for length in 0..written.len().min(400) {
        read::<Report>(&written[..length]).expect_err("it is cut off");
    }
    let mut longer = written;
    longer.push(0);
    let text = read::<Report>(&longer).expect_err("it is too long").to_string();
    assert!(text.ends_with("1 bytes follow its end"), "{text}");
}

#[test]
fn a_report_of_more_results_than_any_batch_has_is_damaged() {
    let many = |count| {
        let cancelled = || Delivery::new(BoutId([7; 8]), Err(Failure::Cancelled));
        let deliveries = std::iter::repeat_with(cancelled).take(count).collect();
        write(&Report { deliveries, ..report() }).expect("it is written")
    };
    assert_eq!(read::<Report>(&many(4096)).expect("it can be read").deliveries.len(), 4096);
    let refused = read::<Report>(&many(4097)).expect_err("it is too many").to_string();
    assert!(refused.contains("at most 4096 deliveries"), "{refused}");
}

/// Message of many short values.
#[derive(Debug, Serialize, Deserialize)]
struct Values(Vec<u8>);

impl WireMessage for Values {
    const KIND: u8 = 99;
    const NAME: &'static str = "list";
}

#[test]
fn a_message_of_many_short_values_is_damaged() {
    let read_of = |values| read::<Values>(&write(&Values(vec![0; values])).expect("it is short"));
    assert_eq!(read_of(1000).expect("they are few").0.len(), 1000);
    let many = read_of(1 << 24).expect_err("each value takes more in memory").to_string();
    assert!(many.ends_with("it has more than 16777216 names and values"), "{many}");
}
