//! The examples of the help are read by the parser they explain.

use clap::{CommandFactory, Parser};

use crate::args::Cli;

/// Returns the lines of `command`'s help, and of its subcommands', that begin
/// with the program's name.
fn examples(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = help.lines().map(str::trim).filter(|line| line.starts_with("joust "));
    let mut all: Vec<_> = own.map(str::to_owned).collect();
    all.extend(command.get_subcommands().flat_map(examples));
    all
}

/// Splits an example as a shell would: quotes, and nothing after `>`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for one in line.chars().take_while(|one| *one != '>') {
        match one {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            _ => words.last_mut().expect("there is one").push(one),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_example_of_the_help_is_understood() {
    let all = examples(&Cli::command());
    assert!(all.len() > 20, "{all:?}");
    for example in all {
        if let Err(error) = Cli::try_parse_from(words(&example)) {
            panic!("{example}\n{error}");
        }
    }
}

#[test]
fn the_command_line_is_free_of_contradictions() {
    Cli::command().debug_assert();
}
