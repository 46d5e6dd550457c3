//! Command line of the tournament orchestrator.
//!
//! It parses arguments, prints results and chooses exit statuses; other crates decide everything
//! about a tournament.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod error;
#[cfg(test)]
mod examples;
#[cfg(test)]
mod grammar_tests;
mod home;
mod keyboard;
mod option_table;
mod output;
mod scene;
mod signals;
mod start;
mod terminal_mode;
mod terminal_session;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Cli, Command, RunArgs};
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Entry of the program `joust`: runs the command of its arguments, and returns its exit status.
pub fn main() -> ExitCode {
    // A seat's launcher is this program started again: before any argument
    // parser or runtime, so that it starts fast and single-threaded.
    joust_sandbox::launcher::main_if_seat();
    joust_sandbox::return_large_blocks();
    start::with_enough_stack(begin)
}

fn begin() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Status::Usage } else { Status::Done }.into();
        }
    };
    let screen = Screen::new(&cli.global);
    log_to_stderr(screen);
    match run(cli, screen).and_then(printed) {
        Ok(status) => status.into(),
        Err(failure) => {
            screen.error(&failure.render());
            failure.status.into()
        }
    }
}

fn run(cli: Cli, screen: Screen) -> Result<Status, Failure> {
    let runtime = start::runtime()?;
    let command = cli.command.unwrap_or_else(|| Command::Run(RunArgs::default()));
    runtime.block_on(commands::execute(command, screen))
}

/// Returns a failure if a result could not be printed to its end.
fn printed(status: Status) -> Result<Status, Failure> {
    match output::lost() {
        // The terminal itself may be gone.
        _ if status == Status::Interrupted => Ok(status),
        None => Ok(status),
        Some(error) => {
            let message = format!("standard output cannot be written: {error}");
            Err(Failure::new(Status::Machine, message).hint("nothing that is stored is lost"))
        }
    }
}

fn log_to_stderr(screen: Screen) {
    let usual = if screen.verbose { "joust=info" } else { "off" };
    let filter = tracing_subscriber::EnvFilter::try_from_env("JOUST_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(usual));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| output::TERMINAL.clone())
        .init();
}
