//! One command per file.

mod bot;
mod bout;
mod bout_viewer;
mod bouts;
mod builds;
mod calibrate;
mod ci;
mod completions;
mod config;
mod docs;
mod doctor;
mod failures;
mod find;
mod game;
mod history;
mod host;
mod init;
mod live;
mod merge;
mod named_bots;
mod people;
mod play;
mod play_log;
mod record;
mod replay;
mod replay_viewer;
mod report;
mod rerun;
mod rules;
mod run;
mod serve;
mod shared;
mod standings;
mod try_bot;
mod verify;
mod watch;
mod webhooks;
mod worker;
mod workers;

use crate::args::Command;
use crate::error::{Failure, Status};
use crate::output::Screen;

/// Executes a command.
pub(crate) async fn execute(command: Command, screen: Screen) -> Result<Status, Failure> {
    match command {
        Command::Run(args) => run::execute(args, screen).await,
        Command::Standings(args) => standings::execute(args, screen).await,
        Command::Bouts(args) => bouts::execute(args, screen).await,
        Command::Report(args) => report::execute(args, screen).await,
        Command::Play(args) => play::execute(&args, screen),
        Command::Replay(args) => replay::execute(args, screen).await,
        Command::Rerun(args) => rerun::execute(args, screen).await,
        Command::Verify(args) => verify::execute(args, screen).await,
        Command::History(args) => history::execute(args, screen).await,
        Command::Merge(args) => merge::execute(args, screen).await,
        Command::Workers(args) => workers::execute(args, screen).await,
        Command::Builds(command) => builds::execute(command, screen).await,
        Command::Ci(args) => ci::execute(args, screen).await,
        Command::Try(args) => try_bot::execute(args, screen).await,
        Command::Calibrate(args) => calibrate::execute(args, screen).await,
        Command::Bot(command) => bot::execute(command, screen).await,
        Command::Game(command) => game::execute(&command, screen),
        Command::Config(command) => config::execute(&command, screen),
        Command::Serve(args) => serve::execute(&args, screen).await,
        Command::Watch(args) => watch::execute(&args, screen),
        Command::Worker(args) => worker::execute(args, screen).await,
        Command::Rules(args) => rules::execute(&args, screen),
        Command::Init(args) => init::execute(&args, screen),
        Command::Docs(args) => docs::execute(&args, screen),
        Command::Doctor(args) => doctor::execute(&args, screen),
        Command::Completions(args) => completions::execute(&args, screen),
    }
}
