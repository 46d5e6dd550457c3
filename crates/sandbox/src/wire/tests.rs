use std::time::Duration;

use proptest::prelude::*;

use super::codec::Malformed;
use super::*;
use crate::{Bytes, Ending, LimitsHit, Pipes, SeatLimits, TurnLimits, Used};

fn limits() -> SeatLimits {
    SeatLimits {
        memory: Bytes::from_mib(256),
        processes: 64,
        descriptors: 256,
        disk: Bytes::from_mib(16),
        files: 1024,
        stdout: Bytes::from_kib(64),
        stderr: Bytes::from_kib(8),
        stderr_hard: Bytes::from_mib(8),
    }
}

fn some_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..40)
}

proptest! {
    #[test]
    fn any_bytes_are_a_request_or_malformed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = Request::decode(&bytes);
    }

    #[test]
    fn any_bytes_after_a_valid_head_are_a_request_or_malformed(
        kind in 0_u8..9,
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let mut message = [&VERSION.to_le_bytes()[..], &[kind, 0]].concat();
        message.extend(bytes);
        let _ = Request::decode(&message);
        let _ = Reply::decode(&message);
    }

    #[test]
    fn a_turn_comes_back_as_it_was_sent(
        command in prop::collection::vec(some_bytes(), 0..6),
        folder in some_bytes(),
        nanoseconds in any::<u64>(),
        linger in any::<bool>(),
    ) {
        let time = Duration::from_nanos(nanoseconds);
        let limits = TurnLimits { cpu: time, turn: time, kill: time, linger };
        let bytes = TurnRequest::encode(command.iter().map(Vec::as_slice), &folder, &limits);
        let sent = Request::Turn(TurnRequest { command, folder, limits });
        prop_assert_eq!(Request::decode(&bytes), Ok(sent));
    }

    #[test]
    fn a_report_comes_back_as_it_was_sent(
        status in any::<i32>(),
        time in any::<u64>(),
        stdout in some_bytes(),
        stderr in some_bytes(),
    ) {
        let sent = Reply::Done(Done {
            ending: Ending::Exited(status),
            wall: Duration::from_nanos(time),
            cpu: Duration::from_nanos(time / 2),
            cpu_complete: true,
            stall: Duration::ZERO,
            peak: Bytes(time),
            hits: LimitsHit(3),
            killed_outside: true,
            left_over: 7,
            children_refused: 8,
            made_objects: true,
            start: crate::Start::ColdBecause("no".to_owned()),
            stdout_seen: 9,
            stderr_seen: 10,
            stdout,
            stderr,
        });
        prop_assert_eq!(Reply::decode(&sent.encode()), Ok(sent));
    }
}

#[test]
fn a_set_up_comes_back_as_it_was_sent() {
    let sent = SetUp {
        identity: Identity { mode: Mode::UserNameSpace, user: 70_000 },
        folders: vec![b"/bot".to_vec()],
        host_folders: vec![b"/home/x/bot".to_vec()],
        hidden: vec![b"/usr/lib/python3/dist-packages".to_vec()],
        written: b"/bot".to_vec(),
        environment: vec![b"PATH=/usr/bin".to_vec()],
        scratch: b"/scratch".to_vec(),
        host_scratch: Vec::new(),
        limits: limits(),
        network: 0,
        children: 1,
        cores: vec![1],
        counters: vec![
            (Counter::MemoryPeak, b"/cg/peak".to_vec()),
            (Counter::Pressure, Vec::new()),
        ],
        ports: vec![8037],
        hosts: vec![b"server.example".to_vec()],
        warm: Some(WarmRequest { stem: vec![b"/p".to_vec()], ..WarmRequest::default() }),
    };
    assert_eq!(Request::decode(&sent.encode()), Ok(Request::SetUp(Box::new(sent))));
}

#[test]
fn a_program_that_stays_and_questions_about_it_come_back_as_they_were_sent() {
    let second = Duration::from_secs(1);
    let limits = TurnLimits { cpu: second, turn: 2 * second, kill: 2 * second, linger: false };
    let command = vec![b"/bin/true".to_vec()];
    let turn = TurnRequest { command, folder: b"/bot".to_vec(), limits };
    for pipes in [Pipes::None, Pipes::Two, Pipes::Streams] {
        let sent = LiveRequest { turn: turn.clone(), pipes };
        assert_eq!(Request::decode(&sent.encode()), Ok(Request::Live(sent)));
    }
    for sent in [Watch::Usage, Watch::End, Watch::Pause, Watch::Resume] {
        assert_eq!(Request::decode(&sent.encode()), Ok(Request::Watch(sent)));
    }
    let used = Used {
        wall: second,
        cpu: second / 2,
        cpu_complete: true,
        stall: second / 4,
        peak_memory: Bytes(5),
        limits_hit: LimitsHit(1),
    };
    for sent in [OfferAnswer::Taken, OfferAnswer::Refused] {
        assert_eq!(Request::decode(&sent.encode()), Ok(Request::Offer(sent)));
    }
    for sent in [Reply::Started, Reply::Used(used), Reply::Offered(vec![7, 9])] {
        assert_eq!(Reply::decode(&sent.encode()), Ok(sent));
    }
}

#[test]
fn a_message_of_another_version_is_refused() {
    assert_eq!(Reply::decode(&[9, 0, 1, 0]), Err(Malformed("a message of another version")));
}
