//! Tests of the grammar of commands: one spelling of each meaning.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, ArgAction, Command, CommandFactory};

use crate::args::Cli;
use crate::option_table::{commands, option_table, options};

fn cli() -> Command {
    let mut cli = Cli::command();
    cli.build();
    cli
}

/// Returns the keys that have several values, with their values.
fn several<'a>(
    pairs: impl Iterator<Item = (String, String)> + 'a,
) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in pairs {
        all.entry(key).or_default().insert(value);
    }
    all.retain(|_, values| values.len() > 1);
    all
}

fn long(arg: &Arg) -> String {
    arg.get_long().expect("every option has a long name").to_owned()
}

fn value_names(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().map(|name| format!("<{name}>")).collect()
}

#[test]
fn an_option_has_one_short_name_and_one_value_name_in_all_commands() {
    let cli = cli();
    let spelling = |arg: &Arg| format!("{:?} {}", arg.get_short(), value_names(arg));
    let pairs = options(&cli).into_iter().map(|(_, arg)| (long(arg), spelling(arg)));
    assert_eq!(several(pairs), BTreeMap::new());
}

#[test]
fn a_meaning_has_one_option_in_all_commands() {
    let cli = cli();
    let help = |arg: &Arg| arg.get_help().expect("every option has help").to_string();
    let pairs = options(&cli).into_iter().map(|(_, arg)| (help(arg), long(arg)));
    assert_eq!(several(pairs), BTreeMap::new());
}

#[test]
fn a_kind_of_value_has_one_name_in_all_commands() {
    let names: [(TypeId, &[&str]); 3] = [
        (TypeId::of::<Duration>(), &["TIME"]),
        (TypeId::of::<SocketAddr>(), &["ADDR"]),
        (TypeId::of::<PathBuf>(), &["FILE", "DB", "DIR", "BOT", "PATH", "IN", "OUT"]),
    ];
    let cli = cli();
    for (command, one) in commands(&cli) {
        for arg in one.get_arguments() {
            let kind = arg.get_value_parser().type_id();
            let known = names.iter().find(|(known, _)| kind == *known);
            let is_known =
                |names: &[&str]| names.iter().any(|name| value_names(arg) == format!("<{name}>"));
            assert!(known.is_none_or(|(_, names)| is_known(names)), "{command}: {arg:?}");
        }
    }
}

#[test]
fn lists_are_written_with_commas_or_by_repetition() {
    // Values of these may have commas, and `--human` is added up.
    let others = ["option", "where", "human"];
    let cli = cli();
    for (command, arg) in options(&cli) {
        let is_list = matches!(arg.get_action(), ArgAction::Append)
            && arg.get_num_args().is_none_or(|n| n.max_values() == 1);
        if is_list && !others.contains(&&*long(arg)) {
            assert_eq!(arg.get_value_delimiter(), Some(','), "{command}: --{}", long(arg));
        }
    }
}

#[test]
fn a_command_that_takes_a_game_or_a_database_of_results_takes_a_tournament() {
    // `init` writes the tournament, and `watch` shows a game of a server.
    let cli = cli();
    for (command, one) in commands(&cli) {
        let has = |id: &str| one.get_arguments().any(|arg| arg.get_id() == id);
        let is_meant = has("game") || has("database") || has("bot") || has("bots");
        if is_meant && !["init", "watch"].contains(&&*command) {
            let file = one.get_arguments().find(|arg| arg.get_id() == "file");
            assert_eq!(file.and_then(Arg::get_short), Some('f'), "{command}");
        }
    }
}

#[test]
fn the_table_of_options_has_each_option_with_its_commands() {
    let table = option_table();
    for row in [
        "| `--budget TIME` | ",
        "| `--event EVENT` | ",
        "| `--file FILE`, `-f` | The tournament's file [default: tournament.yaml] | `run`, ",
        "| `--quiet`, `-q` | Print no progress | all |",
    ] {
        assert!(table.contains(row), "{row}\n{table}");
    }
}
