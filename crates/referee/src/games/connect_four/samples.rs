//! Sample views for people who write parsers.

use super::{COLUMNS, CONNECT, GameState, ROWS, drop_disc, render};
use crate::{Parts, Sample};

/// A file name, and the columns of the discs that were dropped.
const BOARDS: [(&str, &[usize]); 5] = [
    ("start-seat-0.txt", &[]),
    ("start-seat-1.txt", &[3]),
    ("full-column.txt", &[0, 0, 0, 0, 0, 0]),
    ("three-in-a-row.txt", &[1, 1, 2, 2, 3]),
    ("one-square-left.txt", ONE_SQUARE_LEFT),
];

/// Nobody has four in a row when the board is nearly full.
const ONE_SQUARE_LEFT: &[usize] = &[
    0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 2, 3, 2, 3, 3, 2, 3, 2, 2, 3, 2, 3, 4, 5, 4, 5, 5, 4, 5, 4,
    4, 5, 4, 5, 6, 6, 6, 6, 6,
];

/// Returns a file name and a view for each thing a parser must cope with.
pub(super) fn views() -> Vec<Sample> {
    BOARDS.iter().map(|(name, columns)| Sample::new(*name, view(columns))).collect()
}

fn view(columns: &[usize]) -> Parts {
    let mut state = GameState::empty(COLUMNS, ROWS);
    for column in columns {
        drop_disc(&mut state, *column).expect("the samples are legal");
    }
    let mut view = Vec::new();
    render(&state, CONNECT, state.turn(), &mut view);
    Parts::single(view)
}

#[cfg(test)]
mod tests {
    use super::super::is_connected;
    use super::*;

    #[test]
    fn no_sample_is_a_position_after_the_end() {
        for (name, columns) in BOARDS {
            let mut state = GameState::empty(COLUMNS, ROWS);
            for column in columns {
                let at = drop_disc(&mut state, *column).expect("there is room");
                assert!(!is_connected(&state, at, CONNECT), "{name}: {at:?}");
            }
            assert!(state.leftmost_free().is_some(), "{name}");
        }
        assert_eq!(ONE_SQUARE_LEFT.len(), COLUMNS * ROWS - 1);
    }
}
