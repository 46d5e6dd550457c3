//! `joust rules`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The game's id; without it the games are listed
    pub(crate) game: Option<String>,
}
