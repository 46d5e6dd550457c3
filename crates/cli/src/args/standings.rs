//! `joust standings`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use clap::builder::TypedValueParser;
use joust_standings::ratings::event::Model;

use super::{FileArg, TableFormat, parse_duration};

#[derive(Debug, Args)]
pub(crate) struct StandingsArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
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
    /// Refresh when new results arrive, until Ctrl-C; on a terminal the
    /// table is redrawn in its place
    #[arg(long)]
    pub(crate) watch: bool,
    /// With --watch, look for new results this often
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1s", requires = "watch")]
    pub(crate) interval: Duration,
}

fn models() -> impl TypedValueParser<Value = Model> {
    let names = Model::ALL.map(Model::name);
    PossibleValuesParser::new(names)
        .map(|name| Model::from_name(&name).expect("clap lets only these names through"))
}
