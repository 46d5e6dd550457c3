//! `joust rules`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The game's id, or the folder of a game of one's own; without it the games are listed
    pub(crate) game: Option<String>,
}
