//! Arguments of several commands.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Arg, Args, Command, ValueEnum};
use joust_config::parse_duration as read_duration;

/// Values that begin with a number and go on with something else.
const BEGIN_WITH_A_NUMBER: [&str; 4] = ["TIME", "SIZE", "I/N", "N/COUNT"];

/// Reads the address of `--listen` or `--live`: a port alone is on this machine only.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "write it as ADDRESS:PORT, or a port of this machine".to_owned())
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileArg {
    /// The tournament's file
    #[arg(long = "file", short = 'f', value_name = "FILE", default_value = DEFAULT_FILE)]
    pub(crate) file: PathBuf,
}

/// The tournament's file where none is named.
pub(crate) const DEFAULT_FILE: &str = "tournament.yaml";

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

/// Has an option take what begins with a minus for its value: of a number that is too small it is
/// said what is wrong with it, not that there is no such option.
pub(super) fn with_minus(arg: Arg) -> Arg {
    if arg.is_positional() || !arg.get_action().takes_values() {
        return arg;
    }
    let names = arg.get_value_names().unwrap_or_default();
    let goes_on = names.iter().any(|name| BEGIN_WITH_A_NUMBER.contains(&name.as_str()));
    arg.allow_negative_numbers(true).allow_hyphen_values(goes_on)
}

/// Does as [`with_minus`] with all options of a command and of those beneath it.
pub(super) fn all_with_minus(command: Command) -> Command {
    command.mut_args(with_minus).mut_subcommands(all_with_minus)
}

pub(super) fn parse_duration(text: &str) -> Result<Duration, String> {
    read_duration(text).map_err(|error| match text.trim() {
        number if is_number(number) => {
            format!("{}: write `{number}s`, `{number}m` or `{number}h`", error.message)
        }
        _ => error.message,
    })
}

/// Reads how long something is waited for: a moment at least.
pub(super) fn parse_some_time(text: &str) -> Result<Duration, String> {
    match parse_duration(text)? {
        Duration::ZERO => Err("must be at least 1s".to_owned()),
        time => Ok(time),
    }
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
    use clap::Parser;
    use clap::error::ErrorKind;

    use super::super::Cli;
    use super::*;

    fn parsed(words: &[&str]) -> Result<Cli, clap::Error> {
        Cli::try_parse_from(["joust"].into_iter().chain(words.iter().copied()))
    }

    #[test]
    fn a_wrong_value_is_told_although_it_begins_with_a_minus() {
        let commands: [&[&str]; 8] = [
            &["run", "--jobs", "-1"],
            &["run", "--budget", "-5"],
            &["run", "--budget", "-5m"],
            &["run", "--shard", "-1/3"],
            &["ci", "--shard", "-1/3"],
            &["play", "battlebots", "a", "b", "--delay", "-1ms"],
            &["bot", "check", "battlebots", "a", "--bouts", "-2"],
            &["worker", "nats://127.0.0.1:4222", "--cache-size", "-1GiB"],
        ];
        for words in commands {
            let error = parsed(words).expect_err("it is wrong");
            let told = format!("invalid value '{}'", words[words.len() - 1]);
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{words:?}: {error}");
            assert!(error.to_string().contains(&told), "{words:?}: {error}");
        }
        for words in [
            ["serve", "uwcs-bomberman", "--connections", "0"],
            ["serve", "uwcs-bomberman", "--per-address", "0"],
            ["serve", "uwcs-bomberman", "--idle", "0s"],
            ["play", "battlebots", "--listen=0", "--guest-time=0s"],
        ] {
            let error = parsed(&words).expect_err("it is wrong");
            assert_eq!(error.kind(), ErrorKind::ValueValidation, "{words:?}: {error}");
        }
        parsed(&["play", "battlebots", "a", "b", "--seed", "-7"]).expect("a seed may be negative");
    }

    #[test]
    fn a_duration_without_a_unit_is_answered_with_the_usual_ones() {
        let error = "duration `5` has no unit: write `5s`, `5m` or `5h`";
        assert_eq!(parse_duration("5"), Err(error.to_owned()));
        assert_eq!(parse_duration("soon"), Err("`soon` is not a duration".to_owned()));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
    }
}
