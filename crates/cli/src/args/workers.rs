//! `joust workers`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::worker::parse_url;
use super::{TextFormat, parse_duration};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct WorkersArgs {
    /// Address of the NATS server
    #[arg(value_name = "URL", required = true, value_parser = parse_url)]
    pub(crate) url: Option<String>,
    /// File with the key that the server knows
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// Print the table again whenever it changes, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
    /// Interval between two looks, with --watch
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_duration, requires = "watch")]
    pub(crate) interval: Duration,
    #[command(subcommand)]
    pub(crate) command: Option<WorkersCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WorkersCommand {
    /// Create a worker's key and print the server configuration for it
    ///
    /// The key goes to `NAME.nk`, which the worker gets: `joust worker URL --credentials
    /// NAME.nk`. What is printed belongs into `accounts { ... }` of the server's configuration: it
    /// gives this worker an account of its own, in which it can take bouts and report under its
    /// own name, and nothing else. The coordinator's account comes first.
    #[command(
        after_help = "Examples:\n  joust workers invite main --coordinator >> joust.conf\n  \
                      joust workers invite lab-1 >> joust.conf"
    )]
    Invite(InviteArgs),
}

#[derive(Debug, Args)]
pub(crate) struct InviteArgs {
    /// The worker's name, as `joust worker --name` says it
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Folder for the key
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) out: PathBuf,
    /// For the machine that runs the tournament: it may do everything
    #[arg(long)]
    pub(crate) coordinator: bool,
}
