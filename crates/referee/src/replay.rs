//! Replay folder of an original: the content of its files.
//!
//! A game only provides the content; its caller writes the files.

use crate::Part;

/// Player of a seat, as the replay files name players.
///
/// Source: [`bot.json`](crate::docs::bomberman_2016#botjson).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PlayerInfo {
    /// Author of the bot.
    pub author: String,
    /// The player's name.
    pub nick_name: String,
    /// The author's address.
    pub email: String,
    /// The bot's language by its name in the original, for instance `Python3`;
    /// [`PlayerInfo::NO_BOT`] for a person.
    pub bot_type: String,
}

impl PlayerInfo {
    /// The type of a player that is no bot, spelled as the originals spell it.
    pub const NO_BOT: &str = "Unkown";

    /// Makes the information of a player with a known name only: it
    /// stands for author and address too.
    pub fn named(name: &str) -> Self {
        let name = name.to_owned();
        Self {
            author: name.clone(),
            nick_name: name.clone(),
            email: name,
            bot_type: Self::NO_BOT.to_owned(),
        }
    }
}

/// One round's folder of a replay in the original's layout.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ReplayRound {
    /// The folder, relative to the replay's root, for instance `12`.
    pub folder: String,
    /// The files directly in it that are written when the round starts.
    pub files: Vec<Part>,
}
