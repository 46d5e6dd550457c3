//! What several commands are told.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use joust_orchestrator::config::parse_duration as read_duration;

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileArg {
    /// The tournament's file
    #[arg(long = "file", short = 'f', value_name = "FILE", default_value = "tournament.yaml")]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct BoutArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For the terminal.
    #[default]
    Table,
    /// For a pull request or a page.
    Markdown,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
    /// The original contest's results table, byte for byte; of `battlebots` only.
    Classic,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    read_duration(text).map_err(|error| error.to_string())
}

/// Reads why something is done: it is kept and shown for ever, so it says something.
pub(crate) fn reason(text: &str) -> Result<String, String> {
    if text.chars().any(|c| !c.is_whitespace() && !c.is_control()) {
        return Ok(text.to_owned());
    }
    Err("a decision needs a reason, which is kept and shown".to_owned())
}
