//! A01 to A05: arguments, files and places that are odd from the start.

use joust_referee::Verdict::{Crash, ExitNonzero, InfrastructureError};

use crate::hostile::row::{
    Command, ExpectedEnd, Row, Setting, behaves, ends, row, says, script, turn,
};
use crate::hostile::{Observation, ProcessEnd, TestSite};

pub(super) fn rows() -> Vec<Row> {
    [arguments(), programs(), places(), inheritance()].concat()
}

/// Arguments that a shell would interpret.
const ODD: [&str; 7] = ["a b", "'\"", "$(id)", ";id", "new\nline", "-rf", "`id`"];

fn arguments() -> Vec<Row> {
    let odd = ODD.iter().fold(behaves("show_arguments"), |turn, word| turn.with(*word));
    vec![
        row("A01")
            .then(
                behaves("only_answer")
                    .with("x".repeat(200 * 1024))
                    .earns(&[InfrastructureError])
                    .check("the text names the argument", |seen, _| {
                        let said = seen.said();
                        if said.contains("argument") { Ok(()) } else { Err(said) }
                    }),
            )
            .control(ends(ExpectedEnd::Refused(7))),
        row("A02")
            .then(odd.check("every argument arrives as it was", arrive))
            .control(says(&["$(id)", ";id"])),
    ]
}

fn arrive(seen: &Observation, _: &TestSite) -> Result<(), String> {
    let said = seen.said();
    let arrived: Vec<_> = said.split('\0').take(ODD.len()).collect();
    if arrived == ODD { Ok(()) } else { Err(format!("{arrived:?}")) }
}

fn programs() -> Vec<Row> {
    vec![
        row("A03")
            .excused('C', "folders keep the host's paths", "did not say `module")
            .then(
                script("shadowed.py")
                    .says("module /program/json.py")
                    .says("interpreter /usr/bin/python3"),
            )
            .control(
                ends(ExpectedEnd::Status(0)).saying(&["module", "interpreter /usr/bin/python3"]),
            ),
        cannot_start("A04-missing", "missing", 2),
        cannot_start("A04-not-executable", "not-executable", 13),
        cannot_start("A04-wrong-machine", "wrong-machine", 8),
        cannot_start("A04-no-first-line", "no-first-line", 8),
        cannot_start("A04-cr-lf", "cr-lf", 2),
    ]
}

/// A program that cannot be started is its bot's fault, with the reason.
fn cannot_start(id: &'static str, file: &'static str, errno: i32) -> Row {
    let check = match errno {
        2 => |seen: &Observation, _: &TestSite| not_started(seen, 2),
        8 => |seen: &Observation, _: &TestSite| not_started(seen, 8),
        _ => |seen: &Observation, _: &TestSite| not_started(seen, 13),
    };
    row(id)
        .then(
            turn(Command::File(file))
                .earns(&[Crash, ExitNonzero])
                .check("the cause is named", check),
        )
        .control(ends(ExpectedEnd::Status(126)))
}

fn not_started(seen: &Observation, errno: i32) -> Result<(), String> {
    if seen.ended == ProcessEnd::NotStarted(errno) {
        Ok(())
    } else {
        Err(format!("{:?}", seen.ended))
    }
}

fn places() -> Vec<Row> {
    let place = |id, setting| {
        row(id)
            .with(setting)
            .then(behaves("only_answer"))
            .then(behaves("leave_daemon"))
            .then(behaves("answer_and_raise").with("11").crashes_by(11))
            .control(ends(ExpectedEnd::Signal(11)))
    };
    vec![
        place("A05-closed-streams", Setting::ClosedStreams),
        place("A05-ignored-children", Setting::IgnoredChildren),
        place("A05-odd-mask", Setting::OddMask),
        place("A05-few-descriptors", Setting::FewDescriptors),
        place("A05-init", Setting::Init),
        row("A05-often")
            .with(Setting::Often)
            .then(behaves("leave_daemon"))
            .then(behaves("answer_and_fail").earns(&[ExitNonzero]))
            .control(ends(ExpectedEnd::Status(3))),
    ]
}

/// A program sees the same, however Joust was started.
fn inheritance() -> Vec<Row> {
    let looks = || row("A05-plain-process").then(behaves("look_for_inheritance"));
    let odd = looks().with(Setting::OddProcess).control(says(&[
        "did inherit ignored signals",
        "did inherit timer slack",
        "did inherit a key",
        "did inherit address space",
        "did inherit scheduling class",
        "did inherit that a broken pipe is no end",
    ]));
    let low = "an ordinary user can neither take niceness back nor raise a hard limit";
    vec![
        looks().control(says(&["did inherit score"])),
        Row { id: "A05-odd-process", ..odd.clone() },
        Row { id: "A05-low-priority", ..odd }
            .with(Setting::LowPriority)
            .excused('B', low, "it did inherit")
            .excused('C', low, "it did inherit"),
    ]
}
