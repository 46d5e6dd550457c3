//! `joust history`.

use clap::Args;

use super::{BoutArgs, TextFormat};

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The bout's id, or enough of its first digits
    pub(crate) bout: String,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}
