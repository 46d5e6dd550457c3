//! Ways to speak to bots, with real processes in the real sandbox.
//!
//! The program starts itself as a seat's launcher, so it has a `main` of its
//! own; like any test program it takes a part of a test's name to run only
//! those. `JOUST_TIER` picks another tier than the best; in tier C, where a seat has
//! no file system of its own, only the groups `http` and `tcp_line` can be run.

mod calibration;
mod files;
mod fixture;
mod http;
mod lines;
mod python_class;
mod tcp_line;

use std::process::ExitCode;

use joust_testkit::suite;

fn main() -> ExitCode {
    joust_sandbox::launcher::main_if_seat();
    let groups = [
        ("calibration", calibration::TESTS),
        ("files", files::TESTS),
        ("http", http::TESTS),
        ("lines", lines::TESTS),
        ("python_class", python_class::TESTS),
        ("tcp_line", tcp_line::TESTS),
    ];
    suite::main(&groups, &[])
}
