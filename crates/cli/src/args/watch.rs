//! `joust watch`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The server's address and port
    #[arg(value_name = "ADDR:PORT")]
    pub(crate) address: String,
    /// Stop after so many games have ended [default: never]
    #[arg(long, value_name = "N")]
    pub(crate) games: Option<u32>,
}
