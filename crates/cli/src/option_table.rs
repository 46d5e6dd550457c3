//! Table of all options of all commands, made of the parser.

use std::collections::BTreeMap;

use clap::{Arg, Command, CommandFactory};

use crate::args::Cli;

/// Returns the table, in Markdown, a row for each option and meaning.
pub(crate) fn option_table() -> String {
    let mut cli = Cli::command();
    cli.build();
    let mut rows: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for (command, arg) in options(&cli) {
        let commands = rows.entry((spelling(arg), help(arg))).or_default();
        if arg.is_global_set() {
            *commands = vec!["all".to_owned()];
        } else {
            commands.push(format!("`{command}`"));
        }
    }
    let row = |((option, help), commands): ((String, String), Vec<String>)| {
        format!("| {option} | {help} | {} |\n", commands.join(", "))
    };
    let rows: String = rows.into_iter().map(row).collect();
    format!("| option | meaning | commands |\n|---|---|---|\n{rows}")
}

/// Returns each option with its command, such as `bot check`.
pub(crate) fn options(cli: &Command) -> Vec<(String, &Arg)> {
    let mut all = Vec::new();
    for (name, command) in commands(cli) {
        let options = command.get_opts().chain(command.get_arguments().filter(|arg| is_flag(arg)));
        all.extend(options.map(|arg| (name.clone(), arg)));
    }
    all
}

/// Returns all commands that do something, by their whole names.
pub(crate) fn commands(cli: &Command) -> Vec<(String, &Command)> {
    let mut all = Vec::new();
    for one in cli.get_subcommands().filter(|one| one.get_name() != "help") {
        all.push((one.get_name().to_owned(), one));
        let beneath = commands(one).into_iter();
        all.extend(beneath.map(|(name, command)| (format!("{} {name}", one.get_name()), command)));
    }
    all
}

fn is_flag(arg: &Arg) -> bool {
    let is_own = !matches!(arg.get_id().as_str(), "help" | "version");
    is_own && !arg.is_positional() && !arg.get_action().takes_values()
}

/// Returns the option as it is typed, such as `-f`, `--file FILE`.
fn spelling(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!(", `-{short}`")).unwrap_or_default();
    let values = arg.get_value_names().unwrap_or_default();
    let values = values.iter().filter(|_| arg.get_action().takes_values());
    let values: String = values.map(|name| format!(" {name}")).collect();
    format!("`--{}{}`{short}", arg.get_long().unwrap_or_default(), values.replace('|', "\\|"))
}

fn help(arg: &Arg) -> String {
    let text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let values = arg.get_possible_values();
    let values = values.iter().filter(|_| arg.get_action().takes_values());
    let values: Vec<&str> = values.map(clap::builder::PossibleValue::get_name).collect();
    let mut text = text.replace('\n', " ").replace('|', "\\|");
    if !values.is_empty() {
        text += &format!(": {}", values.join(", "));
    }
    if let [default] = arg.get_default_values()
        && arg.get_action().takes_values()
    {
        text += &format!(" [default: {}]", default.to_string_lossy());
    }
    text
}
