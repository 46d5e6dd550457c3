//! Positions of a recorded bout, one after each round.

use joust_model::{Fold, FoldError, StoredBout, recorded_inputs};
use joust_referee::{Catalogue, Output, Outputs, Scene};

/// A position, with the round that precedes it; `None` for the start.
pub(super) struct Position {
    pub(super) round: Option<u32>,
    pub(super) scene: Scene,
}

/// A position of a bout that invites people to watch it.
#[derive(Clone, Debug)]
pub struct StillPicture {
    /// The position.
    pub scene: Scene,
    /// The names of the seats.
    pub names: Vec<String>,
}

/// Folds the referee over a bout's action log. Inputs after the last round count to its position.
pub(super) fn positions(
    games: &Catalogue,
    stored: &StoredBout,
) -> Result<Vec<Position>, FoldError> {
    let inputs = recorded_inputs(&stored.result.action_log)?;
    // An external referee draws views for seats only, and none for spectators.
    let game = games.find(&stored.plan.game);
    let outputs = match game.is_some_and(|game| game.spec().external.is_some()) {
        true => Outputs::new(),
        false => Outputs::without_views(),
    };
    let mut fold = Fold::start(games, &stored.plan, outputs)?;
    let mut positions = vec![Position { round: None, scene: fold.judge().scene() }];
    let mut is_stale = false;
    for input in inputs {
        fold.apply_input(&input)?;
        is_stale = true;
        for output in fold.take_outputs() {
            if let Output::RoundOver { round } = output {
                positions.push(Position { round: Some(round), scene: fold.judge().scene() });
                is_stale = false;
            }
        }
    }
    if let (true, Some(last)) = (is_stale, positions.last_mut()) {
        last.scene = fold.judge().scene();
    }
    Ok(positions)
}

/// Returns the position after three fifths of a bout, which does not reveal its end. `names` are
/// those of the seats, as people may see them.
///
/// # Errors
///
/// [`FoldError`] when this version cannot judge the bout.
pub fn still(
    games: &Catalogue,
    stored: &StoredBout,
    names: Vec<String>,
) -> Result<StillPicture, FoldError> {
    let mut positions = positions(games, stored)?;
    let place = positions.len() * 3 / 5;
    Ok(StillPicture { scene: positions.swap_remove(place.min(positions.len() - 1)).scene, names })
}
