//! `joust config`: every value that is in force, every key there is, and the schema for editors.

use joust_orchestrator::bots::schema;
use joust_orchestrator::config;

use super::shared;
use crate::args::{ConfigCommand, SchemaFile};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(command: &ConfigCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        ConfigCommand::Show { file } => {
            let tournament = shared::tournament(file, screen)?;
            screen.result(&config::show(&tournament));
        }
        ConfigCommand::Reference => screen.result(&config::reference()),
        ConfigCommand::Schema { file } => {
            let schema = match file {
                SchemaFile::Tournament => schema::tournament(&shared::games()),
                SchemaFile::Bot => schema::bot(),
            };
            screen.result(&format!("{schema:#}\n"));
        }
    }
    Ok(Status::Done)
}
