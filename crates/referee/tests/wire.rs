//! The wire form of inputs and outputs.

use joust_referee::{
    Connection, DeadlineClass, Files, Finite, Input, Outcome, Output, Part, Parts, PerSeat,
    RequestId, Score, Seat, SeatNumber, SeatOutcome, SendTo, Verdict, wire,
};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    ".{0,12}"
}

fn parts() -> impl Strategy<Value = Parts> {
    let part = (text(), prop::collection::vec(any::<u8>(), 0..40))
        .prop_map(|(name, bytes)| Part { name: name.into(), bytes: bytes.into() });
    prop::collection::vec(part, 0..4).prop_map(Parts)
}

fn bytes() -> impl Strategy<Value = std::sync::Arc<[u8]>> {
    prop::collection::vec(any::<u8>(), 0..40).prop_map(Into::into)
}

fn seat() -> impl Strategy<Value = Seat> {
    any::<u8>().prop_map(Seat)
}

fn request() -> impl Strategy<Value = RequestId> {
    any::<u32>().prop_map(RequestId)
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(&Verdict::ALL[..])
}

fn connection() -> impl Strategy<Value = Connection> {
    any::<u32>().prop_map(Connection)
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        (seat(), request(), parts(), verdict()).prop_map(|(seat, request, parts, verdict)| {
            Input::Answer { seat, request, parts, verdict }
        }),
        (connection(), bytes())
            .prop_map(|(connection, bytes)| Input::Message { connection, bytes }),
        (connection(), prop::option::of(seat()))
            .prop_map(|(connection, seat)| Input::Opened { connection, seat }),
        connection().prop_map(|connection| Input::Closed { connection }),
        Just(Input::Tick),
        seat().prop_map(|seat| Input::Person { seat }),
        (text(), prop::collection::vec(any::<i64>(), 0..4))
            .prop_map(|(draw, values)| Input::Resolved { draw, values }),
    ]
}

fn files() -> impl Strategy<Value = Files> {
    (text(), text(), prop::collection::vec(text(), 0..3), parts()).prop_map(
        |(key, folder, answers, above)| Files {
            key: key.into(),
            folder: folder.into(),
            answers: answers.into_iter().map(Into::into).collect(),
            above,
        },
    )
}

fn ask() -> impl Strategy<Value = Output> {
    let deadline = prop_oneof![
        Just(DeadlineClass::Start),
        Just(DeadlineClass::Turn),
        Just(DeadlineClass::Tick),
        any::<u32>().prop_map(|ms| DeadlineClass::Own { ms }),
    ];
    (seat(), request(), parts(), deadline, prop::option::of(files())).prop_map(
        |(seat, request, parts, deadline, files)| Output::Ask {
            seat,
            request,
            parts,
            deadline,
            files,
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let result = (any::<u8>(), any::<i64>())
        .prop_map(|(rank, score)| SeatOutcome { rank, score: Score::millionths(score) });
    (text(), any::<u32>(), prop::collection::vec(result, 0..5)).prop_map(
        |(ended, rounds, seats)| Outcome { ended: ended.into(), rounds, seats: PerSeat(seats) },
    )
}

fn number() -> impl Strategy<Value = SeatNumber> {
    (seat(), text(), any::<f64>().prop_filter_map("it is infinite", Finite::new))
        .prop_map(|(seat, name, value)| SeatNumber { seat, name: name.into(), value })
}

fn output() -> impl Strategy<Value = Output> {
    let to = prop_oneof![Just(SendTo::All), connection().prop_map(SendTo::Connection)];
    prop_oneof![
        ask(),
        (to, bytes()).prop_map(|(to, bytes)| Output::Send { to, bytes }),
        connection().prop_map(|connection| Output::Close { connection }),
        seat().prop_map(|seat| Output::Skip { seat }),
        (seat(), request(), verdict(), text()).prop_map(|(seat, request, verdict, action)| {
            Output::Judged { seat, request, verdict, action: action.into() }
        }),
        any::<u32>().prop_map(|round| Output::RoundOver { round }),
        (any::<u32>(), prop::collection::vec(number(), 0..4))
            .prop_map(|(after, numbers)| Output::Numbers { after, numbers }),
        outcome().prop_map(Output::Over),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn inputs_come_back_as_they_were(inputs in prop::collection::vec(input(), 0..12)) {
        let mut bytes = Vec::new();
        inputs.iter().for_each(|input| wire::push_input(&mut bytes, input));
        prop_assert_eq!(wire::inputs(&bytes), Ok(inputs));
    }

    #[test]
    fn outputs_come_back_as_they_were(outputs in prop::collection::vec(output(), 0..12)) {
        let mut bytes = Vec::new();
        outputs.iter().for_each(|output| wire::push_output(&mut bytes, output));
        prop_assert_eq!(wire::outputs(&bytes), Ok(outputs));
    }

    #[test]
    fn what_is_cut_off_is_refused(output in output(), keep in 0.0..1.0_f64) {
        let mut bytes = Vec::new();
        wire::push_output(&mut bytes, &output);
        bytes.truncate(1 + ((bytes.len() - 1) as f64 * keep) as usize);
        let read = wire::outputs(&bytes);
        prop_assert!(read.is_err() || read == Ok(vec![output]));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(inputs) = wire::inputs(&bytes) {
            let mut again = Vec::new();
            inputs.iter().for_each(|input| wire::push_input(&mut again, input));
            prop_assert_eq!(&again, &bytes);
        }
        if let Ok(outputs) = wire::outputs(&bytes) {
            let mut again = Vec::new();
            outputs.iter().for_each(|output| wire::push_output(&mut again, output));
            prop_assert_eq!(&again, &bytes);
        }
    }
}

#[test]
fn an_ask_is_written_as_the_table_says() {
    let files = Files {
        key: "A".into(),
        folder: "0/A".into(),
        answers: vec!["move.txt".into()].into(),
        above: Parts::none(),
    };
    let ask = Output::Ask {
        seat: Seat(1),
        request: RequestId(300),
        parts: Parts::single(&b"hi"[..]),
        deadline: DeadlineClass::Turn,
        files: Some(files),
    };
    let mut bytes = Vec::new();
    wire::push_output(&mut bytes, &ask);
    let expected = b"\x00\x01\xac\x02\x01\x01\x00\x02hi\x01\x01A\x030/A\x01\x08move.txt\x00";
    assert_eq!(bytes.escape_ascii().to_string(), expected.escape_ascii().to_string());
}

#[test]
fn an_answer_is_written_as_the_table_says() {
    let (seat, request) = (Seat(2), RequestId(7));
    let parts = Parts::single(&b"NO"[..]);
    let mut bytes = Vec::new();
    wire::push_input(&mut bytes, &Input::Answer { seat, request, parts, verdict: Verdict::Ok });
    assert_eq!(bytes, b"\x00\x02\x07\x0b\x01\x00\x02NO");
}

#[test]
fn an_error_names_the_place() {
    let error = |bytes: &[u8]| wire::outputs(bytes).expect_err("it is none").to_string();
    assert_eq!(error(b"\x05\x00\x09"), "unknown kind 9 at byte 2");
    assert_eq!(error(b"\x03"), "cut off at byte 1");
    assert_eq!(error(b"\x04\x00\x00\x0c\x00"), "impossible number at byte 3");
    assert_eq!(error(b"\x04\x00\x00\x0b\x01\xff"), "text that is not UTF-8 at byte 4");
}
