//! `joust try`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{FileArg, LiveArgs, TextFormat, parse_duration};

/// Shown after the help.
pub(super) const AFTER_HELP: &str = "\
Bouts are kept in .joust/try/EVENT/BOT/VERSION.db beside the tournament's file;
the folder may be deleted at any time. The same version continues where it
stopped. `joust docs limits` explains the table.

Examples:
  joust try my-bot
  joust try bots/battlebots/sniper --against dodger,miner --for 30s
  joust try my-bot --live 127.0.0.1:8080
  joust try sniper --event battlebots --format json";

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// The bot: a folder, an archive, a single source file, or the name of a bot of the field
    pub(crate) bot: PathBuf,
    /// Play only these bots of the field [default: all]
    #[arg(long, value_name = "BOT,BOT", value_delimiter = ',')]
    pub(crate) against: Vec<String>,
    /// The event [default: the only one, or the one that has the bot]
    #[arg(long, value_name = "ID")]
    pub(crate) event: Option<String>,
    /// Play no longer than this: bouts under way are ended then and count for nobody; building and
    /// measuring come before
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, default_value = "5m")]
    pub(crate) time: Duration,
    /// Bouts at once [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// Run without the isolation this machine lacks (tier D); results are marked
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}
