//! The examples of the help are read by the parser they explain.

use std::path::Path;

use clap::{CommandFactory, Parser};

use crate::args::Cli;

/// The widest line that no terminal of 80 columns breaks.
const WIDEST: usize = 78;

/// Returns the lines of `command`'s help, and of its subcommands' help, that begin with the
/// program's name, joined with their continuation lines.
fn examples(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = help.replace("\\\n", " ");
    let own = own.lines().map(str::trim).filter(|line| line.starts_with("joust "));
    let mut all: Vec<_> = own.map(str::to_owned).collect();
    all.extend(command.get_subcommands().flat_map(examples));
    all
}

/// Splits an example as a shell would: quotes, and nothing after `>`.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for one in line.chars() {
        match one {
            '>' if !quoted => break,
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

fn wide_lines(command: &clap::Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let own = help.lines().filter(|line| line.starts_with("  joust ") || line.ends_with('\\'));
    let wide = own.filter(|line| line.chars().count() > WIDEST).map(str::to_owned);
    wide.chain(command.get_subcommands().flat_map(wide_lines)).collect()
}

#[test]
fn every_example_of_the_help_can_be_pasted_from_a_narrow_terminal() {
    assert_eq!(wide_lines(&Cli::command()), [""; 0]);
}

#[test]
fn every_bot_and_tournament_that_an_example_names_is_shipped() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let all = examples(&Cli::command());
    let named = all.iter().flat_map(|example| words(example));
    let shipped = named.filter(|word| word.starts_with("bots/") || word.ends_with(".yaml"));
    let missing: Vec<_> = shipped.filter(|word| !root.join(word).exists()).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_command_line_is_free_of_contradictions() {
    Cli::command().debug_assert();
}
