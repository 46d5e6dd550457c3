//! Arguments of `joust standings`, `joust report` and `joust merge`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use joust_standings::ratings::event::Model;

use super::{DatabaseArg, EventsArg, LiveArgs, TableFormat, TournamentArg};

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    #[command(flatten)]
    pub(crate) database: DatabaseArg,
    #[command(flatten)]
    pub(crate) events: EventsArg,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TableFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
    /// Model of the ratings [default: bradley-terry for two seats, plackett-luce for more]
    #[arg(long, value_name = "MODEL", value_parser = models())]
    pub(crate) model: Option<Model>,
    /// Show how likely each bot is stronger than each other
    #[arg(long)]
    pub(crate) superiority: bool,
}

fn models() -> impl TypedValueParser<Value = Model> {
    let names = Model::ALL.map(Model::name);
    PossibleValuesParser::new(names)
        .map(|name| Model::from_name(&name).expect("clap lets only these names through"))
}

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The folder to write the site to; it appears when everything is written
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present = "live",
        conflicts_with_all = ["live", "live_delay", "live_base"]
    )]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    #[command(flatten)]
    pub(crate) database: DatabaseArg,
    #[command(flatten)]
    pub(crate) events: EventsArg,
    /// Replace a site that joust made before
    #[arg(long, conflicts_with = "live")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) live: LiveArgs,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// The database to join the others into; created if missing
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// The databases to join, such as those of shards; they stay as they are
    #[arg(value_name = "IN", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
}
