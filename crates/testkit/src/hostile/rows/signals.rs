//! S01 to S07: signals to itself and to others.

use joust_referee::Verdict::{Crash, Ok as Answered, Timeout};

use crate::hostile::row::{Command, ExpectedEnd, Row, Setting, behaves, ends, row, says, turn};

pub(super) fn rows() -> Vec<Row> {
    [others(), itself(), raised()].concat()
}

fn others() -> Vec<Row> {
    vec![
        row("S03")
            .with(Setting::Neighbour)
            .then(behaves("kill_everybody").earns(&[Answered, Crash]))
            .then(behaves("only_answer"))
            .control(ends(ExpectedEnd::Status(0)).exactly("bystander", 0)),
        row("S04")
            .with(Setting::Neighbour)
            .then(behaves("kill_parent").with("{referee}").earns(&[Answered, Crash]))
            .then(behaves("only_answer"))
            .control(ends(ExpectedEnd::Status(0)).exactly("parent", 0)),
        row("S04-stop")
            .with(Setting::Neighbour)
            .then(behaves("stop_parent").with("{referee}").earns(&[Answered, Crash]))
            .then(behaves("only_answer"))
            .control(ends(ExpectedEnd::Status(0)).exactly("parent", 0)),
        row("S05").with(Setting::Neighbour).then(behaves("trace_others")).control(says(&[
            "did trace",
            "did read memory of",
            "did open the memory of",
        ])),
    ]
}

fn itself() -> Vec<Row> {
    vec![
        row("S01")
            .then(behaves("ignore_signals").earns(&[Timeout]).says("did survive every signal"))
            .control(ends(ExpectedEnd::Never).saying(&["did survive every signal"])),
        row("S01-shell")
            .then(turn(Command::Shell("trap.sh")).earns(&[Timeout]))
            .control(ends(ExpectedEnd::Never)),
        row("S02")
            .then(behaves("stop_itself").earns(&[Timeout]))
            .control(ends(ExpectedEnd::Never).exactly("stopped", 1)),
        // Memory is scarce, but the kernel killed no process for that.
        row("S06-9-small-group")
            .with(Setting::SmallGroup)
            .then(behaves("answer_and_raise").with("9").crashes_by(9))
            .then(behaves("kill_parent").with("{referee}").earns(&[Answered, Crash]))
            .control(ends(ExpectedEnd::Status(0)).exactly("parent", 0)),
        row("S07")
            .then(behaves("dump_core").crashes_by(6))
            .control(ends(ExpectedEnd::Signal(6)).exactly("core", 1)),
        row("S07-piped")
            .with(Setting::PipedCores)
            .then(behaves("dump_core_without_limit").crashes_by(6))
            .control(ends(ExpectedEnd::Signal(6)).exactly("core", 1)),
    ]
}

/// Signals that stop a process, unless the kernel sees that no shell could continue it
/// (an orphaned process group); that depends on the process that started it.
const STOPPING: [i32; 3] = [20, 21, 22];
/// Signals that do nothing unless a program asks for something else.
const IGNORED: [i32; 4] = [17, 18, 23, 28];

fn raised() -> Vec<Row> {
    RAISED.iter().enumerate().map(|(index, id)| raise(id, index as i32 + 1)).collect()
}

fn raise(id: &'static str, signal: i32) -> Row {
    let program = behaves("answer_and_raise").with(signal.to_string());
    if signal == 19 {
        return row(id).then(program.earns(&[Timeout])).control(ends(ExpectedEnd::Never));
    }
    if STOPPING.contains(&signal) {
        let program = program.earns(&[Timeout, Answered]);
        return row(id).then(program).control(ends(ExpectedEnd::Never));
    }
    if IGNORED.contains(&signal) {
        return row(id).then(program).control(ends(ExpectedEnd::Status(0)));
    }
    row(id).then(program.crashes_by(signal)).control(ends(ExpectedEnd::Signal(signal)))
}

/// The ids of the rows of S06, by signal from 1.
const RAISED: [&str; 64] = [
    "S06-1", "S06-2", "S06-3", "S06-4", "S06-5", "S06-6", "S06-7", "S06-8", "S06-9", "S06-10",
    "S06-11", "S06-12", "S06-13", "S06-14", "S06-15", "S06-16", "S06-17", "S06-18", "S06-19",
    "S06-20", "S06-21", "S06-22", "S06-23", "S06-24", "S06-25", "S06-26", "S06-27", "S06-28",
    "S06-29", "S06-30", "S06-31", "S06-32", "S06-33", "S06-34", "S06-35", "S06-36", "S06-37",
    "S06-38", "S06-39", "S06-40", "S06-41", "S06-42", "S06-43", "S06-44", "S06-45", "S06-46",
    "S06-47", "S06-48", "S06-49", "S06-50", "S06-51", "S06-52", "S06-53", "S06-54", "S06-55",
    "S06-56", "S06-57", "S06-58", "S06-59", "S06-60", "S06-61", "S06-62", "S06-63", "S06-64",
];
