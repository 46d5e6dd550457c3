//! `joust config show`: every value that is in force.

use joust_orchestrator::config;

use super::shared;
use crate::args::ConfigCommand;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(command: &ConfigCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        ConfigCommand::Show { file } => {
            let tournament = shared::tournament(file, screen)?;
            screen.result(&config::show(&tournament));
        }
    }
    Ok(Status::Done)
}
