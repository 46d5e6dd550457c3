//! Positions of a recorded bout, one after each round.

use joust_model::{Fold, FoldError, Round, StoredBout, recorded_inputs};
use joust_referee::{Catalogue, Output, Outputs, Scene};

/// A position, with the round that precedes it; `None` for the start.
pub(super) struct Position {
    pub(super) round: Option<Round>,
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

/// The most squares, marks and texts of all positions that are kept: about 1 GiB.
const MOST_KEPT: usize = 1 << 25;

/// Space that is left for positions which are kept together: a log may be short and have millions
/// of them, and a position may be large.
#[derive(Debug)]
pub struct PositionSpace(usize);

impl Default for PositionSpace {
    fn default() -> Self {
        Self(MOST_KEPT)
    }
}

impl PositionSpace {
    /// Takes the space of one more position.
    ///
    /// # Errors
    ///
    /// [`FoldError::TooManyPositions`] when it is used up.
    pub fn take(&mut self, scene: &Scene) -> Result<(), FoldError> {
        let cells = scene.layers.iter().map(|layer| layer.cells.len()).sum::<usize>();
        let left = self.0.checked_sub(cells + scene.marks.len() + scene.texts.len());
        self.0 = left.ok_or(FoldError::TooManyPositions)?;
        Ok(())
    }
}

/// Folds the referee over a bout's action log, and returns the first and the last position and
/// those that `is_chosen` by their number. Inputs after the last round count to its position.
pub(super) fn positions(
    games: &Catalogue,
    stored: &StoredBout,
    is_chosen: impl Fn(usize) -> bool,
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
    let (mut number, mut last, mut space) = (0, None, PositionSpace::default());
    for input in inputs {
        fold.apply_input(&input)?;
        for output in fold.take_outputs() {
            if let Output::RoundOver { round } = output {
                (number, last) = (number + 1, Some(Round(round)));
                if is_chosen(number) {
                    let scene = fold.judge().scene();
                    space.take(&scene)?;
                    positions.push(Position { round: last, scene });
                }
            }
        }
    }
    positions.pop_if(|newest| newest.round == last);
    positions.push(Position { round: last, scene: fold.judge().scene() });
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
    let place = (stored.result.rounds as usize + 1) * 3 / 5;
    let mut positions = positions(games, stored, |number| number == place)?;
    let chosen = usize::from(place > 0).min(positions.len() - 1);
    Ok(StillPicture { scene: positions.swap_remove(chosen).scene, names })
}

#[cfg(test)]
pub(crate) mod tests {
    use joust_model::compress;
    use joust_referee::log::LogWriter;
    use joust_referee::{Input, Layer, Parts, RequestId, Seat, Verdict};
    use joust_testkit::fixtures;

    use super::*;

    /// Returns a bout of battlebots in which nobody moves.
    pub(crate) fn recorded(rounds: u32) -> StoredBout {
        let (plan, mut result) = fixtures::bout("league", ["anna", "bert"], 1);
        let mut log = LogWriter::new();
        for request in 0..2 * rounds {
            let (seat, request) = (Seat((request % 2) as u8), RequestId(request));
            let parts = Parts::single(b"NO".to_vec());
            log.push(&Input::Answer { seat, request, parts, verdict: Verdict::Ok });
        }
        result.action_log = compress(&log.to_bytes());
        result.rounds = rounds;
        StoredBout { plan, result }
    }

    fn rounds(stored: &StoredBout, chosen: &[usize]) -> Vec<Option<u32>> {
        let is_chosen = |number| chosen.contains(&number);
        let all = positions(&Catalogue::built_in(), stored, is_chosen).expect("it can be judged");
        all.iter().map(|position| position.round.map(|round| round.0)).collect()
    }

    #[test]
    fn only_chosen_positions_and_the_first_and_the_last_are_kept() {
        let stored = recorded(9);
        assert_eq!(rounds(&stored, &[]), [None, Some(8)]);
        assert_eq!(rounds(&stored, &[3, 9]), [None, Some(2), Some(8)]);
        assert_eq!(rounds(&recorded(0), &[1]), [None]);
    }

    #[test]
    fn positions_that_are_kept_have_a_bound() {
        let mut space = PositionSpace(30);
        let layer = Layer::new("board", vec![None; 10]);
        let scene = Scene { layers: vec![layer], ..Scene::default() };
        assert!((0..3).all(|_| space.take(&scene).is_ok()));
        assert!(matches!(space.take(&scene), Err(FoldError::TooManyPositions)));
    }
}
