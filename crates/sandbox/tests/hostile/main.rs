//! Hostile programs, every one of the table, in the sandbox and without it.
//!
//! `cargo test -p joust-sandbox --test hostile` runs all rows, two at a time; `-- P01` those with
//! that in their id, `JOUST_ROWS="D P01"` those whose id starts so, `--table` prints the table.
//! `JOUST_TIER` picks the tier: as root, B runs as an ordinary user and C in a container without
//! extra rights; `none` wants a host without isolation to refuse. `JOUST_SEATS=handed-on` makes
//! every turn a bout of its own, whose seat is kept for the next one as those of bots are.
//! `JOUST_STARTS=exact` (or `quick`) has copies of a server do what all programs do, `cold` an
//! interpreter. `JOUST_CONTROLS=played` leaves out what rows do without the sandbox, which no tier
//! changes: for the further runs of one machine. `JOUST_SLOWNESS` gives a slow machine that many
//! times the time.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a test program reports on standard output")]

mod calibrate;
mod core_pattern;
mod figures;
mod group;
mod outside;
mod suite;
mod talk;
mod tier;
mod turns;
mod waits;
mod worker;

use std::process::ExitCode;

use joust_testkit::hostile::{rows, table};
use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = words.iter().position(|word| word == worker::DOOR) {
        return worker::main(&words[at + 1..]);
    }
    if words.iter().any(|word| word == "--table") {
        print!("{}", table());
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_args();
    if tier::is_refusal_wanted() {
        let refusal = Trial::test("X07-refused", suite::refuse);
        return libtest_mimic::run(&arguments, vec![refusal]).exit_code();
    }
    let chosen = std::env::var("JOUST_ROWS").unwrap_or_default();
    let rows = rows::all().into_iter().filter(|row| is_chosen(row.id, &chosen)).collect();
    suite::run(arguments, rows)
}

/// No name chooses all; a name chooses the row and those that continue it.
fn is_chosen(id: &str, names: &str) -> bool {
    let mut names = names.split_whitespace().peekable();
    let continues = |name: &str| {
        id.strip_prefix(name).is_some_and(|rest| {
            name.len() < 3 || rest.is_empty() || rest.starts_with('-') || name.contains('-')
        })
    };
    names.peek().is_none() || names.any(continues)
}
