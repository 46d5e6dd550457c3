//! `joust builds`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::BoutArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum BuildsCommand {
    /// Copy every build that a bout of the database was played with to a folder
    ///
    /// Kept beside the database, it lets any machine of this kind play a disputed
    /// bout again with the very builds: `joust rerun 3f2a --builds DIR`. Builds that
    /// are not on this machine are named.
    #[command(after_help = "Example:\n  joust builds export builds")]
    Export(BuildsExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BuildsExportArgs {
    /// The folder; created if missing, and its builds stay
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
}
