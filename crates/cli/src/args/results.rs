//! Arguments of `joust standings`, `joust report` and `joust merge`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use joust_standings::ratings::event::Model;

use super::{BoutArgs, LiveArgs, TableFormat};

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Show this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = TableFormat::Table, value_name = "FORMAT")]
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
    /// The tournament's file, which says what is public
    /// [default: tournament.yaml, unless --database is given]
    #[arg(value_name = "FILE")]
    pub(crate) tournament: Option<PathBuf>,
    /// The tournament's file, as other commands take it
    #[arg(long, short = 'f', value_name = "FILE", conflicts_with = "tournament")]
    pub(crate) file: Option<PathBuf>,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
    /// Show this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
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
