//! The arguments of `joust report`.

use std::path::PathBuf;

use clap::Args;

use super::LiveArgs;

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The folder to write the site to; it appears when everything is written
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present = "live",
        conflicts_with_all = ["live", "live_delay", "live_base"]
    )]
    pub(crate) out: Option<PathBuf>,
    /// The tournament's file, which says what is public
    /// [default: tournament.yaml, unless --database is given]
    #[arg(value_name = "FILE")]
    pub(crate) tournament: Option<PathBuf>,
    /// The tournament's file, as other commands take it
    #[arg(long, short = 'f', value_name = "FILE", conflicts_with = "tournament")]
    pub(crate) file: Option<PathBuf>,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
    /// Show this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    /// Replace a site that joust made before
    #[arg(long, conflicts_with = "live")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}
