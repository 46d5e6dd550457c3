//! P01 to P09: processes that are many, or stay.

use joust_referee::Limit::Processes;
use joust_referee::Verdict::{CpuLimit, NoOutput, Ok as Answered, ProtocolViolation, Timeout};

use crate::hostile::row::{
    Command, Control, ExpectedEnd, Row, Setting, behaves, ends, row, says, turn,
};

pub(super) fn rows() -> Vec<Row> {
    [floods(), left_overs()].concat()
}

fn floods() -> Vec<Row> {
    vec![
        row("P01")
            .then(behaves("fork_bomb").earns(&[Timeout]).hits(&[Processes]))
            .control(ends(ExpectedEnd::Never).at_least("processes", 300)),
        row("P02")
            .then(behaves("fork_chain").earns(&[CpuLimit]).may_hit(&[Processes]))
            .control(ends(ExpectedEnd::Never).at_least("cpu_ms", 300))
            .partial("BC", "processor time of orphans is counted when they end", Timeout),
        row("P02-slow")
            .then(behaves("slow_fork_chain").earns(&[Timeout]).may_hit(&[Processes]))
            .control(ends(ExpectedEnd::Never).at_least("processes", 2)),
        row("P03")
            .then(behaves("thread_bomb").hits(&[Processes]).may(&["threads"]))
            .control(says(&["did more than 1000 threads"]))
            .partial("BC", "a refusal that is over at once is not counted", Answered),
        row("P06")
            .then(behaves("leave_zombies").may_hit(&[Processes]).may(&["zombies"]))
            .control(says(&["did more than 500 zombies"]).at_least("zombies", 200)),
        row("P06-init")
            .with(Setting::Init)
            .then(behaves("leave_zombies").may_hit(&[Processes]).may(&["zombies"]))
            .control(says(&["did more than 500 zombies"]).at_least("zombies", 200)),
        row("P09")
            .then(behaves("use_children").may(&["child"]))
            // Over too soon to be counted from outside.
            .control(says(&["did child"])),
        row("P09-forbidden")
            .with(Setting::NoChildren)
            .then(behaves("use_children").earns(&[ProtocolViolation]))
            .control(says(&["did child"])),
        row("P09-threads")
            .with(Setting::NoChildren)
            .then(behaves("thread_bomb").hits(&[Processes]).may(&["threads"]))
            .control(says(&["did more than 1000 threads"]))
            .partial("BC", "a refusal that is over at once is not counted", Answered),
    ]
}

fn left_overs() -> Vec<Row> {
    let left = || ends(ExpectedEnd::Status(0)).at_least("left", 1);
    vec![
        row("P04")
            .then(behaves("leave_daemon"))
            .then(behaves("look_for_processes"))
            .control(left().saying(&["did see process"])),
        row("P05")
            .with(Setting::Neighbour)
            .then(behaves("change_session").may(&["sibling"]))
            .then(behaves("look_for_processes"))
            .control(left().saying(&["did sibling", "did see process"])),
        row("P07").then(behaves("child_keeps_stdout")).control(left()),
        row("P07-shell").then(turn(Command::Shell("background.sh"))).control(left()),
        row("P08").then(behaves("child_answers_late").earns(&[NoOutput])).control(
            Control { ends: Some(ExpectedEnd::Status(0)), ..Control::default() }.printing(b"N\n"),
        ),
    ]
}
