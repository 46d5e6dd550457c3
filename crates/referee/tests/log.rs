//! The action log: what is written can be read, and anything else is refused.

use std::sync::Arc;

use joust_referee::log::{LogProblem, LogReader, LogWriter, decode, encode};
use joust_referee::{Connection, Input, Part, Parts, RequestId, Seat, Verdict};
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Arc<[u8]>> {
    prop::collection::vec(any::<u8>(), 0..200).prop_map(Arc::from)
}

fn parts() -> impl Strategy<Value = Parts> {
    let part = (".{0,10}", bytes()).prop_map(|(name, bytes)| Part { name: Arc::from(name), bytes });
    prop::collection::vec(part, 0..4).prop_map(Parts)
}

fn input() -> impl Strategy<Value = Input> {
    let verdict = prop::sample::select(&Verdict::ALL[..]);
    let connection = || any::<u32>().prop_map(Connection);
    let seat = || any::<u8>().prop_map(Seat);
    prop_oneof![
        (seat(), any::<u32>(), parts(), verdict).prop_map(|(seat, request, parts, verdict)| {
            Input::Answer { seat, request: RequestId(request), parts, verdict }
        }),
        (connection(), bytes())
            .prop_map(|(connection, bytes)| Input::Message { connection, bytes }),
        (connection(), prop::option::of(seat()))
            .prop_map(|(connection, seat)| Input::Opened { connection, seat }),
        connection().prop_map(|connection| Input::Closed { connection }),
        Just(Input::Tick),
        seat().prop_map(|seat| Input::Person { seat }),
        (".{0,12}", prop::collection::vec(any::<i64>(), 0..5))
            .prop_map(|(draw, values)| Input::Resolved { draw, values }),
    ]
}

fn answer(text: &str) -> Input {
    let parts = Parts::single(text.as_bytes());
    Input::Answer { seat: Seat(1), request: RequestId(3), parts, verdict: Verdict::Ok }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_can_be_read(inputs in prop::collection::vec(input(), 0..20)) {
        prop_assert_eq!(decode(&encode(&inputs)), Ok(inputs));
    }

    #[test]
    fn a_list_of_inputs_has_one_log(mut log in prop::collection::vec(any::<u8>(), 0..60)) {
        log.insert(0, 1);
        if let Ok(inputs) = decode(&log) {
            prop_assert_eq!(encode(&inputs), log);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(
        inputs in prop::collection::vec(input(), 1..6),
        place: prop::sample::Index,
        byte: u8,
    ) {
        let mut log = encode(&inputs);
        let place = place.index(log.len());
        log[place] = byte;
        if let Err(error) = decode(&log) {
            prop_assert!(error.offset <= log.len());
        }
    }

    #[test]
    fn a_log_cut_anywhere_gives_its_first_inputs(
        inputs in prop::collection::vec(input(), 1..6),
        place: prop::sample::Index,
    ) {
        let log = encode(&inputs);
        let end = 1 + place.index(log.len() - 1);
        let reader = LogReader::new(&log[..end]).expect("the first byte is there");
        let read: Vec<Input> = reader.map_while(Result::ok).collect();
        prop_assert_eq!(&inputs[..read.len()], &read[..]);
    }
}

#[test]
fn the_bytes_of_an_answer_are_these() {
    let log = encode(&[answer("B NE\n")]);
    assert_eq!(log, b"\x01\x00\x01\x03\x0b\x01\x00\x05B NE\n");
}

#[test]
fn a_log_can_be_written_one_input_at_a_time() {
    let inputs = [Input::Tick, answer("NO"), Input::Closed { connection: Connection(300) }];
    let mut writer = LogWriter::new();
    inputs.iter().for_each(|input| writer.push(input));
    assert_eq!(writer.as_bytes(), encode(&inputs));
}

#[test]
fn another_format_is_refused() {
    let error = decode(&[9]).expect_err("format 9 is unknown");
    assert_eq!(error.to_string(), "action log has format 9, this version reads 1");
}

#[test]
fn no_bytes_are_no_log() {
    assert_eq!(decode(&[]).expect_err("there is nothing").problem, LogProblem::CutOff);
}

#[test]
fn a_length_beyond_the_end_is_refused() {
    let log = b"\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    let error = decode(log).expect_err("the bytes are not there");
    assert_eq!(error.to_string(), "action log is cut off at byte 13");
}

#[test]
fn a_huge_number_of_parts_is_refused() {
    let log = b"\x01\x00\x00\x00\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    assert_eq!(decode(log).expect_err("the parts are not there").problem, LogProblem::CutOff);
}

#[test]
fn after_an_error_nothing_more_is_read() {
    let mut reader = LogReader::new(b"\x01\x09\x04").expect("the format is known");
    let error = reader.next().expect("there is a byte").expect_err("kind 9 is unknown");
    assert_eq!((error.offset, error.problem), (1, LogProblem::UnknownKind(9)));
    assert!(reader.next().is_none());
}
