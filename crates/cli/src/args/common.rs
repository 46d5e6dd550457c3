//! Arguments of several commands.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, Args, ValueEnum};
use joust_config::parse_duration as read_duration;
use joust_model::Round;

/// Values that begin with a number and go on with something else.
const BEGIN_WITH_A_NUMBER: [&str; 3] = ["TIME", "SIZE", "I/N"];

/// Reads the address of `--listen` or `--live`: a port alone is on this machine only.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    text.parse().map_err(|_| "write it as ADDRESS:PORT, or a port of this machine".to_owned())
}

/// The tournament's file if none is named.
pub(crate) const DEFAULT_FILE: &str = "tournament.yaml";

/// The tournament's file, as an option.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileArg {
    /// The tournament's file [default: tournament.yaml]
    #[arg(long, short = 'f', value_name = "FILE")]
    file: Option<PathBuf>,
}

impl FileArg {
    /// Returns the file if it was named.
    pub(crate) fn named(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the file that was named, else the default.
    pub(crate) fn path(&self) -> &Path {
        self.named().unwrap_or(Path::new(DEFAULT_FILE))
    }

    /// Returns the file that was named, else the default if it exists.
    pub(crate) fn existing(&self) -> Option<&Path> {
        self.named().or_else(|| Some(Path::new(DEFAULT_FILE)).filter(|file| file.exists()))
    }
}

/// The tournament's file, as an argument or as an option.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct TournamentArg {
    /// The tournament's file, as with --file
    #[arg(value_name = "FILE", conflicts_with = "file")]
    tournament: Option<PathBuf>,
    #[command(flatten)]
    option: FileArg,
}

impl TournamentArg {
    pub(crate) fn file(&self) -> FileArg {
        FileArg { file: self.tournament.clone().or_else(|| self.option.file.clone()) }
    }
}

/// Database of results.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DatabaseArg {
    /// The database [default: the one that the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
}

/// Source of recorded bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    #[command(flatten)]
    pub(crate) database: DatabaseArg,
}

/// A game, and the tournament that may describe it.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GameArg {
    /// The game: the id of a game of Joust or of the tournament's `games:`, or a folder with a
    /// `game.yaml`
    pub(crate) game: String,
    #[command(flatten)]
    pub(crate) file: FileArg,
}

/// Rules of a game.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RulesArg {
    /// The rule set [default: the game's first]
    #[arg(long, value_name = "RULES")]
    pub(crate) rules: Option<String>,
    /// Options of the game, such as max_rounds=200; repeat it for several
    #[arg(long = "option", short = 'o', value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
}

/// Choice of events.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct EventsArg {
    /// These events only [default: all]
    #[arg(long, value_name = "EVENT", value_delimiter = ',')]
    pub(crate) event: Vec<String>,
}

/// Extent of parallel play.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct JobsArg {
    /// Bouts at once [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

/// Time for bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BudgetArg {
    /// Begin no bout after this time, such as 20m; bouts under way are finished
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
}

/// Key for a server.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct CredentialsArg {
    /// File with the key that the server knows, if it wants one
    #[arg(long, value_name = "FILE")]
    pub(crate) credentials: Option<PathBuf>,
}

/// Isolation of bots.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct IsolationArg {
    /// Run without the isolation that this machine lacks (tier D); results are marked
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

/// Format of a text.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FormatArg {
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}

/// Format of bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BoutFormatArgs {
    #[command(flatten)]
    pub(crate) output: FormatArg,
    /// With --format json, list every turn
    #[arg(long)]
    pub(crate) turns: bool,
}

/// Format of tables; `classic` is the original results table of `battlebots`, byte for byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    #[default]
    Text,
    Markdown,
    Json,
    Csv,
    Classic,
}

/// Format for people, or for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    #[default]
    Text,
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

/// Reads the number of a round.
pub(super) fn round(text: &str) -> Result<Round, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("rounds are numbers from 1".to_owned()),
        Ok(number) => Ok(Round::numbered(number)),
    }
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
    fn a_key_of_a_run_is_for_its_workers() {
        let error = parsed(&["run", "--credentials", "main.nk"]).expect_err("it has no use");
        assert_eq!(error.kind(), ErrorKind::MissingRequiredArgument, "{error}");
    }

    #[test]
    fn a_duration_without_a_unit_is_answered_with_the_usual_ones() {
        let error = "duration `5` has no unit: write `5s`, `5m` or `5h`";
        assert_eq!(parse_duration("5"), Err(error.to_owned()));
        assert_eq!(parse_duration("soon"), Err("`soon` is not a duration".to_owned()));
        assert_eq!(parse_duration("5m"), Ok(Duration::from_secs(300)));
    }
}
