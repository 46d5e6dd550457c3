//! A recorded bout as a file that the site's viewer plays.
//!
//! Theory of operation. [`data_file`] folds the referee over the bout's action
//! log (`fold`) and takes the position after each round as a
//! [`joust_referee::Scene`]. Each is written as its difference from the one
//! before (`pack`), beside the turns (`turns`) and the texts that seats were
//! shown (`views`); every text is kept once (`words`). The result is JSON,
//! deflated, in base64, in one call of a function: a classic script
//! is all that a page opened from a folder may load under a strict
//! `Content-Security-Policy`. The viewer (`assets/viewer.js`) inflates and draws
//! it, and knows no game.

mod document;
mod fold;
mod pack;
mod turns;
mod views;
mod words;

use std::io::Write;

use data_encoding::BASE64;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use joust_model::cancel::Cancel;
use joust_model::{FoldError, Publication, StoredBout, TurnLogError};
use joust_referee::Catalogue;

/// The viewer's script: one classic script that loads nothing but replays.
pub const VIEWER_JS: &str = concat!(
    include_str!("../assets/viewer/head.js"),
    include_str!("../assets/viewer/layout.js"),
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

/// Reason why a recorded bout cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It cannot be judged again.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The turn log is damaged.
    #[error(transparent)]
    Turns(#[from] TurnLogError),
}

/// Returns the file that the viewer loads: a script of one call. Positions, actions and scores are
/// in it whatever is public.
///
/// # Errors
///
/// [`ReplayError`] when this version cannot judge the bout, or `cancel` is set.
pub fn data_file(
    games: &Catalogue,
    stored: &StoredBout,
    publication: &Publication,
    cancel: &Cancel,
) -> Result<Vec<u8>, ReplayError> {
    let packed = packed(games, stored, publication, cancel)?;
    Ok(format!("joustReplay(\"{packed}\");\n").into_bytes())
}

/// Returns the viewer's data, deflated, in base64.
pub(super) fn packed(
    games: &Catalogue,
    stored: &StoredBout,
    publication: &Publication,
    cancel: &Cancel,
) -> Result<String, ReplayError> {
    let json = json(games, stored, publication, cancel)?;
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(json.len() / 4), LEVEL);
    encoder.write_all(&json).expect("compression into memory does not fail");
    let packed = encoder.finish().expect("compression into memory does not fail");
    Ok(BASE64.encode(&packed))
}

/// Returns the viewer's data as JSON.
///
/// # Errors
///
/// [`ReplayError`] when this version cannot judge the bout, or `cancel` is set.
pub fn json(
    games: &Catalogue,
    stored: &StoredBout,
    publication: &Publication,
    cancel: &Cancel,
) -> Result<Vec<u8>, ReplayError> {
    let mut words = words::StringTable::default();
    let folded = fold::fold(games, stored, &mut words, cancel)?;
    let turns = turns::columns(&stored.result, publication, &mut words)?;
    let game = games.find(&stored.plan.game).map(|game| game.spec());
    Ok(document::write(stored, game, publication, &folded, &turns, words))
}

/// A site has thousands of replays: a higher level takes twice as long and saves only a few
/// percent.
const LEVEL: Compression = Compression::new(5);
