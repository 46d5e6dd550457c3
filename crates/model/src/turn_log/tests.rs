//! Tests of turn logs: a log is read as it was written, and damage is detected.

use std::io::{self, Read};

use joust_referee::Finite;
use proptest::prelude::*;
use serde_bytes::Bytes;

use super::{FORMAT, MOST_UNPACKED, TurnLog, TurnLogError, UnpackedTurns, encode, encode_all};
use crate::{Exit, LimitSet, NumberRecord, NumberSource, Round, TurnRecord};

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
                round: Round(round),
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
    let read = UnpackedTurns::read(log).expect("it is whole").turns;
    assert_eq!(read.len(), records.len());
    for (turn, record) in read.iter().zip(records) {
        let said = (record.round, record.seat, record.verdict, &*record.action);
        assert_eq!((turn.round, turn.seat, turn.verdict, turn.action), said);
    }
}

/// Returns why a log cannot be read.
fn why_unread(log: &[u8]) -> String {
    match TurnLog::read(&compressed(log)) {
        Err(TurnLogError::Damaged(problem)) => problem.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Asserts that both ways to read a log give the same result, or both an error; damage of the
/// measurements is met by the one that reads them.
fn assert_read_alike(log: &[u8]) {
    let whole = TurnLog::read(&compressed(log));
    match (whole, UnpackedTurns::read(log)) {
        (Ok(records), Ok(_)) => assert_decided(log, &records),
        (Err(_), _) => {}
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
        let error = UnpackedTurns::read(cut).map(drop).expect_err("the rest is missing");
        prop_assert!(matches!(error, TurnLogError::Damaged(_)), "{error}");
    }
}

#[test]
fn a_log_without_records_is_read() {
    assert_eq!(TurnLog::read(&TurnLog::default().compress()).expect("it is whole"), []);
}

#[test]
fn what_is_no_log_is_refused_by_its_first_byte() {
    for bytes in [&b""[..], b"{}", &[1], &[FORMAT + 1]] {
        assert_eq!(why_unread(bytes), "it has another format", "{bytes:?}");
    }
}

#[test]
fn a_log_that_goes_on_after_its_end_is_refused() {
    let mut bytes = TurnLog::default().to_bytes();
    bytes.push(0);
    assert_eq!(why_unread(&bytes), "bytes follow its end");
}

/// Returns a log of these pieces.
fn log_of(pieces: [&[u8]; 3]) -> Vec<u8> {
    pieces.iter().fold(vec![FORMAT], |log, piece| encode(Bytes::new(piece), log))
}

fn number_named(name: &str) -> NumberRecord {
    let value = Finite::new(1.0).expect("it is finite");
    NumberRecord { round: 0, seat: 0, source: NumberSource::Bot, name: name.to_owned(), value }
}

#[test]
fn a_short_log_of_many_turns_or_numbers_is_not_taken_into_memory() {
    let turns = |many| encode_all((0..many).map(|_| (0, 0, 0, 0, "")));
    let number = number_named("n");
    let numbers = |many| encode_all((0..many).map(|_| &number));
    let some = log_of([&turns(1000), &numbers(1000), &[]]);
    assert_eq!(UnpackedTurns::read(&some).expect("it is whole").turns.len(), 1000);
    let many = MOST_UNPACKED / size_of::<TurnRecord>() + 1;
    for log in [log_of([&turns(many), &[], &[]]), log_of([&[], &numbers(many), &[]])] {
        let error = UnpackedTurns::read(&log).map(drop).expect_err("they are too many");
        assert!(matches!(error, TurnLogError::TooLong), "{error}");
    }
}

#[test]
fn a_name_of_a_number_that_could_control_a_terminal_is_refused() {
    let read = |name| {
        let numbers = encode_all([number_named(name)].iter());
        TurnLog::read_numbers(&compressed(&log_of([&[], &numbers, &[]])))
    };
    assert_eq!(read("depth-1_b").expect("it is a name").len(), 1);
    for name in ["a\u{1b}[2J", "", "a b", "A", &"n".repeat(33)] {
        assert!(matches!(read(name), Err(TurnLogError::Damaged(_))), "{name:?}");
    }
}

#[test]
fn a_short_log_of_a_long_text_is_not_taken_into_memory() {
    const LONG: u64 = 300 << 20;
    let action = encode((0, 0, 0, 0, LONG), Vec::new());
    let head = encode(action.len() as u64 + LONG, vec![FORMAT]);
    let text = io::repeat(b'a').take(LONG);
    let log = head.as_slice().chain(&action[..]).chain(text).chain(&[0, 0][..]);
    let packed = zstd::encode_all(log, 3).expect("memory");
    let error = TurnLog::read(&packed).expect_err("it is too long");
    assert!(matches!(error, TurnLogError::Damaged(_)), "{error}");
}
