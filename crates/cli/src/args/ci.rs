//! What `joust ci` is asked.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use joust_orchestrator::model::Shard;

use super::parse_duration;

/// Shown after the help.
pub(super) const AFTER_HELP: &str = "\
Examples:
  joust ci --base origin/main
  joust ci --base HEAD^1 --base-database base.db --author ada --out report
  joust ci --base origin/main --gate --gate-h1 100 --gate-pairs 200
  joust ci --base-database base.db --dry-run
  joust ci --base HEAD^1 --base-database base.db \\
    --database shard-3.db --shard 3/8

origin/main stands for the branch the change is for, base.db for the database of its last run.

Files: DIR/summary.md (at most 60,000 bytes, nothing of a bot's is mark-up in it), DIR/summary.json,
DIR/leaderboard.md and DIR/leaderboard.json; with --gate also the database DIR/gate.db. The summary is appended to $GITHUB_STEP_SUMMARY when
that is set; with GITHUB_ACTIONS=true the files that failed are annotated.

Exit statuses, the worst first:
  130  interrupted; run the same command to continue
  3, 4 the database or the machine failed (infrastructure), or a tool that a bot needs is missing
  2    the command line, the configuration or the base is wrong
  8    refused: another owner's bot, a second bot of one owner where that is forbidden, a file that
       belongs to no bot, a link out of the repository, or a database or report of its own
  6    a bot of the change is broken: its manifest, its build, or faults above --max-faults
  7    the gate: a bot is weaker than, or only as strong as, the one it replaces (H0)
  5    the --budget was used up and bouts are missing, those of the gate included; run the same command to continue
  9    the gate could not tell
  0    nothing is wrong with the change, or its bots play with faults that --max-faults allows
       (`state` in summary.json tells them apart)";

/// Check a bot pull request: what changed, what moved, and whether it may be merged
///
/// Bots are compared with those of the base by the hash of their content. Only what is new or
/// changed is built, and only bouts without a valid result are played: one changed bot among N
/// plays N-1 matches. A change that the owners' rules forbid (`entries` in the tournament's file,
/// as it was in the base) builds and plays nothing. With --base all settings are those of the base:
/// of the tournament's file a change can add paths of bots and nothing else. The summary is printed
/// in Markdown.
#[derive(Clone, Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CiArgs {
    /// The tournament's file
    #[arg(value_name = "FILE", default_value = "tournament.yaml")]
    pub(crate) file: PathBuf,
    /// Compare with this commit, branch or tag: with the last commit it has in common with HEAD, or
    /// with itself where the clone is too shallow to tell
    #[arg(long, value_name = "REF", required_unless_present = "base_database")]
    pub(crate) base: Option<String>,
    /// The results before the change; copied to the database when that is not there yet, never
    /// written [default: what the database has before this run]
    #[arg(long, value_name = "DB")]
    pub(crate) base_database: Option<PathBuf>,
    /// Where results go [default: the database that the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
    /// Write the reports to this folder
    #[arg(long, value_name = "DIR", default_value = "joust-ci")]
    pub(crate) out: PathBuf,
    /// Who proposes the change; without it owners are not asked
    #[arg(long, value_name = "LOGIN")]
    pub(crate) author: Option<String>,
    /// Check this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    /// Count a bot as broken when a larger share of its turns earned a fault, and as one that plays
    /// with faults when it is smaller [default: 0 for crashes, exits, protocol and memory, 5 for the
    /// rest]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) max_faults: Option<u8>,
    /// Bouts at once, at most as many as there are cores for thinking bots
    /// [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Play only this shard, such as 3/8, and leave the reports to the run that has the results of all
    /// of them: `joust merge`, then the same command without --shard. A shard's exit status says
    /// nothing about the bots
    #[arg(long, value_name = "I/N")]
    pub(crate) shard: Option<Shard>,
    /// Stop cleanly after this time, such as 20m, and say what is missing
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Build what changed, show what would be played with an estimate, and play nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Let each changed bot play the version it replaces, in mirror pairs, until a sequential test can
    /// tell which is stronger
    #[arg(long, requires = "base")]
    pub(crate) gate: bool,
    /// The difference of H0, normalised Elo from -1000 to 1000: at most this is not stronger
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        requires = "gate"
    )]
    pub(crate) gate_h0: f64,
    /// The difference of H1, normalised Elo up to 1000, above that of H0: at least this is stronger
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 50.0,
        allow_negative_numbers = true,
        requires = "gate"
    )]
    pub(crate) gate_h1: f64,
    /// How often a bot that is not stronger may pass
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "gate")]
    pub(crate) gate_alpha: f64,
    /// How often a bot that is stronger may fail
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "gate")]
    pub(crate) gate_beta: f64,
    /// The most mirror pairs to play before it counts as not decided
    #[arg(
        long,
        value_name = "N",
        default_value_t = 400,
        value_parser = clap::value_parser!(u32).range(1..=100_000),
        requires = "gate"
    )]
    pub(crate) gate_pairs: u32,
    /// Run without the isolation this machine lacks (tier D); results are marked
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}
