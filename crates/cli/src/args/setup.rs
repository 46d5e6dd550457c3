//! Arguments of the commands that prepare a contest and explain it.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{FileArg, FormatArg, IsolationArg, TournamentArg};

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The game, as `joust play` takes it [default: the game of this folder's tournament.yaml,
    /// else battlebots]
    pub(crate) game: Option<String>,
    /// The starter's language [default: python where there is such a starter]
    #[arg(long, value_name = "LANGUAGE")]
    pub(crate) language: Option<String>,
    /// The starter's author [default: your name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Add workflows (pull requests are played, the current branch has a leaderboard) and a form
    /// for disputes
    #[arg(long)]
    pub(crate) github: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print every value that is in force, as YAML
    Show(TournamentArg),
    /// Print every key of a tournament.yaml with its help and its default or an example
    ///
    /// What is printed is a tournament.yaml with all defaults written out.
    Reference,
    /// Print the JSON Schema by which editors complete and check a file
    ///
    /// An editor with the YAML language server finds it by the file's first line,
    /// `# yaml-language-server: $schema=tournament.schema.json`.
    Schema {
        /// Kind of file: `tournament`, `bot`, `game`, or a game of one's own, whose options a
        /// tournament can then name
        #[arg(value_name = "KIND", default_value = "tournament")]
        kind: String,
        #[command(flatten)]
        file: FileArg,
    },
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    /// These languages only [default: every language whose toolchain is here]
    #[arg(long, value_name = "LANGUAGE", value_delimiter = ',')]
    pub(crate) language: Vec<String>,
    /// The games whose first view the bots read [default: every game]
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    pub(crate) game: Vec<String>,
    /// Runs per language [default: the tournament's calibration.runs, or 10]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    #[command(flatten)]
    pub(crate) output: FormatArg,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) tournament: TournamentArg,
    /// Show the sandbox alone, without the search for toolchains, which takes seconds
    #[arg(long, conflicts_with_all = ["file", "tournament"])]
    pub(crate) sandbox: bool,
    #[command(flatten)]
    pub(crate) output: FormatArg,
}

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The game, as `joust play` takes it; without it the games are listed
    pub(crate) game: Option<String>,
    #[command(flatten)]
    pub(crate) file: FileArg,
}

#[derive(Debug, Args)]
pub(crate) struct DocsArgs {
    /// The page; without it the pages are listed
    #[arg(value_enum, hide_possible_values = true)]
    pub(crate) topic: Option<Topic>,
}

/// A page of the manual.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Topic {
    /// Holding a tournament: the file, stopping and going on, seats, many players, shards
    Tournament,
    /// Writing a bot: from the starter to the tournament
    Authors,
    /// Sandbox, limits, verdicts and how to fix them
    Limits,
    /// Building and starting of bots, and their libraries
    Languages,
    /// Bots for BattleBots
    Battlebots,
    /// Bots of the Entelect Challenge: Bomberman 2016, Battleships 2017
    Entelect,
    /// Agents for Coder One's dungeon
    CoderoneDungeon,
    /// Clients for UWCS Bomberman
    UwcsBomberman,
    /// Bots for connect four
    ConnectFour,
    /// Snakes for Battlesnake, also published ones
    Battlesnake,
    /// Your own game in twenty minutes: a referee in any language
    Games,
    /// Lines between Joust and a referee in any language
    Protocol,
    /// Games of other systems, and how their libraries come here
    Adapters,
    /// One bout: watching, logs, people at the keyboard and on the network
    Play,
    /// One command, many machines: workers over NATS, Slurm, Kubernetes
    Workers,
    /// The site with its replays
    Site,
    /// `joust ci`, owners, the strength test, workflows
    PullRequests,
    /// Judging again, playing again, amending, history
    Disputes,
    /// Schedules: everybody against everybody, or fewer matches for large fields
    Schedules,
    /// Ratings, and which model to choose
    Ratings,
    /// A game server for everybody
    Server,
    /// Every command, exit statuses, environment, what the sandbox can do on which machine
    Reference,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell, or man for the manual
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) target: CompletionTarget,
    /// Write the files to this folder, created if missing, instead of
    /// printing; man has one page for each command
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

/// Kind of file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CompletionTarget {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// Manual pages; without a folder, the page of joust itself is printed.
    Man,
}
