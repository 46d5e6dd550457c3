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

/// Exit statuses, shown at the end of the help.
const EXIT_STATUSES: &str = "\
Exit statuses:
  0    it was done
  1    a check failed: verify or rerun found a difference, a bot failed its check,
       --strict met a bot that could not be built, or a game's own referee failed
  2    the command line, the configuration or a bot's folder is wrong
  3    the database is missing, damaged, of another version, full or in use by another run
  4    the machine failed: no sandbox, no room on a disk, or an infrastructure error that repeated
       itself
  5    stopped before the end because the --budget was used up
  6    ci: a bot of the change is broken; try: the bot cannot be built
  7    ci: a bot of the change is weaker than the one it replaces
  8    ci: the change is refused
  9    ci: whether a bot is weaker than the one it replaces is not decided
  130  interrupted (Ctrl-C, SIGTERM, SIGHUP); run the same command to continue";

/// Commands of the second group of the help.
const SECOND_GROUP: [&str; 11] = [
    "ci",
    "rerun",
    "verify",
    "history",
    "merge",
    "builds",
    "calibrate",
    "worker",
    "workers",
    "serve",
    "watch",
];

/// Layout of the help, whose commands are in two groups.
static HELP: LazyLock<String> = LazyLock::new(|| {
    let all = Command::augment_subcommands(clap::Command::default());
    let group = |is_second: bool| -> String {
        let commands = all.get_subcommands();
        let commands = commands.filter(|one| SECOND_GROUP.contains(&one.get_name()) == is_second);
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
#[command(name = "joust", version, after_help = EXIT_STATUSES, max_term_width = 100)]
#[command(help_template = HELP.as_str())]
#[command(mut_args(common::with_minus), mut_subcommands(common::all_with_minus))]
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
    #[arg(long, global = true, value_enum, default_value_t = Colours::Auto, value_name = "WHEN")]
    pub(crate) color: Colours,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colours {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build, calibrate, play what has no result yet, print the leaderboard
    #[command(
        after_help = "Examples:\n  joust run\n  joust run bots/full.yaml --event battlebots \
                            --budget 20m\n  joust run --shard 3/8\n  joust run --workers \
                            nats://localhost:4222\n  joust run --dry-run\n  joust run --live \
                            127.0.0.1:8080\n  joust run --follow --live 127.0.0.1:8080"
    )]
    #[command(mut_arg("credentials", |arg| arg.requires("workers")))]
    Run(RunArgs),
    /// Make this folder a contest: a tournament, a starter, opponents, a page for authors
    ///
    /// Existing files are never changed: only missing files are written, and each is listed.
    /// `joust run` plays at once.
    #[command(
        after_help = "Examples:\n  joust init\n  joust init connect-four --language javascript\n  joust init --github"
    )]
    Init(InitArgs),
    /// Print leaderboard, ratings and cross table from the database
    ///
    /// Ratings are Elo by Bradley-Terry over all bouts of an event at once, with a 95 %
    /// interval from its mirror pairs; events of more than two seats are rated by
    /// Plackett-Luce, bout by bout in schedule order.
    #[command(after_help = "Examples:\n  joust standings\n  joust standings --format markdown > \
                            leaderboard.md\n  joust standings --superiority --model trueskill\n  \
                            joust standings --event \
                            battlebots --format classic")]
    Standings(StandingsArgs),
    /// List the bouts that were played, by bots, outcome and faults, with their ids
    ///
    /// Other commands take an id of these, or the bots' names: `joust replay alice bob --last`.
    #[command(
        after_help = "Examples:\n  joust bouts\n  joust bouts --bot sniper --lost\n  joust bouts sniper \
                      dodger\n  joust bouts --bot sniper --faults timeout --format json\n  joust \
                      bouts --event battlebots --bot sniper --won"
    )]
    Bouts(BoutsArgs),
    /// Write a static site: leaderboards, cross tables, every bot and bout, replays to watch
    ///
    /// The folder needs no server: open its index.html, or put it on any web server. What
    /// is public is set by `report:` in the tournament's file; an author's e-mail address
    /// never is. The same database gives the same bytes.
    #[command(
        after_help = "Examples:\n  joust report --out site\n  joust report --out site --force\n  \
                            joust report --database results.db --event battlebots --out site\n  \
                            joust report --live 127.0.0.1:8080"
    )]
    Report(ReportArgs),
    /// Play one bout now
    #[command(after_help = play::HELP.as_str())]
    Play(PlayArgs),
    /// Draw a recorded bout round by round, or print one round's views
    #[command(
        after_help = "Examples:\n  joust replay sniper dodger --last\n  joust replay 3f2a\n  joust replay 3f2a --round 12 --seat 0\n  joust \
                      replay 3f2a --export entelect folder\n\n3f2a stands for the first digits of a \
                      bout's id; --export is for bouts of the games of the Entelect Challenge."
    )]
    Replay(ReplayArgs),
    /// Play a disputed bout again from its seed and compare it action by action
    ///
    /// Builds come from this machine's cache, else from --builds, else they are made
    /// again from the recorded source; a build that differs from the recorded one is
    /// reported. The rerun is noted in the bout's history.
    #[command(
        after_help = "Examples:\n  joust rerun 3f2a\n  joust rerun 3f2a --times 20\n  joust \
                            rerun 3f2a --builds builds\n  joust rerun 3f2a --amend --reason \
                            'the power failed'\n\n3f2a stands for the first digits of a bout's id."
    )]
    Rerun(RerunArgs),
    /// Judge recorded bouts again from their action logs, without running a bot
    ///
    /// Every row that decides or explains a result is also compared with the
    /// database's chain: changes by hand are reported.
    #[command(after_help = "Examples:\n  joust verify\n  joust verify 3f2a 77b0\n  joust verify \
                            --head 5d8f33a01c2b\n\n3f2a stands for the first digits of a bout's \
                            id, 5d8f33a01c2b for those of a head.")]
    Verify(VerifyArgs),
    /// Print the record of a bout: results, voided tries, amendments, reruns and decisions
    #[command(
        after_help = "Examples:\n  joust history 3f2a\n  joust history 3f2a --format json\n\n3f2a stands for the first digits of a bout's id."
    )]
    History(HistoryArgs),
    /// Join databases of one tournament, such as those of shards, into one
    ///
    /// A result in several databases is kept once. Conflicting results are an error, unless one
    /// of them is recorded as superseded. Join shards into a new file: a shard that began as a copy
    /// of an older database has its bouts. If anything fails, nothing is written.
    #[command(
        after_help = "Examples:\n  joust merge results.db shard-1.db shard-2.db\n  joust merge \
                            results.db shards/1.db shards/2.db shards/3.db"
    )]
    Merge(MergeArgs),
    /// List connected workers, or create a key for a new one
    #[command(
        after_help = "Examples:\n  joust workers nats://127.0.0.1:4222\n  joust workers invite lab-1 >> \
                            joust.conf"
    )]
    Workers(WorkersArgs),
    /// Keep the builds of recorded bouts for disputes
    #[command(subcommand)]
    Builds(BuildsCommand),
    Ci(CiArgs),
    /// Try a bot against the field until a test decides; the league is not touched
    ///
    /// Shows which bots it beats and how surely, whether it is stronger than the version that was tried
    /// before it (both meet the same seeds), and where it would rank.
    #[command(after_help = run::TRY_HELP)]
    Try(TryArgs),
    /// Measure and show what a do-nothing bot costs in each language
    ///
    /// Games whose bots run for the whole bout are skipped: they have no start-up cost per turn.
    #[command(after_help = "Examples:\n  joust calibrate\n  joust calibrate --language python \
                            --runs 30")]
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
    #[command(
        after_help = "Examples:\n  joust serve uwcs-bomberman\n  joust serve uwcs-bomberman \
                            --listen 0.0.0.0:8037 --spectators 0.0.0.0:8038\n  joust serve \
                            uwcs-bomberman -o rows=21 -o columns=21 \\\n    -o tick_ms=250 -o turns=500"
    )]
    Serve(ServeArgs),
    /// Watch a running game server in the terminal
    #[command(after_help = "Examples:\n  joust watch 127.0.0.1:8037\n  joust watch \
                            contest.example:8038 --games 1")]
    Watch(WatchArgs),
    /// Play bouts for tournaments that are run with --workers on other machines
    ///
    /// It waits for a tournament, reports what is missing on this machine, fetches the
    /// builds, measures the languages and plays until it is over, then waits for the next. The
    /// first Ctrl-C or SIGTERM lets it finish its bouts and give back the others; it ends with
    /// status 0. It runs what the tournament brings, in the sandbox, and the tools of languages
    /// that the tournament adds, outside of it: take part in tournaments of people you trust.
    #[command(after_help = "Examples:\n  joust worker nats://192.168.0.7:4222\n  joust worker \
                            nats://localhost:4222 --cores 2 --name left --once --idle 15m\n  joust worker \
                            tls://contest.example:4222 --name left --credentials left.nk")]
    Worker(WorkerArgs),
    /// Print the rules of a game, in Markdown
    #[command(after_help = "Examples:\n  joust rules\n  joust rules battlebots")]
    Rules(RulesArgs),
    /// Print a page of the manual, in Markdown, or the list of pages
    #[command(after_help = "Examples:\n  joust docs\n  joust docs disputes")]
    Docs(DocsArgs),
    /// Show what this machine's sandbox and toolchains can do, and what is missing
    #[command(after_help = "Examples:\n  joust doctor\n  joust doctor --sandbox --format json")]
    Doctor(DoctorArgs),
    /// Print a script that completes commands in your shell, or the manual
    #[command(
        after_help = "Examples:\n  joust completions bash > joust.bash && source joust.bash\n  joust \
                      completions man ~/.local/share/man/man1\n\nThe first holds for this shell; for \
                      good, have its startup file source joust.bash."
    )]
    Completions(CompletionsArgs),
}
