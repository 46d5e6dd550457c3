//! One round: a disc falls, and may complete a row.

use super::GameState;
use super::state::square;
use crate::{Direction, Point};

/// The two directions of each line through a square.
const LINES: [[Direction; 2]; 4] = [
    [Direction::E, Direction::W],
    [Direction::S, Direction::N],
    [Direction::SE, Direction::NW],
    [Direction::NE, Direction::SW],
];

/// Drops a disc of the seat whose turn it is into `column` and returns the square
/// where it lies then; `None`, and nothing happens, where there is no room.
pub fn drop_disc(state: &mut GameState, column: usize) -> Option<Point> {
    if !state.has_room(column) {
        return None;
    }
    let seat = state.turn();
    let discs = &mut state.columns[column];
    discs.push(seat);
    Some(square(column, state.rows - discs.len()))
}

/// Returns whether the disc on the square `at` is one of `connect` or more of its
/// colour in a line: across, down or diagonal.
pub fn is_connected(state: &GameState, at: Point, connect: usize) -> bool {
    LINES.iter().any(|[one, other]| 1 + run(state, at, *one) + run(state, at, *other) >= connect)
}

/// Counts the discs of the colour on `at` that follow it in one direction.
fn run(state: &GameState, at: Point, direction: Direction) -> usize {
    let Some(seat) = state.disc(at) else { return 0 };
    let next = |square: &Point| Some(square.step(direction));
    let squares = std::iter::successors(next(&at), next);
    squares.take_while(|square| state.disc(*square) == Some(seat)).count()
}
