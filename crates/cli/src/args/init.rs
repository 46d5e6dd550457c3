//! `joust init`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The game's id [default: the game of this folder's tournament.yaml, else battlebots]
    pub(crate) game: Option<String>,
    /// The starter's language [default: python where there is such a starter]
    #[arg(long, value_name = "ID")]
    pub(crate) language: Option<String>,
    /// The starter's author [default: your name in git's settings]
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Add workflows (pull requests are played, the current branch has a leaderboard) and a form for disputes
    #[arg(long)]
    pub(crate) github: bool,
}
