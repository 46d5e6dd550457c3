//! Arguments of `joust run` and `joust try`, and of their live pages.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use joust_live::Base;
use joust_model::Shard;

use super::workers::{parse_lease, parse_url};
use super::{
    BudgetArg, CredentialsArg, DatabaseArg, EventsArg, FileArg, FormatArg, IsolationArg, JobsArg,
    TableFormat, TournamentArg, parse_duration,
};

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    #[command(flatten)]
    pub(crate) database: DatabaseArg,
    #[command(flatten)]
    pub(crate) selection: SelectionArgs,
    #[command(flatten)]
    pub(crate) execution: ExecutionArgs,
    #[command(flatten)]
    pub(crate) mode: RunModeArgs,
    /// Format of the leaderboard
    #[arg(long, value_enum, default_value_t = TableFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Send a new leader, broken bots and the end of the run to the webhooks in this file; the
    /// variable JOUST_WEBHOOKS takes addresses, too
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) webhooks: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

/// Bouts that are played.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SelectionArgs {
    #[command(flatten)]
    pub(crate) events: EventsArg,
    /// Play only the matches of these bots
    #[arg(long, value_name = "BOT", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Play only this shard, such as 3/8; `joust merge` joins databases
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
}

/// Machines that play the bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ExecutionArgs {
    #[command(flatten)]
    pub(crate) jobs: JobsArg,
    /// Let --jobs exceed the cores; results are marked as oversubscribed
    #[arg(long, requires = "jobs")]
    pub(crate) oversubscribe: bool,
    /// Have the bouts played by the workers at this NATS server (`joust worker URL` starts one);
    /// this machine builds, judges every result again and keeps the database
    #[arg(long, value_name = "URL", value_parser = parse_url, conflicts_with_all = ["jobs"])]
    pub(crate) workers: Option<String>,
    #[command(flatten)]
    pub(crate) credentials: CredentialsArg,
    /// Give a worker's bouts to others after this silence
    #[arg(
        long, value_name = "TIME", requires = "workers", default_value = "30s",
        value_parser = parse_lease
    )]
    pub(crate) workers_lease: Duration,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

/// Extent of the run.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunModeArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArg,
    /// Keep running: build and play new or changed bots, and drop removed ones, until Ctrl-C
    #[arg(long, conflicts_with_all = ["dry_run", "only", "shard", "fresh", "strict", "workers"])]
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

#[derive(Debug, Args)]
pub(crate) struct TryArgs {
    /// The bot: a folder, an archive, a source file, or a name of the tournament's field
    pub(crate) bot: PathBuf,
    /// Play only these bots of the field [default: all]
    #[arg(long, value_name = "BOT", value_delimiter = ',')]
    pub(crate) against: Vec<String>,
    /// The event [default: the only one, or the one that has the bot]
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Time for bouts; running bouts are then stopped and not counted; build time is not included
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "5m")]
    pub(crate) budget: Duration,
    #[command(flatten)]
    pub(crate) jobs: JobsArg,
    #[command(flatten)]
    pub(crate) file: FileArg,
    #[command(flatten)]
    pub(crate) output: FormatArg,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct LiveArgs {
    /// Serve live pages here, such as 127.0.0.1:8080; a bare port listens on
    /// localhost, 0 picks a free port
    #[arg(long, value_name = "ADDR", value_parser = super::common::parse_address)]
    pub(crate) live: Option<SocketAddr>,
    /// Delay results and news on live pages by this time, such as 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "live")]
    pub(crate) live_delay: Option<Duration>,
    /// Path of live pages behind a reverse proxy, such as /joust
    #[arg(long, value_name = "PATH", requires = "live")]
    pub(crate) live_base: Option<Base>,
}
