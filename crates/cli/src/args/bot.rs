//! `joust bot`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use joust_model::Round;

use super::{BoutChoice, BoutFormatArgs, EventsArg, FileArg, GameArg, IsolationArg, SourceArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum BotCommand {
    /// Make a starter bot in a language for a game
    New(BotNewArgs),
    /// Build a bot, play it against a sample, report timing and faults
    Check(BotCheckArgs),
    /// Fetch the libraries that a bot's own list names
    Fetch(BotFetchArgs),
    /// Run a bot on exactly one recorded view
    Turn(BotTurnArgs),
    /// Write sample views of a game for people who write parsers
    Samples(BotSamplesArgs),
    /// Take a bot out of the tournament at its author's wish
    Withdraw(DecisionArgs),
    /// Take a bot out of the tournament for breaking the rules
    Disqualify(DecisionArgs),
    /// Take a decision about a bot back
    Restore(DecisionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BotNewArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// The language's id, for instance python
    pub(crate) language: String,
    /// The folder to make; its last part is the bot's name
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The author's name
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
}

#[derive(Debug, Args)]
#[command(allow_missing_positional = true)]
pub(crate) struct BotCheckArgs {
    /// The game, as `play` takes it [default: the only game of the tournament]
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// The bot: a folder, an archive, a source file, or a name of the tournament's field
    pub(crate) bot: PathBuf,
    /// Bouts to play
    #[arg(
        long, default_value_t = 2, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) bouts: u32,
    #[command(flatten)]
    pub(crate) result: BoutFormatArgs,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct BotFetchArgs {
    /// The bots: folders, archives, source files, or names of the tournament's field [default: the
    /// whole field]
    #[arg(value_name = "BOT")]
    pub(crate) bots: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// For this event [default: the first whose game takes such a bot]
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct BotTurnArgs {
    /// The bot: a folder, an archive, a source file, or a name of the tournament's field
    pub(crate) bot: PathBuf,
    /// The recorded bout's id or enough of its first digits, or the names of bots
    /// that met in it
    #[arg(long, value_name = "BOUT|BOT", num_args = 1.., required = true)]
    pub(crate) bout: Vec<String>,
    #[command(flatten)]
    pub(crate) pick: BoutChoice,
    /// The round, from 1
    #[arg(long, value_name = "N", value_parser = super::common::round)]
    pub(crate) round: Round,
    /// Seat whose view it is shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seat: u8,
    /// Print the command to run under a debugger, outside the sandbox, with
    /// the view in a file, instead of running the bot
    #[arg(long)]
    pub(crate) debugger: bool,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct BotSamplesArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// The folder to write to; created if missing
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The rule set [default: all of the game's, a folder each]
    #[arg(long, value_name = "RULES")]
    pub(crate) rules: Option<String>,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The bot: its name or its path
    pub(crate) bot: String,
    /// Reason, shown in the tables
    #[arg(long, value_name = "TEXT", value_parser = super::common::reason)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) events: EventsArg,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}
