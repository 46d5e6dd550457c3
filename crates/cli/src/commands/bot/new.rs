//! `joust bot new`: a starter bot in a language for a game.

use joust_bots::scaffold::{self, Starter};

use crate::args::BotNewArgs;
use crate::commands::{init, shared};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &BotNewArgs, screen: Screen) -> Result<Status, Failure> {
    let shared::FoundGame { game, tournament } = shared::game_or_folder(&args.game, None, screen)?;
    let author = args.author.clone().or_else(|| std::env::var("USER").ok()).unwrap_or_default();
    let starter = Starter {
        game: game.id(),
        language: &args.language,
        folder: &args.folder,
        author: &author,
    };
    let own = tournament.external.iter().find(|one| one.game.id() == game.id());
    let made = match own {
        Some(own) => scaffold::copy(&own.folder.join("bots"), &starter),
        None => scaffold::make(&starter),
    };
    let files = made.map_err(|error| init::failure(&error))?;
    for file in &files {
        screen.result(&format!("{}\n", file.display()));
    }
    let folder = shared::shell_quoted(&args.folder.display().to_string());
    // What begins with a dash would be taken for an option.
    let place = if folder.starts_with('-') { "./" } else { "" };
    screen.message(&format!(
        "try it: joust bot check {} {place}{folder}",
        shared::shell_quoted(&args.game)
    ));
    Ok(Status::Done)
}
