//! Arguments of `joust run` and `joust try`, and of their live pages.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use joust_live::Base;
use joust_model::Shard;

use super::workers::parse_url;
use super::{FileArg, TableFormat, TextFormat, parse_duration};

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The tournament's file [default: tournament.yaml]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "FILE")]
    pub(crate) database: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) execution: ExecutionArgs,
    #[command(flatten)]
    pub(crate) mode: RunModeArgs,
    /// Format of the leaderboard
    #[arg(long, value_enum, default_value_t = TableFormat::Table, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Tell the webhooks in this file who leads, which bots are broken and that the run has ended;
    /// the variable JOUST_WEBHOOKS has addresses, too
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) webhooks: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Bouts that are played.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SelectionArgs {
    /// Play this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    /// Play only the matches of this bot; may be given several times
    #[arg(long, value_name = "BOT")]
    pub(crate) only: Vec<String>,
    /// Play only one of several equal parts, such as 3/8: the same on every
    /// machine, whatever the others did; `joust merge` joins their databases
    #[arg(long, value_name = "N/COUNT")]
    pub(crate) shard: Option<Shard>,
}

/// Machines that play the bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExecutionArgs {
    /// Bouts at once, at most as many as there are cores for thinking bots
    /// [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Let --jobs exceed the cores; results are marked as oversubscribed
    #[arg(long, requires = "jobs")]
    pub(crate) oversubscribe: bool,
    /// Have the bouts played by the workers at this NATS server (`joust worker URL` starts one);
    /// this machine builds, judges every result again and keeps the database
    #[arg(long, value_name = "URL", value_parser = parse_url, conflicts_with_all = ["jobs"])]
    pub(crate) workers: Option<String>,
    /// The file with this coordinator's key, where the server of --workers wants one
    #[arg(long, value_name = "FILE", requires = "workers")]
    pub(crate) workers_credentials: Option<PathBuf>,
    /// Give a worker's bouts to others after this many seconds of silence
    #[arg(
        long, value_name = "SECONDS", requires = "workers", default_value = "30",
        value_parser = clap::value_parser!(u16).range(2..=3600)
    )]
    pub(crate) workers_lease: u16,
    /// Run without the isolation this machine lacks (tier D); results are marked
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

/// Extent of the run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunModeArgs {
    /// Begin no bout after this time, such as 20m, and say what is missing; builds and bouts under
    /// way are finished, and a bout takes `limits.bout` at most
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Keep running: build and play new or changed bots, and drop removed ones, until Ctrl-C
    #[arg(long)]
    pub(crate) follow: bool,
    /// Show what would be played, with an estimate; build and play nothing
    #[arg(long, conflicts_with = "live")]
    pub(crate) dry_run: bool,
    /// Play every bout again, also those that have a result
    #[arg(long)]
    pub(crate) fresh: bool,
    /// End with status 1 when a bot cannot be built, before anything is played
    #[arg(long)]
    pub(crate) strict: bool,
}

/// Shown after the help.
pub(super) const TRY_HELP: &str = "\
Bouts are kept in .joust/try/EVENT/BOT/VERSION.db beside the tournament's file;
the folder may be deleted at any time. The same version continues where it
stopped. `joust docs limits` explains the table.

Examples:
  joust try my-bot
  joust try bots/battlebots/sniper --against dodger,miner --for 30s
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
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LiveArgs {
    /// Serve live pages here, such as 127.0.0.1:8080; a bare port listens on
    /// localhost, 0 picks a free port
    #[arg(long, value_name = "ADDR:PORT", value_parser = super::common::parse_address)]
    pub(crate) live: Option<SocketAddr>,
    /// Hold results and news back from live pages for this long, such as 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "live")]
    pub(crate) live_delay: Option<Duration>,
    /// The path at which a reverse proxy shows live pages, such as /joust
    #[arg(long, value_name = "PATH", requires = "live")]
    pub(crate) live_base: Option<Base>,
}
