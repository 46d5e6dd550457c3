//! `joust completions`: a script for the shell, or the manual.

use std::io;
use std::path::Path;

use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::args::{Cli, CompletionTarget, CompletionsArgs};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) fn execute(args: &CompletionsArgs, screen: Screen) -> Result<Status, Failure> {
    let mut joust = Cli::command();
    match &args.folder {
        None => screen.result_bytes(&printed(args.target, &mut joust)),
        Some(folder) => write(args.target, joust, folder)
            .map_err(|error| Failure::unwritable(Status::Usage, folder, &error))?,
    }
    Ok(Status::Done)
}

fn printed(target: CompletionTarget, joust: &mut Command) -> Vec<u8> {
    let mut text = Vec::new();
    match shell(target) {
        Some(shell) => clap_complete::generate(shell, joust, "joust", &mut text),
        None => clap_mangen::Man::new(joust.clone())
            .render(&mut text)
            .expect("writing to memory cannot fail"),
    }
    text
}

fn write(target: CompletionTarget, mut joust: Command, folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    match shell(target) {
        Some(shell) => clap_complete::generate_to(shell, &mut joust, "joust", folder).map(|_| ()),
        None => clap_mangen::generate_to(joust, folder),
    }
}

/// Returns the shell; `None` for the manual.
fn shell(target: CompletionTarget) -> Option<Shell> {
    Shell::from_str(target.to_possible_value()?.get_name(), true).ok()
}
