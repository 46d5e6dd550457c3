//! `joust history`.

use clap::Args;

use super::{BoutArgs, BoutSelector, TextFormat};

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}
