//! A recorded bout as a file that the site's viewer plays.
//!
//! Theory of operation. [`data_file`] folds the referee over the bout's action
//! log (`fold`) and takes the position after each round as a
//! [`joust_referee::Scene`]. Each is written as its difference from the one
//! before (`pack`), beside the turns (`turns`) and the texts that seats were
//! shown (`views`); every text is kept once (`words`). The result is JSON,
//! deflated, in base64, in one call of a function (`script`): a classic script
//! is all that a page opened from a folder may load under a strict
//! `Content-Security-Policy`. The viewer (`assets/viewer.js`) inflates and draws
//! it, and knows no game.

mod document;
mod fold;
mod pack;
mod script;
mod turns;
mod views;
mod words;

use joust_referee::StartError;
use joust_referee::log::LogError;

use joust_model::{StoredBout, TurnLogError};

/// The viewer's script: one classic script that loads nothing but replays.
pub const VIEWER_JS: &str = concat!(
    include_str!("../assets/viewer/head.js"),
    include_str!("../assets/viewer/data.js"),
    include_str!("../assets/viewer/tiles.js"),
    include_str!("../assets/viewer/things.js"),
    include_str!("../assets/viewer/board.js"),
    include_str!("../assets/viewer/graph.js"),
    include_str!("../assets/viewer/panels.js"),
    include_str!("../assets/viewer/player.js"),
);

/// The viewer's style sheet.
pub const VIEWER_CSS: &str = include_str!("../assets/viewer.css");

/// What of a bout is made public. The position, the actions and the scores are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Publish {
    /// Verdicts and limits touched.
    pub verdicts: bool,
    /// Processor time and wall clock of each turn.
    pub times: bool,
    /// What a bot wrote on its standard output and standard error.
    pub output: bool,
}

/// Why a recorded bout cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The game is not in this version of Joust.
    #[error("this version of Joust has no game `{0}`")]
    UnknownGame(String),
    /// The bout was played under rules this version does not have.
    #[error(
        "the bout was played under revision {recorded} of the rules, and this version of Joust has revision {here}"
    )]
    UnknownRevision {
        /// The bout's revision.
        recorded: u32,
        /// This version's.
        here: u32,
    },
    /// The bout cannot start as recorded.
    #[error("the bout cannot start as recorded")]
    Start(#[source] StartError),
    /// The action log's compression is damaged.
    #[error("the action log is damaged")]
    Compression(#[source] std::io::Error),
    /// The action log is damaged.
    #[error("the action log is damaged")]
    Log(#[source] LogError),
    /// The turn log is damaged.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
}

/// Returns the file that the viewer loads: a script of one call.
///
/// # Errors
///
/// [`ReplayError`] when this version cannot judge the bout.
pub fn data_file(stored: &StoredBout, publish: Publish) -> Result<Vec<u8>, ReplayError> {
    Ok(script::call(&json(stored, publish)?))
}

/// Returns what the viewer is given, as JSON.
///
/// # Errors
///
/// [`ReplayError`] when this version cannot judge the bout.
pub fn json(stored: &StoredBout, publish: Publish) -> Result<Vec<u8>, ReplayError> {
    let mut words = words::Words::default();
    let folded = fold::fold(&stored.plan, &stored.result.action_log, &mut words)?;
    let turns = turns::columns(&stored.result, publish, &mut words)?;
    Ok(document::write(stored, publish, &folded, &turns, words))
}
