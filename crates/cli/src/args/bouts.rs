//! Arguments of the commands on recorded bouts, and the choice of a bout.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use joust_model::Round;
use joust_referee::Verdict;
use joust_standings::conditions::Condition;
use joust_standings::search::{BotOutcome, FaultFilter};

use super::{
    BoutFormatArgs, EventsArg, FormatArg, IsolationArg, JobsArg, SourceArgs, parse_duration,
};

#[derive(Debug, Args)]
pub(crate) struct BoutsArgs {
    /// Bouts in which all these bots played; the other filters apply to the first
    #[arg(value_name = "BOT")]
    pub(crate) bots: Vec<String>,
    /// Bouts of this bot
    #[arg(long, value_name = "BOT")]
    pub(crate) bot: Option<String>,
    /// Bouts against this bot
    #[arg(long, value_name = "BOT")]
    pub(crate) against: Option<String>,
    /// Bouts it won
    #[arg(long, group = "outcome")]
    pub(crate) won: bool,
    /// Bouts it drew
    #[arg(long, group = "outcome")]
    pub(crate) drawn: bool,
    /// Bouts it lost
    #[arg(long, group = "outcome")]
    pub(crate) lost: bool,
    /// Bouts in which the bot earned this verdict, such as crash; without a verdict, any fault
    #[arg(long, value_name = "VERDICT", num_args = 0..=1, default_missing_value = ANY, value_parser = faults())]
    pub(crate) faults: Option<FaultFilter>,
    /// The bout's number within its match, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: Option<u32>,
    /// Filter by a number reported for the bot, such as 'captures<3' in quotes
    ///
    /// NAME is what the game's referee counts, or bot.NAME what a bot says of itself on standard
    /// error. Then one of < <= > >= = and a number. NAME.min, NAME.max and NAME.mean stand for the
    /// smallest, the largest and the mean over the bout. If it is repeated, one seat meets all
    /// conditions.
    #[arg(long = "where", value_name = "NAME<VALUE")]
    pub(crate) conditions: Vec<Condition>,
    #[command(flatten)]
    pub(crate) events: EventsArg,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ListFormat::Text, value_name = "FORMAT")]
    pub(crate) format: ListFormat,
}

impl BoutsArgs {
    pub(crate) fn outcome(&self) -> Option<BotOutcome> {
        match (self.won, self.drawn, self.lost) {
            (true, ..) => Some(BotOutcome::Won),
            (_, true, _) => Some(BotOutcome::Drawn),
            (.., true) => Some(BotOutcome::Lost),
            _ => None,
        }
    }
}

/// Format of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    #[default]
    Text,
    Json,
    Csv,
}

/// A bout by its id, or by who met in it.
#[derive(Clone, Debug, Args)]
pub(crate) struct BoutSelector {
    /// The bout's id or enough of its first digits, or the names of bots that met
    #[arg(value_name = "BOUT|BOT", required = true)]
    pub(crate) bout: Vec<String>,
    #[command(flatten)]
    pub(crate) pick: BoutChoice,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}

/// Choice among several bouts.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct BoutChoice {
    /// The last of several bouts of these bots
    #[arg(long, conflicts_with = "number")]
    pub(crate) last: bool,
    /// The bout of this number within its match, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: Option<u32>,
    /// A bout of this event
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
}

/// Stands for every fault.
const ANY: &str = "any";

fn faults() -> impl TypedValueParser<Value = FaultFilter> {
    let names = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok()).map(Verdict::name);
    PossibleValuesParser::new(names.chain([ANY]))
        .map(|name| Verdict::from_name(&name).map_or(FaultFilter::Any, FaultFilter::Earned))
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    /// Print this round only, from 1: the position before it and the views
    #[arg(long, value_name = "N", value_parser = super::common::round)]
    pub(crate) round: Option<Round>,
    /// With --round, print exactly the bytes this seat was shown; without it,
    /// draw no more than it was shown
    #[arg(long, value_name = "N")]
    pub(crate) seat: Option<u8>,
    /// Write the bout to the folder DIR in the original's layout of replays, which is entelect
    #[arg(
        long,
        num_args = 2,
        value_names = ["LAYOUT", "DIR"],
        conflicts_with_all = ["round", "format", "turns"]
    )]
    pub(crate) export: Vec<String>,
    /// Write the bout as one page that plays it and needs no other file
    /// [default FILE: bout-ID.html]
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["round", "format", "turns", "export"]
    )]
    pub(crate) html: Option<Option<PathBuf>>,
    /// Write the bout as an animation [default FILE: bout-ID.gif]
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        conflicts_with_all = ["round", "format", "turns", "export", "html"]
    )]
    pub(crate) gif: Option<Option<PathBuf>>,
    /// Replace an existing file or folder
    #[arg(long)]
    pub(crate) force: bool,
    /// Wait this long after each round
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0ms")]
    pub(crate) delay: Duration,
    #[command(flatten)]
    pub(crate) result: BoutFormatArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RerunArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    /// Number of reruns; the result says how many were the same
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
    #[command(flatten)]
    pub(crate) output: FormatArg,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Bouts by id, or enough of their first digits; or the names of bots, for all
    /// bouts in which they met [default: the whole database]
    #[arg(value_name = "BOUT|BOT")]
    pub(crate) bouts: Vec<String>,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
    /// The chain's head that an earlier leaderboard printed, or at least its first 8
    /// digits: reports what was recorded since, and any change of what was recorded before
    #[arg(long, value_name = "HASH", conflicts_with = "bouts", value_parser = parse_head)]
    pub(crate) head: Option<String>,
    #[command(flatten)]
    pub(crate) jobs: JobsArg,
    #[command(flatten)]
    pub(crate) output: FormatArg,
}

fn parse_head(text: &str) -> Result<String, String> {
    let is_hash = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash && (8..=64).contains(&text.len()) {
        Ok(text.to_ascii_lowercase())
    } else {
        Err("a head has 64 hexadecimal digits, and the first 8 are enough".to_owned())
    }
}

#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(flatten)]
    pub(crate) which: BoutSelector,
    #[command(flatten)]
    pub(crate) output: FormatArg,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BuildsCommand {
    /// Copy every build that a bout of the database was played with to a folder
    ///
    /// Kept beside the database, it lets any machine of this kind play a disputed
    /// bout again with the very builds: `joust rerun 3f2a --builds DIR`. Builds that
    /// are not on this machine are named.
    Export(BuildsExportArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BuildsExportArgs {
    /// The folder; created if missing, and its builds stay
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) source: SourceArgs,
}
