//! The command line: what can be asked, and its help.

mod bot;
mod bouts;
mod ci;
mod common;
mod game;
mod play;
mod results;
mod run;
mod setup;
mod workers;

use std::sync::LazyLock;

use clap::builder::{Resettable, StyledStr};
use clap::{Args, Parser, Subcommand, ValueEnum};

use common::{parse_duration, parse_some_time};

pub(crate) use bot::{
    BotCheckArgs, BotCommand, BotFetchArgs, BotNewArgs, BotSamplesArgs, BotTurnArgs, DecisionArgs,
};
pub(crate) use bouts::{
    BoutChoice, BoutSelector, BoutsArgs, BuildsCommand, BuildsExportArgs, HistoryArgs, ListFormat,
    ReplayArgs, RerunArgs, VerifyArgs,
};
pub(crate) use ci::CiArgs;
pub(crate) use common::{
    BoutFormatArgs, BudgetArg, CredentialsArg, DEFAULT_FILE, DatabaseArg, EventsArg, FileArg,
    FormatArg, GameArg, IsolationArg, JobsArg, RulesArg, SourceArgs, TableFormat, TextFormat,
    TournamentArg,
};
pub(crate) use game::{
    GameBenchArgs, GameCheckArgs, GameCommand, GameNewArgs, ServeArgs, WatchArgs,
};
pub(crate) use play::PlayArgs;
pub(crate) use results::{MergeArgs, ReportArgs, StandingsArgs};
pub(crate) use run::{LiveArgs, RunArgs, TryArgs};
pub(crate) use setup::{
    CalibrateArgs, CompletionTarget, CompletionsArgs, ConfigCommand, DocsArgs, DoctorArgs,
    InitArgs, RulesArgs, Topic,
};
pub(crate) use workers::{InviteArgs, WorkerArgs, WorkersArgs, WorkersCommand};

/// Texts below the options: `[NAME]` and what the help of `joust NAME` ends with.
const AFTER_HELP: &str = include_str!("args/after_help.txt");

/// Returns the text below the options of a command.
fn after_help(command: &str) -> Resettable<StyledStr> {
    let text = AFTER_HELP.split_once(&format!("[{command}]\n"));
    let text = text.and_then(|(_, rest)| rest.split("\n\n[").next()).map(str::trim_end);
    let with_keys = text.map(|text| match text.split_once("{keys}\n") {
        Some((above, below)) => format!("{above}{}{below}", play::keys_help()).into(),
        None => text.into(),
    });
    with_keys.into()
}

/// Adds to a command and those beneath it what they have in common: the text below the options,
/// and [`common::with_minus`].
fn complete(command: clap::Command) -> clap::Command {
    fn named(command: clap::Command, name: &str) -> clap::Command {
        let beneath = |one: clap::Command| {
            let name = format!("{name} {}", one.get_name());
            named(one, &name)
        };
        let command = command.after_help(after_help(name));
        command.mut_args(common::with_minus).mut_subcommands(beneath)
    }
    let name = command.get_name().to_owned();
    named(command, &name)
}

/// Commands of the second group of the help.
const SECOND_GROUP: &str =
    "ci rerun verify history merge builds calibrate worker workers serve watch";

/// Layout of the help, whose commands are in two groups.
static HELP: LazyLock<String> = LazyLock::new(|| {
    let all = Command::augment_subcommands(clap::Command::default());
    let group = |is_second: bool| -> String {
        let commands = all.get_subcommands();
        let is_of_second = |name: &str| SECOND_GROUP.split(' ').any(|second| second == name);
        let commands = commands.filter(|one| is_of_second(one.get_name()) == is_second);
        let line = |one: &clap::Command| {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            format!("  {:<11}  {about}\n", one.get_name())
        };
        commands.map(line).collect()
    };
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\nCommands:\n{}\n\
         Commands for pull requests, disputes, large leagues and servers:\n{}\n\
         Options:\n{{options}}{{after-help}}",
        group(false),
        group(true),
    )
});

