//! `joust config`: every value that is in force, every possible key, and the schema for editors.

use std::path::Path;

use joust_config::is_game_folder;
use joust_model::escaped;
use joust_toolchain::schema;

use super::shared;
use crate::args::ConfigCommand;
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) fn execute(command: &ConfigCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        ConfigCommand::Show { file } => {
            let tournament = shared::tournament(file, screen)?;
            screen.result(&joust_config::show(&tournament));
        }
        ConfigCommand::Reference => screen.result(&joust_config::reference()),
        ConfigCommand::Schema { file } => {
            let schema = match &file[..] {
                "tournament" => schema::tournament(&shared::games()),
                "bot" => schema::bot(),
                "game" => schema::game(),
                folder if is_game_folder(Path::new(folder)) => {
                    let found = shared::game_or_folder(folder, None, screen)?;
                    schema::tournament(&found.tournament.games)
                }
                other => {
                    let message = format!("there is no schema of `{}`", escaped(other));
                    let hint = "`tournament`, `bot`, `game`, or the folder of a game of one's own";
                    return Err(Failure::new(Status::Usage, message).hint(hint));
                }
            };
            screen.result(&format!("{schema:#}\n"));
        }
    }
    Ok(Status::Done)
}
