//! `joust bouts`, and the choice of a bout for other commands.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use joust_referee::Verdict;
use joust_standings::conditions::Condition;
use joust_standings::search::{BotOutcome, FaultFilter};

use super::BoutArgs;

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
    /// The bot earned this verdict, such as crash; without one, any fault
    #[arg(long, value_name = "VERDICT", num_args = 0..=1, default_missing_value = ANY, value_parser = faults())]
    pub(crate) faults: Option<FaultFilter>,
    /// The bout's number within its match, from 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: Option<u32>,
    /// Filter by a number reported for the bot, such as 'captures<3' in quotes
    ///
    /// NAME is what the game's referee counts, or bot.NAME what a bot says of itself on standard
    /// error. Then one of < <= > >= = and a number. NAME.min, NAME.max and NAME.mean stand for the
    /// smallest, the largest and the mean over the bout. May be given several times: one seat then
    /// meets all conditions.
    #[arg(long = "where", value_name = "NAME<VALUE")]
    pub(crate) conditions: Vec<Condition>,
    /// In this event; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For spreadsheets.
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
    #[arg(long, value_name = "ID")]
    pub(crate) event: Option<String>,
}

/// Stands for every fault.
const ANY: &str = "any";

fn faults() -> impl TypedValueParser<Value = FaultFilter> {
    let names = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok()).map(Verdict::name);
    PossibleValuesParser::new(names.chain([ANY]))
        .map(|name| Verdict::from_name(&name).map_or(FaultFilter::Any, FaultFilter::Earned))
}
