//! `joust game`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum GameCommand {
    /// Make a game of your own in a language: a referee that already plays, bots, rules
    ///
    /// Languages are python, javascript, go, java, rust and cpp. `joust docs games` continues
    /// from there.
    #[command(after_help = "Example:\n  joust game new python my-game")]
    New(GameNewArgs),
    /// Test a referee: feed it valid, broken and missing answers, and check that every bout replays
    ///
    /// Bouts are played with random bytes, words of the view, numbers, late answers and bots
    /// that die. Each is judged again in a new process with another hash seed, locale, time
    /// zone, environment and one processor. The first step that differs is named, and what
    /// makes it differ.
    #[command(after_help = "Example:\n  joust game check my-game")]
    Check(GameCheckArgs),
    /// Measure what a game's referee costs
    #[command(after_help = "Example:\n  joust game bench my-game --bouts 100")]
    Bench(GameBenchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct GameNewArgs {
    /// The language's id, for instance python
    pub(crate) language: String,
    /// The folder to make; its last part is the game's id
    pub(crate) folder: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct GameCheckArgs {
    /// The game: a folder with a `game.yaml`, or the file
    pub(crate) game: PathBuf,
    /// Seeds to play with each kind of answers
    #[arg(long, default_value_t = 3, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub(crate) seeds: u64,
    /// Check without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GameBenchArgs {
    /// The game: a folder with a `game.yaml`, or the file
    pub(crate) game: PathBuf,
    /// Bouts to play
    #[arg(long, default_value_t = 50, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) bouts: u64,
    /// Measure without the isolation this machine lacks (tier D)
    #[arg(long = "unsafe")]
    pub(crate) allow_unsafe: bool,
}
