//! S08, M07, O05 to O18, T08, T09 and N02 of programs that stay.

use std::time::Duration;

use joust_referee::Verdict::{
    CpuLimit, ExitNonzero, MemoryLimit, NoOutput, Ok as Answered, OutputLimit, ProtocolViolation,
    Timeout,
};

use crate::hostile::row::{Row, behaves, row, says, script};
use crate::hostile::{Observation, TestSite, asked};
use crate::time_scale::scaled;

/// Long enough for an honest answer on a loaded machine; a late one takes a
/// third more.
const PATIENT: Duration = Duration::from_millis(1500);
/// For answers that never come.
const SHORT: Duration = Duration::from_millis(400);

pub(super) fn rows() -> Vec<Row> {
    [late(), too_much(), gone(), over_time(), through_a_door()].concat()
}

fn late() -> Vec<Row> {
    let late = says(&["did answer 1", "did stay silent at request 2", "did answer 2 late"]);
    let one_lost = [Answered, Timeout, Answered];
    vec![
        row("S08")
            .then(
                behaves("talk_frozen")
                    .with_dialogue(asked(3).earning(&one_lost))
                    .earns(&[Timeout])
                    .within(PATIENT),
            )
            .control(late.clone()),
        // The late text comes between two requests here, and during the third request below.
        row("O08-between")
            .then(
                behaves("talk_late")
                    .with_dialogue(asked(3).pausing(PATIENT).earning(&one_lost))
                    .earns(&[Timeout])
                    .within(PATIENT),
            )
            .control(late.clone()),
        row("O08-within")
            .then(
                behaves("talk_late")
                    .with_dialogue(asked(3).earning(&one_lost))
                    .earns(&[Timeout])
                    .within(PATIENT),
            )
            .control(late),
        row("O09")
            .then(
                behaves("talk_ahead")
                    .with_dialogue(asked(3).earning(&[Answered, ProtocolViolation]))
                    .earns(&[ProtocolViolation])
                    .within(PATIENT),
            )
            .control(says(&["did answer 1", "did answer 2", "did answer 3"])),
        row("O11")
            .then(
                behaves("talk_bytewise")
                    .with_dialogue(asked(1).earning(&[Timeout]))
                    .earns(&[Timeout])
                    .within(SHORT)
                    .check("bytes came all the time", |seen, _| {
                        // Three of them are `ready` and the number, at least.
                        if seen.heard_bytes > 10 {
                            Ok(())
                        } else {
                            Err(seen.heard_bytes.to_string())
                        }
                    }),
            )
            .control(says(&["did not end answer 1"])),
    ]
}

fn too_much() -> Vec<Row> {
    vec![
        row("M07")
            .then(
                behaves("talk_growing")
                    .with_dialogue(asked(1000).pausing(Duration::from_millis(10)))
                    .earns(&[MemoryLimit])
                    .within(PATIENT)
                    .check("in the turn where the limit is reached", dies_in_its_turn),
            )
            .control(says(&["did answer 1", "did answer 100"])),
        row("O05")
            .then(
                behaves("talk_deaf")
                    .with_dialogue(asked(3).filled(128 << 10).earning(&[Timeout, Timeout, Timeout]))
                    .earns(&[Timeout])
                    .within(SHORT)
                    .check("nobody blocks or spins meanwhile", hardly_any_work),
            )
            .control(says(&["did leave request 1 unread", "did leave request 3 unread"])),
        row("O12")
            .then(
                behaves("talk_endless_line")
                    .with_dialogue(asked(2).earning(&[OutputLimit]))
                    .earns(&[OutputLimit])
                    .within(PATIENT)
                    .check("no more is read than the cap and a piece", |seen, _| {
                        let most = (64 << 10) + (8 << 10);
                        let read = seen.heard_bytes;
                        if read <= most { Ok(()) } else { Err(read.to_string()) }
                    }),
            )
            .control(says(&["did send a line without end"])),
    ]
}

/// A mebibyte for each request that was answered, and some for the program.
fn dies_in_its_turn(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let room = seen.allowed.memory_bytes >> 20;
    let answered = seen.answers.iter().filter(|verdict| **verdict == Answered).count() as u64;
    // Where memory is sampled, it may grow by a fifth before that is seen.
    let most = if seen.allowed.tier == 'A' { room } else { room + room / 5 };
    if (room - 8..=most).contains(&answered) {
        return Ok(());
    }
    Err(format!("{answered} answers in {room} MiB"))
}

fn hardly_any_work(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let used = seen.observer_cpu;
    if used < scaled(Duration::from_millis(100)) { Ok(()) } else { Err(format!("{used:?}")) }
}

fn gone() -> Vec<Row> {
    vec![
        row("O18")
            .then(
                behaves("talk_leaving")
                    .with_dialogue(asked(3).filled(1 << 20).earning(&[
                        ExitNonzero,
                        NoOutput,
                        NoOutput,
                    ]))
                    .earns(&[ExitNonzero])
                    .within(PATIENT),
            )
            .control(says(&["did leave with status 3 at request 1"])),
    ]
}

fn over_time() -> Vec<Row> {
    vec![
        row("T08")
            .then(
                behaves("talk_burning")
                    .with_dialogue(
                        asked(2)
                            .pausing(Duration::from_secs(3))
                            .burning_at_most(Duration::from_millis(200))
                            .earning(&[Answered, CpuLimit]),
                    )
                    .earns(&[CpuLimit])
                    .within(Duration::from_secs(5)),
            )
            .control(says(&["did answer 1"]).at_least("cpu_ms", 100)),
        row("T09")
            .then(
                script("slow_start.py")
                    .with_dialogue(asked(2).earning(&[Answered, Answered]))
                    .within(PATIENT)
                    .check("the start took longer than a turn may", |seen, _| {
                        let wall = seen.wall;
                        if wall > Duration::from_secs(2) {
                            Ok(())
                        } else {
                            Err(format!("{wall:?}"))
                        }
                    }),
            )
            .control(says(&["did start slowly"])),
        row("T09-never")
            .then(
                behaves("talk_never_ready")
                    .with_dialogue(asked(2).ready_within(SHORT).earning(&[Timeout, NoOutput]))
                    .earns(&[Timeout])
                    .within(PATIENT),
            )
            .control(says(&["did start slowly", "did not start"])),
    ]
}

fn through_a_door() -> Vec<Row> {
    vec![
        row("N02")
            .then(
                behaves("talk_over_door")
                    .with("{port}")
                    .with_dialogue(asked(2).with_door().earning(&[Answered, Answered]))
                    .says("did reach its own game")
                    .within(PATIENT)
                    .check("one connection, with its name", |seen, place| {
                        if seen.through_door == [place.run.as_bytes()] {
                            return Ok(());
                        }
                        Err(format!("{:?}", seen.through_door))
                    }),
            )
            .control(says(&["refused reach its own game", "did reach the port of the host"])),
    ]
}