/// Run round-robin tournaments between programs
///
/// Without a command, `joust` runs the tournament described in
/// `./tournament.yaml`: it builds every bot, calibrates every language, plays
/// every bout that has no result yet and prints the leaderboard.
#[derive(Debug, Parser)]
#[command(name = "joust", version, after_help = after_help("joust"), max_term_width = 100)]
#[command(help_template = HELP.as_str())]
#[command(mut_args(common::with_minus), mut_subcommands(complete))]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GlobalArgs {
    /// Print no progress
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Print warnings of Joust's parts, and in `play` every round's actions
    #[arg(long, short, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Colours; auto uses them in a terminal without NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = ColourChoice::Auto, value_name = "WHEN")]
    pub(crate) color: ColourChoice,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build, calibrate, play what has no result yet, print the leaderboard
    #[command(mut_arg("credentials", |arg| arg.requires("workers")))]
    Run(RunArgs),
    /// Make this folder a contest: a tournament, a starter, opponents, a page for authors
    ///
    /// Existing files are never changed: only missing files are written, and each is listed.
    /// `joust run` plays at once.
    Init(InitArgs),
    /// Print leaderboard, ratings and cross table from the database
    ///
    /// Ratings are Elo by Bradley-Terry over all bouts of an event at once, with a 95 %
    /// interval from its mirror pairs; events of more than two seats are rated by
    /// Plackett-Luce, bout by bout in schedule order.
    Standings(StandingsArgs),
    /// List the bouts that were played, by bots, outcome and faults, with their ids
    ///
    /// Other commands take an id of these, or the bots' names: `joust replay alice bob --last`.
    Bouts(BoutsArgs),
    /// Write a static site: leaderboards, cross tables, every bot and bout, replays to watch
    ///
    /// The folder needs no server: open its index.html, or put it on any web server. What
    /// is public is set by `report:` in the tournament's file; an author's e-mail address
    /// never is. The same database gives the same bytes.
    Report(ReportArgs),
    /// Play one bout now
    Play(PlayArgs),
    /// Draw a recorded bout round by round, or print one round's views
    Replay(ReplayArgs),
    /// Play a disputed bout again from its seed and compare it action by action
    ///
    /// Builds come from this machine's cache, else from --builds, else they are made
    /// again from the recorded source; a build that differs from the recorded one is
    /// reported. The rerun is noted in the bout's history.
    Rerun(RerunArgs),
    /// Judge recorded bouts again from their action logs, without running a bot
    ///
    /// Every row that decides or explains a result is also compared with the
    /// database's chain: changes by hand are reported.
    Verify(VerifyArgs),
    /// Print the record of a bout: results, voided tries, amendments, reruns and decisions
    History(HistoryArgs),
    /// Join databases of one tournament, such as those of shards, into one
    ///
    /// A result in several databases is kept once. Conflicting results are an error, unless one
    /// of them is recorded as superseded. Join shards into a new file: a shard that began as a copy
    /// of an older database has its bouts. If anything fails, nothing is written.
    Merge(MergeArgs),
    /// List connected workers, or create a key for a new one
    Workers(WorkersArgs),
    /// Keep the builds of recorded bouts for disputes
    #[command(subcommand)]
    Builds(BuildsCommand),
    Ci(CiArgs),
    /// Try a bot against the field until a test decides; the league is not touched
    ///
    /// Shows which bots it beats and how surely, whether it is stronger than the version that was
    /// tried before it (both meet the same seeds), and where it would rank.
    Try(TryArgs),
    /// Measure and show what a do-nothing bot costs in each language
    ///
    /// Games whose bots run for the whole bout are skipped: they have no start-up cost per turn.
    Calibrate(CalibrateArgs),
    /// Make, check, examine, withdraw or restore a bot
    #[command(subcommand)]
    Bot(BotCommand),
    /// Make a game of your own, whose referee is a program in any language
    #[command(subcommand)]
    Game(GameCommand),
    /// Show the effective configuration, or the schema for editors
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Run a standing game server for remote clients, until Ctrl-C
    ///
    /// Games follow one another without end. Names and totals are kept in the database, and
    /// passwords as hashes. The connection is plain text: if the address is not this machine's own,
    /// others on the network can read passwords.
    Serve(ServeArgs),
    /// Watch a running game server in the terminal
    Watch(WatchArgs),
    /// Play bouts for tournaments that are run with --workers on other machines
    ///
    /// It waits for a tournament, reports what is missing on this machine, fetches the
    /// builds, measures the languages and plays until it is over, then waits for the next. The
    /// first Ctrl-C or SIGTERM lets it finish its bouts and give back the others; it ends with
    /// status 0. It runs what the tournament brings, in the sandbox, and the tools of languages
    /// that the tournament adds, outside of it: take part in tournaments of people you trust.
    Worker(WorkerArgs),
    /// Print the rules of a game, in Markdown
    Rules(RulesArgs),
    /// Print a page of the manual, in Markdown, or the list of pages
    Docs(DocsArgs),
    /// Show what this machine's sandbox and toolchains can do, and what is missing
    Doctor(DoctorArgs),
    /// Print a script that completes commands in your shell, or the manual
    Completions(CompletionsArgs),
}
