//! Arguments of `joust ci`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use joust_model::Shard;

use super::{BudgetArg, DatabaseArg, EventsArg, IsolationArg, JobsArg, TournamentArg};

/// Check a bot pull request: what changed, what moved, and whether it may be merged
#[derive(Clone, Debug, Args)]
pub(crate) struct CiArgs {
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    /// Compare with this commit, branch or tag, or what it has in common with HEAD
    #[arg(long, value_name = "REF", required_unless_present = "base_database")]
    pub(crate) base: Option<String>,
    /// The results before the change, never written [default: what the database has]
    #[arg(long, value_name = "DB")]
    pub(crate) base_database: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) database: DatabaseArg,
    /// Write summary, tables and replays to this folder
    #[arg(long, value_name = "DIR", default_value = "joust-ci")]
    pub(crate) out: PathBuf,
    /// Author of the change, as owners are named; without it the change is trusted
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) author: Option<String>,
    #[command(flatten)]
    pub(crate) events: EventsArg,
    /// Share of faulty turns above which a bot is broken [default: 0 if severe, else 5]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) max_faults: Option<u8>,
    #[command(flatten)]
    pub(crate) execution: CiRunArgs,
    #[command(flatten)]
    pub(crate) gate: GateArgs,
}

/// Gate that a changed bot has to pass.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct GateArgs {
    /// Play changed bots against the versions they replace until one is clearly stronger
    #[arg(long, requires = "base")]
    pub(crate) gate: bool,
    /// Difference up to which a bot is not stronger, normalised Elo from -1000 to 1000
    #[arg(long, value_name = "ELO", default_value_t = 0.0, requires = "gate")]
    pub(crate) gate_h0: f64,
    /// Difference from which a bot is stronger
    #[arg(long, value_name = "ELO", default_value_t = 50.0, requires = "gate")]
    pub(crate) gate_h1: f64,
    /// Rate at which bots that are not stronger may pass
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "gate")]
    pub(crate) gate_alpha: f64,
    /// Rate at which bots that are stronger may fail
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "gate")]
    pub(crate) gate_beta: f64,
    /// Number of mirror pairs after which the gate is undecided
    #[arg(
        long,
        value_name = "N",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        requires = "gate"
    )]
    pub(crate) gate_pairs: u32,
}

/// Extent of the run.
#[derive(Clone, Debug, Args)]
pub(crate) struct CiRunArgs {
    #[command(flatten)]
    pub(crate) jobs: JobsArg,
    /// Play only this shard, such as 3/8, and write no reports; `joust merge` joins databases
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    #[command(flatten)]
    pub(crate) budget: BudgetArg,
    /// Build what changed, say what would be played, and play nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}
