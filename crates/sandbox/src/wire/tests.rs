use std::time::Duration;

use proptest::prelude::*;
use serde_bytes::ByteBuf;

use super::*;
use crate::{
    Bytes, Children, Ending, LimitsHit, Network, Pipes, ProgramLimits, ResourceUsage, SeatLimits,
    TurnReport, WarmServer,
};

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
    fn any_bytes_are_a_message_or_malformed(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = decode::<Request>(&bytes);
        let _ = decode::<Reply>(&bytes);
    }

    #[test]
    fn any_bytes_in_a_valid_message_are_a_message_or_malformed(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        for mut message in [encode(&Request::SetUp(Box::new(set_up()))), encode(&report(7))] {
            let at = at.index(message.len());
            message.splice(at..message.len().min(at + bytes.len()), bytes.iter().copied());
            let _ = decode::<Request>(&message);
            let _ = decode::<Reply>(&message);
        }
    }

    #[test]
    fn a_turn_comes_back_as_it_was_sent(
        command in prop::collection::vec(some_bytes(), 0..6),
        folder in some_bytes(),
        nanoseconds in any::<u64>(),
    ) {
        let time = Duration::from_nanos(nanoseconds);
        let limits = ProgramLimits { cpu: time, wall: time };
        let command = strings(command);
        let sent = Request::Turn(TurnRequest { command, folder: folder.into(), limits });
        prop_assert_eq!(decode(&encode(&sent)), Ok(sent));
    }

    #[test]
    fn a_report_comes_back_as_it_was_sent(
        status in any::<i32>(),
        time in any::<u64>(),
        stdout in some_bytes(),
        stderr in some_bytes(),
    ) {
        let report = TurnReport {
            ending: Ending::Exited(status),
            usage: ResourceUsage {
                wall: Duration::from_nanos(time),
                cpu: Duration::from_nanos(time / 2),
                cpu_complete: true,
                stall: Duration::ZERO,
                peak_memory: Bytes(time),
                limits_hit: LimitsHit(3),
            },
            left_over_processes: 7,
            children_refused: 8,
            start: crate::StartKind::ColdBecause("no".to_owned()),
            stdout_seen: 9,
            stderr_seen: 10,
            stdout,
            stderr,
            ..TurnReport::without_start(Ending::Stopped)
        };
        let sent = Reply::Done(Box::new(TurnResult { report, killed_outside: true, traces: Traces::Network }));
        prop_assert_eq!(decode(&encode(&sent)), Ok(sent));
    }
}

fn report(status: i32) -> Reply {
    Reply::Done(Box::new(TurnResult::without_start(Ending::Exited(status))))
}

fn set_up() -> SetUp {
    SetUp {
        identity: SeatIdentity { mode: Mode::UserNameSpace, user: 70_000 },
        folders: strings(["/bot"]),
        host_folders: strings(["/home/x/bot"]),
        hidden: strings(["/usr/lib/python3/dist-packages"]),
        written: ByteBuf::from("/bot"),
        environment: strings(["PATH=/usr/bin"]),
        scratch: ByteBuf::from("/scratch"),
        host_scratch: ByteBuf::new(),
        limits: limits(),
        network: Network::None,
        children: Children::Refused,
        cores: vec![1],
        ports: vec![8037],
        may_listen: true,
        hosts: strings(["server.example"]),
        warm: Some(WarmServer { stem: vec!["/p".into()], ..WarmServer::default() }),
    }
}

#[test]
fn a_set_up_comes_back_as_it_was_sent() {
    let sent = Request::SetUp(Box::new(set_up()));
    assert_eq!(decode(&encode(&sent)), Ok(sent));
}

#[test]
fn a_program_that_stays_and_questions_about_it_come_back_as_they_were_sent() {
    let second = Duration::from_secs(1);
    let limits = ProgramLimits { cpu: second, wall: 2 * second };
    let command = strings(["/bin/true"]);
    let turn = TurnRequest { command, folder: ByteBuf::from("/bot"), limits };
    let live = [Pipes::None, Pipes::Two, Pipes::Streams]
        .map(|pipes| Request::Live(LiveRequest { turn: turn.clone(), pipes }));
    let watch = [
        ProgramCommand::Usage,
        ProgramCommand::End,
        ProgramCommand::Pause,
        ProgramCommand::Resume,
        ProgramCommand::Received,
    ]
    .map(Request::Command);
    let offer = [OfferAnswer::Taken, OfferAnswer::Refused].map(Request::Offer);
    let to_holder =
        [Request::End { traces: Traces::Network }, Request::Pin(vec![0, 3]), Request::WhyGone];
    for sent in live.into_iter().chain(watch).chain(offer).chain(to_holder) {
        assert_eq!(decode(&encode(&sent)), Ok(sent));
    }
    let used = ResourceUsage {
        wall: second,
        cpu: second / 2,
        cpu_complete: true,
        stall: second / 4,
        peak_memory: Bytes(5),
        limits_hit: LimitsHit(1),
    };
    for sent in [
        Reply::Started,
        Reply::Used(used),
        Reply::Offered(vec![7, 9]),
        Reply::Pinned,
        Reply::Ended,
        Reply::Gone(true),
    ] {
        assert_eq!(decode(&encode(&sent)), Ok(sent));
    }
}

#[test]
fn a_message_that_is_cut_or_goes_on_is_refused() {
    let message = encode(&report(7));
    for length in 0..message.len() {
        assert_eq!(decode::<Reply>(&message[..length]), Err(MalformedMessage), "{length} bytes");
    }
    assert_eq!(decode::<Reply>(&[&message[..], &[0]].concat()), Err(MalformedMessage));
}
