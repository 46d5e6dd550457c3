//! `joust history`.

use clap::Args;

use super::{BoutArgs, TextFormat, Which};

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) which: Which,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}
