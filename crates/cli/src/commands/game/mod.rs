//! `joust game`: what concerns a game whose referee is a program of its own.

mod bench;
mod check;
mod new;

use std::path::Path;

use joust_config::{ExternalGame, read_game_folder};
use joust_model::cancel::Cancel;
use joust_orchestrator::machine::{GameTrial, default_tournament};

use crate::args::GameCommand;
use crate::commands::{run, shared};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) fn execute(command: &GameCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        GameCommand::New(args) => new::execute(args, screen),
        GameCommand::Check(args) => check::execute(args, screen),
        GameCommand::Bench(args) => bench::execute(args, screen),
    }
}

/// A game that was read and built.
pub(super) struct PreparedGame {
    brought: ExternalGame,
    pub(super) trial: GameTrial,
    cancel: Cancel,
}

impl PreparedGame {
    /// Reads the game in a folder and builds its referee.
    fn make(folder: &Path, allow_unsafe: bool, screen: Screen) -> Result<Self, Failure> {
        let brought = read_game_folder(folder).map_err(|problems| {
            let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
            Failure::new(Status::Usage, text.join("\n"))
        })?;
        Self::of(brought, allow_unsafe, screen)
    }

    /// Builds the referee of a game.
    pub(super) fn of(
        brought: ExternalGame,
        allow_unsafe: bool,
        screen: Screen,
    ) -> Result<Self, Failure> {
        let tournament = default_tournament::tournament(Path::new("."), &shared::games());
        let isolation = run::isolation(allow_unsafe)?;
        let (machine, cancel) = run::open_machine(&tournament, isolation, screen)?;
        let trial = machine.try_game(&brought)?;
        Ok(Self { brought, trial, cancel })
    }
}
