//! Builds, turns and calibration with real tools in the real sandbox.
//!
//! The program starts itself as a seat's launcher, so it has a `main` of its
//! own; like any test program it takes a part of a test's name to run only
//! those.

mod fixture;
mod honest;
mod hostile;
mod machine;
mod maven;
mod projects;
mod travel;

use std::panic::catch_unwind;

/// A test: its name is its claim.
type Test = (&'static str, fn());

fn main() {
    joust_sandbox::launcher::main_if_seat();
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    let wanted = |name: &str| filter.as_deref().is_none_or(|filter| name.contains(filter));
    let tests = [
        honest::TESTS,
        hostile::TESTS,
        machine::TESTS,
        maven::TESTS,
        projects::TESTS,
        travel::TESTS,
    ]
    .concat();
    let mut failed: Vec<&str> = Vec::new();
    for (name, test) in tests.into_iter().filter(|(name, _)| wanted(name)) {
        let passed = catch_unwind(test).is_ok();
        say(&format!("test {name} ... {}", if passed { "ok" } else { "FAILED" }));
        failed.extend((!passed).then_some(name));
    }
    say(&format!("builds: {} failed {failed:?}", failed.len()));
    std::process::exit(i32::from(!failed.is_empty()));
}

#[expect(clippy::print_stdout, reason = "a test program tells its results")]
fn say(line: &str) {
    println!("{line}");
}
