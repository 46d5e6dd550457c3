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
    read_duration(text).map_err(|error| match text.trim() {
        number if is_number(number) => {
            format!("{error}: write `{number}s`, `{number}m` or `{number}h`")
        }
        _ => error.to_string(),
    })
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Reads why something is done: it is kept and shown for ever, so it says something.
pub(crate) fn reason(text: &str) -> Result<String, String> {
    if text.chars().any(|c| !c.is_whitespace() && !c.is_control()) {
        return Ok(text.to_owned());
    }
    Err("a decision needs a reason, which is kept and shown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_without_a_unit_is_answered_with_the_usual_ones() {
        let error = "duration `5` has no unit: write `5s`, `5m` or `5h`";
        assert_eq!(parse_duration("5"), Err(error.to_owned()));
        assert_eq!(parse_duration("soon"), Err("`soon` is not a duration".to_owned()));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
    }
}
