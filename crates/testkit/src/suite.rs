//! Tests of programs with a `main` of their own, which start themselves as the launcher of seats.
//! Arguments and output are those of Rust's own test programs, but for one filter at most.

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A test: its name is its claim.
pub type Test = (&'static str, fn());

/// Tests of one file, with the file's name.
pub type Group = (&'static str, &'static [Test]);

/// Runs `short` tests, and with `--include-ignored` those of `long`, which take long and have
/// rarely found something.
pub fn main(short: &[Group], long: &[Group]) -> ExitCode {
    let trials = [(short, false), (long, true)].into_iter().flat_map(|(groups, is_long)| {
        groups.iter().flat_map(move |(group, tests)| {
            tests.iter().map(move |(name, test)| {
                let run = move || {
                    test();
                    Ok(())
                };
                Trial::test(format!("{group}::{name}"), run).with_ignored_flag(is_long)
            })
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
