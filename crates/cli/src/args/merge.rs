//! `joust merge`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The database to join the others into; created if missing
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The databases to join, such as those of shards; they stay as they are
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}
