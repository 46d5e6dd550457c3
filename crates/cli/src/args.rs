//! The command line: what can be asked, and its help.

mod builds;
mod ci;
mod completions;
mod config;
mod history;
mod merge;
mod report;
mod rerun;
mod standings;
mod verify;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use joust_orchestrator::config::parse_duration as read_duration;
use joust_orchestrator::model::{Pace, Shard};

pub(crate) use builds::{BuildsCommand, BuildsExportArgs};
pub(crate) use ci::CiArgs;
pub(crate) use completions::{CompletionsArgs, Target};
pub(crate) use config::{ConfigCommand, SchemaFile};
pub(crate) use history::HistoryArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use report::ReportArgs;
pub(crate) use rerun::RerunArgs;
pub(crate) use standings::StandingsArgs;
pub(crate) use verify::VerifyArgs;

/// Exit statuses, shown at the end of the help.
const EXIT_STATUSES: &str = "\
Exit statuses:
  0    it was done
  1    what was checked is not in order: verify or rerun found a difference, a bot failed its check,
       or --strict met a bot that could not be built
  2    the command line, the configuration or a bot's folder is wrong
  3    the database is missing, damaged, of another version, full or in use by another run
  4    the machine failed: no sandbox, or an infrastructure error that repeated itself
  5    stopped before the end because the --budget was used up
  6    ci: a bot of the change is broken
  7    ci: a bot of the change is weaker than the one it replaces
  8    ci: the change is refused
  9    ci: whether a bot is weaker than the one it replaces is not decided
  130  interrupted (Ctrl-C); the same command goes on";

