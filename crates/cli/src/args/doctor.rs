//! `joust doctor`.

use std::path::PathBuf;

use clap::Args;

use super::TextFormat;

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Take languages from this tournament's file
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Show the sandbox alone; no toolchain is looked for, which takes seconds
    #[arg(long, conflicts_with = "file")]
    pub(crate) sandbox: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}
