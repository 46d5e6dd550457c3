//! `joust watch`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The server's address and port
    #[arg(value_name = "ADDR:PORT")]
    pub(crate) address: String,
    /// The game that is played there [default: the first game that has a server]
    #[arg(long, value_name = "GAME")]
    pub(crate) game: Option<String>,
    /// Stop after so many games have ended [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u32>,
}
