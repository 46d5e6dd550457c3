//! `joust merge`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The database to join the others into; made when it is not there
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The databases to join, such as those of shards; they stay as they are
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Move so many bouts at a time to a file of their own beside OUT, `OUT-0001.db`
    ///
    /// As `bouts_per_file:` of a tournament's file does. What is fewer stays in OUT.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u32).range(1..=100_000_000)
    )]
    pub(crate) bouts_per_file: u32,
}
