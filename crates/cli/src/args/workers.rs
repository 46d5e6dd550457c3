//! Arguments of `joust worker` and `joust workers`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use joust_config::parse_size as read_size;
use joust_model::Bytes;

use super::{CredentialsArg, FormatArg, IsolationArg, parse_duration};

#[derive(Clone, Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The server, such as nats://192.168.0.7:4222
    #[arg(value_name = "URL", value_parser = parse_url)]
    pub(crate) url: String,
    /// Number of cores to play on [default: all that no other worker of this machine has]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) cores: Option<u16>,
    /// Name of this worker, unique at the server
    /// [default: the machine's name]
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    pub(crate) name: Option<String>,
    /// Play only bots in these languages, such as c,python
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) language: Vec<String>,
    /// File with the section `languages:` of tournaments that define languages of their own; a
    /// worker starts no program that only a run names
    #[arg(long, value_name = "FILE")]
    pub(crate) languages_file: Option<PathBuf>,
    /// End when the first tournament is over, or when this machine cannot play it
    #[arg(long)]
    pub(crate) once: bool,
    /// End after this time without anything to play [default: never]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) idle: Option<Duration>,
    #[command(flatten)]
    pub(crate) credentials: CredentialsArg,
    /// Largest size of the kept builds, in a folder of this worker's own
    #[arg(long, value_name = "SIZE", default_value = "8GiB", value_parser = parse_size)]
    pub(crate) cache_size: Bytes,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

/// Reads how long a worker may be silent: 2 seconds to an hour.
pub(super) fn parse_lease(text: &str) -> Result<Duration, String> {
    let allowed = Duration::from_secs(2)..=Duration::from_secs(3600);
    let lease = parse_duration(text)?;
    allowed.contains(&lease).then_some(lease).ok_or_else(|| "it is from 2s to 1h".to_owned())
}

pub(super) fn parse_url(text: &str) -> Result<String, String> {
    joust_cluster::transport::nats::check_url(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

fn parse_name(text: &str) -> Result<String, String> {
    joust_cluster::transport::nats::check_name(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

fn parse_size(text: &str) -> Result<Bytes, String> {
    read_size(text).map_err(|error| error.message)
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct WorkersArgs {
    /// Address of the NATS server
    #[arg(value_name = "URL", required = true, value_parser = parse_url)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) credentials: CredentialsArg,
    #[command(flatten)]
    pub(crate) output: FormatArg,
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
