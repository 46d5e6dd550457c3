//! O01 to O17: too much, too little or odd output.

use std::time::Duration;

use joust_referee::Limit::Stderr;
use joust_referee::Verdict;
use joust_referee::Verdict::{
    ExitNonzero, IllegalOutput, NoOutput, Ok as Answered, OutputLimit, Timeout,
};

use crate::hostile::row::{ExpectedEnd, Row, behaves, ends, row, says};
use crate::hostile::{Observation, TestSite};
use crate::time_scale::scaled;

pub(super) fn rows() -> Vec<Row> {
    [floods(), silence(), answers(), printed()].concat()
}

fn floods() -> Vec<Row> {
    vec![
        row("O01")
            .then(behaves("flood_stdout").earns(&[OutputLimit]).check("early", early))
            .control(says(&[]).at_least("stdout", 4 << 20)),
        row("O02")
            .then(behaves("flood_stderr").earns(&[OutputLimit]).check(
                "the first part is kept",
                |seen, _| {
                    if seen.stderr.starts_with(b"NNNN") {
                        Ok(())
                    } else {
                        Err("nothing".to_owned())
                    }
                },
            ))
            .control(says(&[]).at_least("stderr", 16 << 20)),
        row("O03")
            .then(behaves("loud_answer").hits(&[Stderr]).check(
                "all of it is counted",
                |seen, _| {
                    if seen.stderr_seen == 1 << 20 {
                        Ok(())
                    } else {
                        Err(seen.stderr_seen.to_string())
                    }
                },
            ))
            .control(ends(ExpectedEnd::Status(0)).exactly("stderr", 1 << 20)),
    ]
}

fn early(seen: &Observation, _: &TestSite) -> Result<(), String> {
    if seen.wall < seen.allowed.turn { Ok(()) } else { Err(format!("after {:?}", seen.wall)) }
}

fn silence() -> Vec<Row> {
    vec![
        row("O04")
            .then(behaves("close_streams").earns(&[Timeout]).check(
                "nobody spins meanwhile",
                |seen, _| {
                    let used = seen.observer_cpu;
                    if used < scaled(Duration::from_millis(100)) {
                        Ok(())
                    } else {
                        Err(format!("{used:?}"))
                    }
                },
            ))
            .control(ends(ExpectedEnd::Never)),
        row("O06")
            .then(behaves("half_a_line").earns(&[Timeout]))
            .control(ends(ExpectedEnd::Never).printing(b"N")),
        row("O14")
            .then(behaves("say_nothing").earns(&[NoOutput]))
            .control(ends(ExpectedEnd::Status(0)).printing(b"")),
        row("O16")
            .then(behaves("answer_on_stderr").earns(&[NoOutput]))
            .control(ends(ExpectedEnd::Status(0)).exactly("stderr", 2).printing(b"")),
    ]
}

fn answers() -> Vec<Row> {
    vec![
        row("O15")
            .then(behaves("answer_and_fail").earns(&[ExitNonzero]))
            .control(ends(ExpectedEnd::Status(3)).printing(b"N\n")),
        row("O17")
            .then(behaves("pipe_tricks").may(&["shrink the pipe"]))
            .then(behaves("only_answer"))
            .control(says(&["did shrink the pipe"])),
        row("J01")
            .then(
                behaves("print_bytes_twice")
                    .with("1b5b324a1b5d303b7807")
                    .earns(&[IllegalOutput])
                    .check("stored exactly", |seen, _| exactly(seen, b"\x1b[2J\x1b]0;x\x07")),
            )
            .control(ends(ExpectedEnd::Status(0)).printing(b"\x1b[2J\x1b]0;x\x07")),
        row("J03")
            .then(
                behaves("print_bytes_twice")
                    .with("0a3a3a6572726f723a3a780a")
                    .earns(&[IllegalOutput])
                    .check("stored exactly", |seen, _| exactly(seen, b"\n::error::x\n")),
            )
            .control(ends(ExpectedEnd::Status(0)).printing(b"\n::error::x\n")),
    ]
}

fn exactly(seen: &Observation, bytes: &[u8]) -> Result<(), String> {
    if seen.stdout == bytes && seen.stderr == bytes {
        return Ok(());
    }
    Err(format!("{:?} and {:?}", seen.stdout.escape_ascii(), seen.stderr.escape_ascii()))
}

/// Rows that print the bytes of hexadecimal digits, and what that earns.
const PRINTED: [(&str, &str, Verdict); 14] = [
    ("O07", "4e", Answered),
    ("O10", "4e0a450a", IllegalOutput),
    ("O10-weapon", "420a4e0a", IllegalOutput),
    ("O13-bom", "efbbbf4e0a", IllegalOutput),
    ("O13-nul", "4e000a", IllegalOutput),
    ("O13-bad-utf-8", "4eff0a", IllegalOutput),
    ("O13-full-width", "efbcae0a", IllegalOutput),
    ("O13-lower-case", "6e0a", IllegalOutput),
    ("O13-zero-width", "4ee2808b0a", IllegalOutput),
    ("O13-cr-lf", "4e0d0a", Answered),
    ("O13-blanks", "20094e20200a", Answered),
    ("O13-no-break", "c2a04ec2a0", Answered),
    ("O13-nel", "4ec285", Answered),
    ("O14-blanks", "200a09", NoOutput),
];

fn printed() -> Vec<Row> {
    PRINTED.iter().map(|(id, digits, verdict)| print(id, digits, *verdict)).collect()
}

fn print(id: &'static str, digits: &str, verdict: Verdict) -> Row {
    let bytes: Vec<u8> = digits
        .as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect();
    row(id)
        .then(behaves("print_bytes").with(digits).earns(&[verdict]))
        .control(ends(ExpectedEnd::Status(0)).printing(&bytes))
}
