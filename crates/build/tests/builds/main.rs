//! Builds, turns and calibration with real tools in the real sandbox.
//!
//! The program starts itself as a seat's launcher, so it has a `main` of its
//! own; like any test program it takes a part of a test's name to run only
//! those.
#![expect(clippy::print_stdout, reason = "a test program names the tools that are missing")]

mod fixture;
mod honest;
mod hostile;
mod machine;
mod maven;
mod prepared;
mod projects;
mod travel;

use std::process::ExitCode;

use joust_testkit::suite;

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    let groups = [
        ("honest", honest::TESTS),
        ("hostile", hostile::TESTS),
        ("machine", machine::TESTS),
        ("maven", maven::TESTS),
        ("prepared", prepared::TESTS),
        ("projects", projects::TESTS),
        ("travel", travel::TESTS),
    ];
    suite::main(&groups, &[("maven", maven::LONG_TESTS)])
}
