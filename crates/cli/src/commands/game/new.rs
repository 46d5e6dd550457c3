//! `joust game new`: a game of one's own in a language.

use joust_bots::scaffold::{StarterGame, make_game};

use crate::args::GameNewArgs;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(args: &GameNewArgs, screen: Screen) -> Result<Status, Failure> {
    let starter = StarterGame { language: &args.language, folder: &args.folder };
    let files = make_game(&starter)
        .map_err(|error| Failure::from_error(Status::Usage, &error).hint_if(error.hint()))?;
    for file in &files {
        screen.result(&format!("{}\n", file.display()));
    }
    screen.message("next: joust docs games");
    Ok(Status::Done)
}
