//! `joust bot`: what concerns one bot.

mod check;
mod decide;
mod faulty_turn;
mod fetch;
mod new;
mod samples;
mod turn;

use joust_model::Decision;

use crate::args::BotCommand;
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::Screen;

pub(super) async fn execute(command: BotCommand, screen: Screen) -> Result<Status, Failure> {
    match command {
        BotCommand::New(args) => new::execute(&args, screen),
        BotCommand::Check(args) => check::execute(&args, screen),
        BotCommand::Fetch(args) => fetch::execute(&args, screen),
        BotCommand::Turn(args) => turn::execute(args, screen).await,
        BotCommand::Samples(args) => samples::execute(&args, screen),
        BotCommand::Withdraw(args) => decide::execute(args, Decision::Withdrawn, screen).await,
        BotCommand::Disqualify(args) => decide::execute(args, Decision::Disqualified, screen).await,
        BotCommand::Restore(args) => decide::execute(args, Decision::Restored, screen).await,
    }
}
