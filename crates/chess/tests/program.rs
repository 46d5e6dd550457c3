//! The program `joust-chess`, started as people start it.

use std::process::{Command, Stdio};

#[test]
fn what_it_does_not_know_is_answered_with_its_help() {
    let program = Command::new(env!("CARGO_BIN_EXE_joust-chess")).arg("fen").output();
    let program = program.expect("it is built");
    assert_eq!(program.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&program.stderr).contains("joust-chess pgn"));
}

#[test]
fn a_text_that_is_no_bout_is_an_error() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_joust-chess"));
    let program = program.arg("pgn").stdin(Stdio::null()).output().expect("it is built");
    assert_eq!(program.status.code(), Some(1));
    let said = String::from_utf8_lossy(&program.stderr).into_owned();
    assert!(said.starts_with("error: this is no bout of chess"), "{said}");
}
