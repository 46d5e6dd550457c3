//! The action log: what is written can be read, and anything else is refused.

use std::sync::Arc;

use joust_referee::log::{FORMAT, LogProblem, LogReader, LogWriter, decode, encode};
use joust_referee::{Connection, Input, Part, Parts, RequestId, Seat, Verdict};
use proptest::prelude::*;

fn bytes() -> impl Strategy<Value = Arc<[u8]>> {
    prop::collection::vec(any::<u8>(), 0..200).prop_map(Arc::from)
}

fn parts() -> impl Strategy<Value = Parts> {
    let part = (".{0,10}", bytes()).prop_map(|(name, bytes)| Part { name: Arc::from(name), bytes });
    let often = ["N\n", "B NE\n"].map(|text| Just(Parts::single(text.as_bytes())));
    let many = (bytes(), 8..11_usize).prop_map(|(bytes, count)| {
        Parts(vec![Part { name: Arc::from("place.txt"), bytes }; count])
    });
    let [one, other] = often;
    prop_oneof![prop::collection::vec(part, 0..4).prop_map(Parts), one, other, many]
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

fn inputs() -> impl Strategy<Value = Vec<Input>> {
    prop::collection::vec(input(), 0..20)
}

fn answer(text: &str) -> Input {
    let parts = Parts::single(text.as_bytes());
    Input::Answer { seat: Seat(1), request: RequestId(3), parts, verdict: Verdict::Ok }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_can_be_read(inputs in inputs()) {
        prop_assert_eq!(decode(&encode(&inputs)), Ok(inputs));
    }

    #[test]
    fn inputs_are_lent_as_they_are_read(inputs in inputs()) {
        let log = encode(&inputs);
        let mut reader = LogReader::new(&log).expect("it is whole");
        for input in &inputs {
            prop_assert_eq!(reader.lend(), Some(Ok(input)));
        }
        prop_assert_eq!(reader.lend(), None);
    }

    #[test]
    fn what_is_read_of_any_bytes_can_be_written(
        mut log in prop::collection::vec(any::<u8>(), 0..60),
    ) {
        log.insert(0, FORMAT);
        if let Ok(inputs) = decode(&log) {
            prop_assert_eq!(decode(&encode(&inputs)), Ok(inputs));
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
    fn a_log_cut_anywhere_is_refused(
        inputs in prop::collection::vec(input(), 0..6),
        place: prop::sample::Index,
    ) {
        let log = encode(&inputs);
        prop_assert!(decode(&log[..place.index(log.len())]).is_err());
    }
}

#[test]
fn the_bytes_of_answers_are_these() {
    let (first, second) = (answer("B NE\n"), answer("N\n"));
    let log = encode(&[first.clone(), second.clone(), Input::Tick, first, second]);
    let answers = [
        &b"\x00\x01\x06\x0b\x01\x00\x05B NE\n"[..],
        b"\x00\x01\x01\x0b\x01\x00\x02N\n",
        b"\x04",
        // The step from the request before is another one.
        b"\x00\x01\x01\x0b\x01\x00\x05B NE\n",
        b"\x08",
    ];
    assert_eq!(log, [&b"\x03\x05"[..], &answers.concat()].concat());
}

#[test]
fn a_log_can_be_written_one_input_at_a_time() {
    let inputs = [Input::Tick, answer("NO"), Input::Closed { connection: Connection(300) }];
    let mut writer = LogWriter::new();
    inputs.iter().for_each(|input| writer.push(input));
    assert_eq!(writer.to_bytes(), encode(&inputs));
}

#[test]
fn a_bout_of_the_usual_answers_takes_three_bytes_each() {
    let texts = ["N\n", "B NE\n", "L SW\n", "NO\n"];
    let inputs = (0_u8..200).map(|place| Input::Answer {
        seat: Seat(place % 2),
        request: RequestId(place.into()),
        parts: Parts::single(texts[usize::from(place) % texts.len()].as_bytes()),
        verdict: Verdict::Ok,
    });
    let inputs: Vec<_> = inputs.collect();
    let length = encode(&inputs).len();
    assert!(length < 3 * inputs.len() + 60, "{length} bytes");
}

#[test]
fn many_parts_stand_for_one_answer_only() {
    let empty = Part { name: Arc::from(""), bytes: Arc::from(&b""[..]) };
    let parts = Parts(vec![empty; 9]);
    let answer =
        Input::Answer { seat: Seat(0), request: RequestId(0), parts, verdict: Verdict::Ok };
    let once = encode(std::slice::from_ref(&answer));
    let twice = encode(&[answer.clone(), answer]);
    assert_eq!(twice.len(), 2 + 2 * (once.len() - 2), "it is written again");
    let used_twice = [b"\x03\x02", &once[2..], b"\x07"].concat();
    assert_eq!(decode(&used_twice).expect_err("it stands for one").problem, LogProblem::Number);
}

#[test]
fn bytes_after_the_last_input_are_refused() {
    let mut log = encode(&[Input::Tick]);
    log.push(4);
    assert_eq!(decode(&log).expect_err("a byte too many").problem, LogProblem::LeftOver);
}

#[test]
fn another_format_is_refused() {
    let error = decode(&[1]).expect_err("format 1 is unknown");
    assert_eq!(error.to_string(), "action log has format 1, this version reads 3");
}

#[test]
fn no_bytes_are_no_log() {
    assert_eq!(decode(&[]).expect_err("there is nothing").problem, LogProblem::CutOff);
}

#[test]
fn a_length_beyond_the_end_is_refused() {
    let log = b"\x03\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    let error = decode(log).expect_err("the bytes are not there");
    assert_eq!(error.to_string(), "action log is cut off at byte 14");
}

#[test]
fn a_huge_number_of_parts_is_refused() {
    let log = b"\x03\x01\x00\x00\x00\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    assert_eq!(decode(log).expect_err("nobody answers so much").problem, LogProblem::Number);
    let log = b"\x03\x01\x00\x00\x00\x0b\xff\x01";
    assert_eq!(decode(log).expect_err("the parts are not there").problem, LogProblem::CutOff);
}

#[test]
fn an_answer_that_was_not_given_does_not_come_again() {
    let log = b"\x03\x02\x00\x00\x00\x0b\x00\x08";
    assert_eq!(decode(log).expect_err("there is one answer").problem, LogProblem::Number);
}

#[test]
fn after_an_error_nothing_more_is_read() {
    let mut reader = LogReader::new(b"\x03\x02\x09\x04").expect("the format is known");
    let error = reader.next().expect("there is a byte").expect_err("there is no answer");
    assert_eq!((error.offset, error.problem), (2, LogProblem::Number));
    assert!(reader.next().is_none());
}
