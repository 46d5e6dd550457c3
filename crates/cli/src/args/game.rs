//! Arguments of `joust game`, `joust serve` and `joust watch`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::{GameArg, IsolationArg, RulesArg, parse_some_time};

#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Make a game of your own in a language: a referee that already plays, bots, rules
    ///
    /// Languages are python, javascript, go, java, rust and cpp. `joust docs games` continues
    /// from there.
    New(GameNewArgs),
    /// Test a referee: feed it valid, broken and missing answers, and check that every bout replays
    ///
    /// Bouts are played with random bytes, words of the view, numbers, late answers and bots
    /// that die. Each is judged again in a new process with another hash seed, locale, time
    /// zone, environment and one processor. The first step that differs is named, and what
    /// makes it differ.
    Check(GameCheckArgs),
    /// Measure what a game's referee costs
    Bench(GameBenchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct GameNewArgs {
    /// The language's id, for instance python
    pub(crate) language: String,
    /// The folder to make; its last part is the game's id
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct GameCheckArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// Seeds to play with each kind of answers
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) seeds: u64,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct GameBenchArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// Bouts to play
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) bouts: u64,
    #[command(flatten)]
    pub(crate) isolation: IsolationArg,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) game: GameArg,
    /// Address for players; a bare port listens on localhost, 0 picks a free port
    #[arg(
        long, value_name = "ADDR", default_value = "127.0.0.1:8037",
        value_parser = super::common::parse_address
    )]
    pub(crate) listen: SocketAddr,
    /// Address for spectators, whose input is ignored
    #[arg(long, value_name = "ADDR", value_parser = super::common::parse_address)]
    pub(crate) spectators: Option<SocketAddr>,
    /// Database of names and totals, created if missing
    #[arg(long, value_name = "DB", default_value = "server.db")]
    pub(crate) database: PathBuf,
    #[command(flatten)]
    pub(crate) rules: RulesArg,
    /// Connections at once; more are closed on arrival
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) connections: u32,
    /// Connections at once from one address (IPv6: one network, /64); more are closed on arrival
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) per_address: u32,
    /// Largest number of names; new ones beyond it are refused like a wrong password
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub(crate) accounts: usize,
    /// New names per hour from one address (IPv6: one network, /64); people in one room may share
    /// one
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) new_names: u32,
    /// Close a connection that sent nothing for this long
    #[arg(long, value_name = "TIME", value_parser = parse_some_time, default_value = "1h")]
    pub(crate) idle: Duration,
    /// Draw maps, players and squares from this seed [default: one nobody can guess]
    #[arg(long, value_name = "SEED")]
    pub(crate) seed: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The server's address and port
    #[arg(value_name = "ADDR")]
    pub(crate) address: String,
    /// The game that is played there [default: the first game that has a server]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Stop after this number of games [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u32>,
}
