//! `joust config`: every value that is in force, every possible key, and the schema for editors.

use joust_toolchain::schema;

use super::shared;
use crate::args::{ConfigCommand, GameArg};
use crate::error::{Failure, Status};
use crate::output::Screen;

pub(super) fn execute(command: &ConfigCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        ConfigCommand::Show(args) => {
            let tournament = shared::tournament(args.file().path(), screen)?;
            screen.result(&joust_config::show(&tournament));
        }
        ConfigCommand::Reference => screen.result(&joust_config::reference()),
        ConfigCommand::Schema { kind, file } => {
            let schema = match &kind[..] {
                "tournament" => schema::tournament(&shared::games()),
                "bot" => schema::bot(),
                "game" => schema::game(),
                game => {
                    let wanted = GameArg { game: game.to_owned(), file: file.clone() };
                    let found = shared::find_game(&wanted, screen).map_err(|failure| {
                        failure
                            .hint("the kinds are `tournament`, `bot`, `game`, and a game's folder")
                    })?;
                    schema::tournament(&found.tournament.games)
                }
            };
            screen.result(&format!("{schema:#}\n"));
        }
    }
    Ok(Status::Done)
}
