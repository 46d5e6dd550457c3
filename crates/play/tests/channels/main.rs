//! Ways to speak to bots, with real processes in the real sandbox.
//!
//! The program starts itself as a seat's launcher, so it has a `main` of its
//! own; like any test program it takes a part of a test's name to run only
//! those. `JOUST_TIER` picks another tier than the best; in tier C, where a seat has
//! no file system of its own, only the group `tcp_line` can be run.

mod calibration;
mod files;
mod fixture;
mod python_class;
mod tcp_line;

use std::panic::catch_unwind;

/// A test: its name is its claim.
type Test = (&'static str, fn());

fn main() {
    joust_sandbox::launcher::main_if_seat();
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| filter.as_deref().is_none_or(|filter| name.contains(filter));
    let mut failed: Vec<String> = Vec::new();
    let groups = [
        ("calibration", calibration::TESTS),
        ("files", files::TESTS),
        ("python_class", python_class::TESTS),
        ("tcp_line", tcp_line::TESTS),
    ];
    let tests = groups.iter().flat_map(|(group, tests)| {
        tests.iter().map(move |(name, test)| (format!("{group}::{name}"), test))
    });
    for (name, test) in tests.filter(|(name, _)| wanted(name)) {
        let passed = catch_unwind(test).is_ok();
        say(&format!("test {name} ... {}", if passed { "ok" } else { "FAILED" }));
        failed.extend((!passed).then_some(name));
    }
    say(&format!("channels: {} failed {failed:?}", failed.len()));
    std::process::exit(i32::from(!failed.is_empty()));
}

#[expect(clippy::print_stdout, reason = "a test program tells its results")]
fn say(line: &str) {
    println!("{line}");
}
