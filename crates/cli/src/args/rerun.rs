//! `joust rerun`.

use std::path::PathBuf;

use clap::Args;

use super::{BoutArgs, BoutSelector, TextFormat};

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Play it so many times, and say how often it went the same way
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=100_000)
    )]
    pub(crate) times: u32,
    /// Take builds that this machine does not have from this folder, as `joust
    /// builds export` made it
    #[arg(long, value_name = "DIR")]
    pub(crate) builds: Option<PathBuf>,
    /// Record the new result beside the old one; with --times the first of them
    #[arg(long, requires = "reason")]
    pub(crate) amend: bool,
    /// Why the result is amended
    #[arg(long, requires = "amend", value_name = "TEXT", value_parser = super::common::reason)]
    pub(crate) reason: Option<String>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// Play without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}