/// Run round-robin tournaments between programs
///
/// Without a command, `joust` runs the tournament described in
/// `./tournament.yaml`: it builds every bot, calibrates every language, plays
/// every bout that has no result yet and prints the leaderboard.
#[derive(Debug, Parser)]
#[command(name = "joust", version, after_help = EXIT_STATUSES, max_term_width = 100)]
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
    /// Use colours: auto (a terminal without NO_COLOR), always or never
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
    #[command(after_help = "Examples:\n  joust run\n  joust run autumn.yaml --event battlebots \
                            --budget 20m\n  joust run --shard 3/8\n  joust run --dry-run")]
    Run(RunArgs),
    /// Print leaderboard, ratings and cross table from the database
    ///
    /// Ratings are Elo by Bradley-Terry over all bouts of an event at once, with a 95 %
    /// interval from its mirror pairs; events of more than two seats are rated by
    /// Plackett-Luce, bout by bout in schedule order.
    #[command(after_help = "Examples:\n  joust standings\n  joust standings --format markdown > \
                            leaderboard.md\n  joust standings --superiority --model davidson\n  \
                            joust standings --watch --event battlebots\n  joust standings --format \
                            classic")]
    Standings(StandingsArgs),
    /// Write a static site: leaderboards, cross tables, every bot and bout, replays to watch
    ///
    /// The folder needs no server: open its index.html, or put it on any web server. What
    /// is public is set by `report:` in the tournament's file; an author's e-mail address
    /// never is. The same database gives the same bytes.
    #[command(
        after_help = "Examples:\n  joust report --out site\n  joust report --out site --force\n  \
                            joust report --database results.db --event battlebots --out site"
    )]
    Report(ReportArgs),
    /// Play one bout now
    #[command(after_help = "Examples:\n  joust play battlebots bots/battlebots/sniper \
                            bots/battlebots/dodger --show\n  joust play battlebots my-bot my-bot \
                            --seed 7 -v --log replay\n  joust play battlebots a.py b.py --format \
                            json --turns\n  joust play battlebots --human \
                            bots/battlebots/sniper\n  joust play coderone-dungeon --human \
                            bots/coderone-dungeon/hunter\n  joust play coderone-dungeon --show \
                            --clock realtime --endless bots/coderone-dungeon/miner \
                            bots/coderone-dungeon/hunter\n  joust play battlebots --human=2\n  joust play \
                            battlebots --listen 5000 bots/battlebots/sniper")]
    Play(PlayArgs),
    /// Draw a recorded bout round by round, or print one round's views
    #[command(
        after_help = "Examples:\n  joust replay 3f2a\n  joust replay 3f2a --round 12 --seat 0\n  joust \
                      replay 3f2a --export entelect replay-3f2a"
    )]
    Replay(ReplayArgs),
    /// Play a disputed bout again from its seed and compare it action by action
    ///
    /// Builds come from this machine's cache, else from --builds, else they are made
    /// again from the recorded source. That a build is another one than the bout was
    /// played with is said. The rerun is noted in the bout's history.
    #[command(
        after_help = "Examples:\n  joust rerun 3f2a\n  joust rerun 3f2a --times 20\n  joust \
                            rerun 3f2a --builds builds\n  joust rerun 3f2a --amend --reason \
                            'the power failed'"
    )]
    Rerun(RerunArgs),
    /// Judge recorded bouts again from their action logs, without running a bot
    ///
    /// Every row that decides or explains a result is also compared with the
    /// database's chain: what was changed, added or removed by hand is named.
    #[command(after_help = "Examples:\n  joust verify\n  joust verify 3f2a 77b0\n  joust verify \
                            --head 5d8f33a01c2b")]
    Verify(VerifyArgs),
    /// Print everything that was recorded of a bout: results, voided tries, amendments,
    /// reruns and decisions on its bots
    #[command(after_help = "Examples:\n  joust history 3f2a\n  joust history 3f2a --format json")]
    History(HistoryArgs),
    /// Join databases of one tournament, such as those of shards, into one
    ///
    /// A result that several have is kept once. Different results of one bout are
    /// refused, with the bouts named, unless one of the databases knows the other's
    /// result as an older one. Join shards into a new file: a shard that began as a copy
    /// of an older database has what was in it. Nothing is written unless all is.
    #[command(
        after_help = "Examples:\n  joust merge results.db shard-1.db shard-2.db\n  joust merge \
                            results.db shards/1.db shards/2.db shards/3.db"
    )]
    Merge(MergeArgs),
    /// Keep the builds of recorded bouts for disputes
    #[command(subcommand)]
    Builds(BuildsCommand),
    Ci(CiArgs),
    /// Measure and show what a do-nothing bot costs in each language
    ///
    /// Games whose agents Joust hosts are passed over: no language costs those anything.
    #[command(after_help = "Examples:\n  joust calibrate\n  joust calibrate --language python \
                            --runs 30")]
    Calibrate(CalibrateArgs),
    /// Make, check, examine, withdraw or restore a bot
    #[command(subcommand)]
    Bot(BotCommand),
    /// Show the effective configuration, or the schema for editors
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Run a standing game server for remote clients, until Ctrl-C
    ///
    /// Games follow one another for ever. Names and totals are kept in the
    /// database, passwords as hashes. The wire is plain text: on any other address than
    /// this machine's own, everybody on the way can read passwords.
    #[command(
        after_help = "Examples:\n  joust serve uwcs-bomberman\n  joust serve uwcs-bomberman \
                            --listen 0.0.0.0:8037 --spectators 0.0.0.0:8038\n  joust serve \
                            uwcs-bomberman -o rows=21 -o columns=21 -o tick_ms=250 -o turns=500"
    )]
    Serve(ServeArgs),
    /// Watch a running game server in the terminal
    #[command(after_help = "Examples:\n  joust watch 127.0.0.1:8037\n  joust watch \
                            contest.example:8038 --games 1")]
    Watch(WatchArgs),
    /// Print the rules of a game, in Markdown
    #[command(after_help = "Examples:\n  joust rules\n  joust rules battlebots")]
    Rules(RulesArgs),
    /// Show what this machine's sandbox and toolchains can do, and what is missing
    #[command(after_help = "Examples:\n  joust doctor\n  joust doctor --sandbox --format json")]
    Doctor(DoctorArgs),
    /// Print a script that completes commands in your shell, or the manual
    #[command(after_help = "Examples:\n  joust completions bash > ~/.local/share/bash-completion/\
                            completions/joust\n  joust completions man ~/.local/share/man/man1")]
    Completions(CompletionsArgs),
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileArg {
    /// The tournament's file
    #[arg(long = "file", short = 'f', value_name = "FILE", default_value = "tournament.yaml")]
    pub(crate) file: PathBuf,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RunArgs {
    /// The tournament's file [default: tournament.yaml]
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Play this event only; may be given several times
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    /// Play only the matches of this bot; may be given several times
    #[arg(long, value_name = "BOT")]
    pub(crate) only: Vec<String>,
    /// Play only one of several equal parts, such as 3/8: the same on every
    /// machine, whatever the others did; `joust merge` joins their databases
    #[arg(long, value_name = "N/COUNT")]
    pub(crate) shard: Option<Shard>,
    /// Bouts at once, at most as many as there are cores for thinking bots
    /// [default: as many as there are cores for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
    /// Let --jobs exceed the cores; results are marked as oversubscribed
    #[arg(long, requires = "jobs")]
    pub(crate) oversubscribe: bool,
    /// Stop cleanly after this time, such as 20m, and say what is missing
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) budget: Option<Duration>,
    /// Show what would be built and played, with an estimate, and play nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Play every bout again, also those that have a result
    #[arg(long)]
    pub(crate) fresh: bool,
    /// End with status 1 when a bot cannot be built, before anything is played
    #[arg(long)]
    pub(crate) strict: bool,
    /// Run without the isolation this machine lacks (tier D); results are marked
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
    /// How the leaderboard is printed
    #[arg(long, value_enum, default_value_t = TableFormat::Table, value_name = "FORMAT")]
    pub(crate) format: TableFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For the terminal.
    #[default]
    Table,
    /// For a pull request or a page.
    Markdown,
    /// For programs.
    Json,
    /// For spreadsheets.
    Csv,
    /// The original contest's results table, byte for byte.
    Classic,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// The game's id, for instance battlebots
    pub(crate) game: String,
    /// The bots, in seat order: folders, archives or single source files
    #[arg(required_unless_present_any = ["human", "listen"], num_args = 1.., value_name = "BOT")]
    pub(crate) bots: Vec<PathBuf>,
    /// Seat a person at this keyboard, or N of them in turn, before the bots;
    /// may be given several times; in a game on a clock one, after the bots, key by
    /// key, in real time: Enter pauses, r begins a new map
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u8).range(1..=12)
    )]
    pub(crate) human: Vec<u8>,
    /// Wait at this address for people who join from other terminals with nc or
    /// telnet, and seat them before the bots; a port alone is on this machine
    #[arg(long, value_name = "ADDRESS", value_parser = crate::commands::people::parse_address)]
    pub(crate) listen: Option<SocketAddr>,
    /// The bout's seed
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,
    /// The rule set [default: the game's first]
    #[arg(long)]
    pub(crate) rules: Option<String>,
    /// A game option, such as max_rounds=200; may be given several times
    #[arg(long = "option", short = 'o', value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Draw every round in the terminal
    #[arg(long)]
    pub(crate) show: bool,
    /// Draw nothing, which is the default
    #[arg(long, conflicts_with_all = ["show", "human", "single_step"])]
    pub(crate) headless: bool,
    /// Games on a clock: how it strikes, realtime, eager or lockstep
    #[arg(long, value_name = "PACE", value_parser = parse_pace)]
    pub(crate) clock: Option<Pace>,
    /// With --human in a game on a clock, begin paused: Enter goes on
    #[arg(long, requires = "human")]
    pub(crate) start_paused: bool,
    /// With --show or --human in a game on a clock, pause after every tick: Enter
    /// goes on
    #[arg(long)]
    pub(crate) single_step: bool,
    /// In a game on a clock, play on with the same bots on a new map, with the
    /// next seed, when a bout is over, until Ctrl-C
    #[arg(long, conflicts_with = "log")]
    pub(crate) endless: bool,
    /// With --show or --human in a game on a clock, keep the last picture for this
    /// long before the result is printed
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0s")]
    pub(crate) wait_end: Duration,
    /// With --show, wait this long after each round; not in real time
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "100ms")]
    pub(crate) delay: Duration,
    /// Stop and wait after the first turn in which a bot wrote to standard
    /// error or earned a fault, and name the bot
    #[arg(long)]
    pub(crate) debug: bool,
    /// Do not limit time
    #[arg(long)]
    pub(crate) no_limit: bool,
    /// Write the game's replay folder while playing: as its original did, or
    /// views, answers and result of every round
    #[arg(long, value_name = "DIR")]
    pub(crate) log: Option<PathBuf>,
    /// With --log, write the authors' e-mail addresses too
    #[arg(long, requires = "log")]
    pub(crate) emails: bool,
    /// With --log, replace a folder that joust made before
    #[arg(long, requires = "log")]
    pub(crate) force: bool,
    /// Write every turn and the result to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Build a bot again and go on with it when its source changes
    #[arg(long)]
    pub(crate) reload: bool,
    /// Print every round's actions
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// With --format json, list every turn
    #[arg(long)]
    pub(crate) turns: bool,
    /// Take limits and languages from this tournament's file
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Play without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BoutArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// The database [default: the one the tournament's file names]
    #[arg(long, value_name = "DB")]
    pub(crate) database: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The bout's id, or enough of its first digits
    pub(crate) bout: String,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Print this round only, from 0: the position before it and the views
    #[arg(long, value_name = "N")]
    pub(crate) round: Option<u32>,
    /// With --round, print exactly the bytes this seat was shown; without it,
    /// draw no more than it was shown
    #[arg(long, value_name = "N")]
    pub(crate) seat: Option<u8>,
    /// Write the bout to the folder DIR as the game's original laid its replays
    /// out; the layout is entelect
    #[arg(
        long,
        num_args = 2,
        value_names = ["LAYOUT", "DIR"],
        conflicts_with_all = ["round", "format", "turns"]
    )]
    pub(crate) export: Vec<String>,
    /// Replace a folder that joust made before
    #[arg(long, requires = "export")]
    pub(crate) force: bool,
    /// Wait this long after each round
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "0ms")]
    pub(crate) delay: Duration,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// With --format json, list every turn
    #[arg(long)]
    pub(crate) turns: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) file: FileArg,
    /// Measure this language only; may be given several times
    /// [default: every language whose toolchain is here]
    #[arg(long, value_name = "ID")]
    pub(crate) language: Vec<String>,
    /// The game whose first view the bots read [default: every game]
    #[arg(long, value_name = "ID")]
    pub(crate) game: Vec<String>,
    /// Runs per language [default: the tournament's calibration.runs, or 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// Measure without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BotCommand {
    /// Make a starter bot in a language for a game
    #[command(after_help = "Example:\n  joust bot new battlebots python my-bot")]
    New(BotNewArgs),
    /// Build a bot, play it against a sample, report timing and faults
    #[command(after_help = "Example:\n  joust bot check battlebots bots/battlebots/sniper")]
    Check(BotCheckArgs),
    /// Run a bot on exactly one recorded view
    #[command(
        after_help = "Examples:\n  joust bot turn bots/battlebots/sniper --bout 3f2a --round \
                            12\n  joust bot turn my-bot --bout 3f2a --round 12 --seat 1 --debugger"
    )]
    Turn(BotTurnArgs),
    /// Write sample views of a game for people who write parsers
    #[command(after_help = "Example:\n  joust bot samples battlebots samples")]
    Samples(BotSamplesArgs),
    /// Take a bot out of the tournament at its author's wish
    #[command(
        after_help = "Example:\n  joust bot withdraw sniper --reason 'its author asked for it'"
    )]
    Withdraw(DecisionArgs),
    /// Take a bot out of the tournament for breaking the rules
    #[command(after_help = "Example:\n  joust bot disqualify sniper --reason 'copied'")]
    Disqualify(DecisionArgs),
    /// Take a decision about a bot back
    #[command(after_help = "Example:\n  joust bot restore sniper --reason 'appeal granted'")]
    Restore(DecisionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct BotNewArgs {
    /// The game's id
    pub(crate) game: String,
    /// The language's id, for instance python
    pub(crate) language: String,
    /// The folder to make; its last part is the bot's name
    pub(crate) folder: PathBuf,
    /// The author's name
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BotCheckArgs {
    /// The game's id
    pub(crate) game: String,
    /// The bot: a folder, an archive or a single source file
    pub(crate) bot: PathBuf,
    /// Bouts to play
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub(crate) bouts: u32,
    /// Take limits and languages from this tournament's file
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
    /// With --format json, list every turn
    #[arg(long)]
    pub(crate) turns: bool,
    /// Check without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BotTurnArgs {
    /// The bot: a folder, an archive or a single source file
    pub(crate) bot: PathBuf,
    /// The recorded bout's id, or enough of its first digits
    #[arg(long, value_name = "ID")]
    pub(crate) bout: String,
    /// The round, from 0
    #[arg(long, value_name = "N")]
    pub(crate) round: u32,
    /// Whose view it is shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seat: u8,
    /// Print the command to run under a debugger, outside the sandbox, with
    /// the view in a file, instead of running the bot
    #[arg(long)]
    pub(crate) debugger: bool,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
    /// Run without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

#[derive(Debug, Args)]
pub(crate) struct BotSamplesArgs {
    /// The game's id
    pub(crate) game: String,
    /// The folder to write to; made when it is not there
    pub(crate) folder: PathBuf,
    /// The rule set [default: all of the game's, a folder each]
    #[arg(long)]
    pub(crate) rules: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The bot's name
    pub(crate) bot: String,
    /// Why, shown in the tables
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
    /// In this event only; may be given several times [default: every event]
    #[arg(long, value_name = "ID")]
    pub(crate) event: Vec<String>,
    #[command(flatten)]
    pub(crate) source: BoutArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The game's id: uwcs-bomberman
    pub(crate) game: String,
    /// Where players connect; port 0 takes any free one
    #[arg(long, value_name = "ADDR:PORT", default_value = "127.0.0.1:8037")]
    pub(crate) listen: SocketAddr,
    /// Where spectators connect; whatever they send is thrown away
    #[arg(long, value_name = "ADDR:PORT")]
    pub(crate) spectators: Option<SocketAddr>,
    /// Where names and totals are kept; made when it is not there
    #[arg(long, value_name = "DB", default_value = "server.db")]
    pub(crate) database: PathBuf,
    /// The rule set [default: the game's first]
    #[arg(long)]
    pub(crate) rules: Option<String>,
    /// A game option, such as turns=500; may be given several times
    #[arg(long = "option", short = 'o', value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,
    /// Connections at once; more are closed on arrival
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) connections: usize,
    /// Connections at once from one address; more are closed on arrival
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub(crate) per_address: usize,
    /// Close a connection that sent nothing for this long
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "1h")]
    pub(crate) idle: Duration,
    /// Draw maps, players and squares from this seed [default: one nobody can guess]
    #[arg(long)]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The server's address and port
    #[arg(value_name = "ADDR:PORT")]
    pub(crate) address: String,
    /// Stop after so many games have ended [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u32>,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The game's id; without it the games are listed
    pub(crate) game: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Take languages from this tournament's file
    #[arg(long, short = 'f', value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Show the sandbox alone; no toolchain is looked for, which takes seconds
    #[arg(long, conflicts_with = "file")]
    pub(crate) sandbox: bool,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = TextFormat::Text, value_name = "FORMAT")]
    pub(crate) format: TextFormat,
}

fn parse_pace(text: &str) -> Result<Pace, String> {
    let known = Pace::ALL.map(Pace::name).join(", ");
    Pace::from_name(text).ok_or_else(|| format!("the paces are {known}"))
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    read_duration(text).map_err(|error| error.to_string())
}
