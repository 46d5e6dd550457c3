//! Tests of turn logs: a log is read as it was written, and damage is detected.

use joust_referee::Finite;
use proptest::prelude::*;

use super::{FORMAT, TurnLog, TurnLogError, TurnVerdicts};
use crate::{Exit, LimitSet, NumberRecord, NumberSource, TurnRecord};

fn exit() -> impl Strategy<Value = Exit> {
    prop_oneof![
        any::<i32>().prop_map(Exit::Status),
        any::<i32>().prop_map(Exit::Signal),
        any::<i32>().prop_map(Exit::NotStarted),
        Just(Exit::Killed),
        Just(Exit::Running),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("B NE".to_owned()), "\\PC{0,9}", any::<String>()]
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    let byte = || any::<u8>();
    prop_oneof![prop::collection::vec(byte(), 0..9), byte().prop_map(|byte| vec![byte; 1025])]
}

/// Generates a record of any numbers, with texts from a small set.
fn record() -> impl Strategy<Value = TurnRecord> {
    let numbers = (any::<u32>(), any::<[u8; 2]>(), any::<u16>(), any::<[u64; 4]>());
    (numbers, any::<bool>(), exit(), [text(), text()], [stream(), stream()]).prop_map(
        |((round, [seat, verdict], limits_hit, used), cpu_partial, exit, texts, streams)| {
            let ([action, reason], [output, stderr]) = (texts, streams);
            let [wall_us, cpu_us, stall_us, peak_memory_bytes] = used;
            TurnRecord {
                round,
                seat,
                verdict,
                limits_hit: LimitSet(limits_hit),
                wall_us,
                cpu_us,
                cpu_partial,
                stall_us,
                peak_memory_bytes,
                exit,
                action,
                output,
                stderr,
                reason,
            }
        },
    )
}

fn records() -> impl Strategy<Value = Vec<TurnRecord>> {
    prop::collection::vec(record(), 0..6)
}

/// Generates a number with one of a few names.
fn number() -> impl Strategy<Value = NumberRecord> {
    let source = prop_oneof![Just(NumberSource::Referee), Just(NumberSource::Bot)];
    let value = any::<f64>().prop_filter_map("it is infinite", Finite::new);
    (any::<u32>(), any::<u8>(), source, "[a-c]", value).prop_map(
        |(round, seat, source, name, value)| NumberRecord { round, seat, source, name, value },
    )
}

fn log(records: &[TurnRecord]) -> TurnLog {
    let mut log = TurnLog::default();
    records.iter().for_each(|record| log.push(record));
    log
}

fn compressed(bytes: &[u8]) -> Vec<u8> {
    zstd::bulk::compress(bytes, 3).expect("memory")
}

/// Changes, removes or doubles one byte.
fn damaged(log: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut log = log.to_vec();
    let at = at % log.len();
    match byte % 4 {
        0 => drop(log.remove(at)),
        1 => log.insert(at, log[at]),
        2 => log[at] = b"0123456789-{}[]\"\\,: \n\x01\xff"[usize::from(byte) % 23],
        _ => log[at] = byte,
    }
    log
}

/// Asserts that a decoded log has the same referee's decisions as the records.
fn assert_decided(log: &[u8], records: &[TurnRecord]) {
    let read: Vec<_> = TurnVerdicts::of(log).expect("it is whole").collect();
    assert_eq!(read.len(), records.len());
    for (turn, record) in read.iter().zip(records) {
        let said = (record.round, record.seat, record.verdict, &*record.action);
        assert_eq!((turn.round, turn.seat, turn.verdict, turn.action), said);
    }
}

/// Asserts that both ways to read a log give the same result, or both an error.
fn assert_read_alike(log: &[u8]) {
    let whole = TurnLog::read(&compressed(log));
    match (whole, TurnVerdicts::of(log)) {
        (Ok(records), Ok(_)) => assert_decided(log, &records),
        (Err(_), Err(_)) => {}
        (whole, turns) => panic!("{whole:?} and {turns:?}"),
    }
}

proptest! {
    #[test]
    fn what_is_written_can_be_read(records in records()) {
        let log = log(&records);
        prop_assert_eq!(&TurnLog::read(&log.compress()).expect("it is whole"), &records);
        assert_decided(&log.to_bytes(), &records);
    }

    #[test]
    fn numbers_come_back_as_they_were(
        records in records(),
        numbers in prop::collection::vec(number(), 0..6),
    ) {
        let mut log = log(&records);
        numbers.iter().for_each(|number| log.push_number(number));
        let read = TurnLog::read_numbers(&log.compress()).expect("it is whole");
        prop_assert_eq!(read, numbers);
        prop_assert_eq!(TurnLog::read(&log.compress()).expect("it is whole"), records);
    }

    #[test]
    fn damaged_numbers_are_read_or_refused(
        numbers in prop::collection::vec(number(), 1..6),
        at: usize,
        byte: u8,
    ) {
        let mut log = TurnLog::default();
        numbers.iter().for_each(|number| log.push_number(number));
        assert_read_alike(&damaged(&log.to_bytes(), at, byte));
    }

    #[test]
    fn a_damaged_log_is_read_or_refused(records in records(), at: usize, byte: u8) {
        assert_read_alike(&damaged(&log(&records).to_bytes(), at, byte));
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        bytes.insert(0, FORMAT);
        assert_read_alike(&bytes);
    }

    #[test]
    fn a_log_cut_off_is_refused(records in records(), at: prop::sample::Index) {
        let log = log(&records).to_bytes();
        let cut = &log[..1 + at.index(log.len() - 1)];
        let error = TurnVerdicts::of(cut).map(drop).expect_err("the rest is missing");
        let is_within = matches!(error, TurnLogError::Column { offset } if offset <= cut.len());
        prop_assert!(is_within, "{error}");
    }
}

#[test]
fn a_log_without_records_is_read() {
    assert_eq!(TurnLog::read(&TurnLog::default().compress()).expect("it is whole"), []);
}

#[test]
fn what_is_no_log_is_refused_at_its_first_byte() {
    for bytes in [&b""[..], b"{}", &[1], &[FORMAT + 1]] {
        let error = TurnLog::read(&compressed(bytes)).expect_err("of no known format");
        assert_eq!(error.to_string(), "turn log is damaged at byte 0", "{bytes:?}");
    }
}

#[test]
fn a_log_that_goes_on_after_its_end_is_refused() {
    let mut bytes = TurnLog::default().to_bytes();
    bytes.push(0);
    let error = TurnLog::read(&compressed(&bytes)).expect_err("a byte too many");
    assert_eq!(error.to_string(), "turn log is damaged at byte 8");
}
