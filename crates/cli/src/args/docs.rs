//! `joust docs`.

use clap::{Args, ValueEnum};

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
