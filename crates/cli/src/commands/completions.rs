//! `joust completions`: a script for the shell.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &CompletionsArgs, screen: Screen) -> Result<Status, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "joust", &mut script);
    screen.result_bytes(&script);
    Ok(Status::Done)
}
