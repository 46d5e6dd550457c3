//! End of a bout: ranks and points.
//!
//! Source: [Results](crate::docs::battlesnake#results).

use super::{BoutOptions, GameState, is_over};
use crate::{Outcome, PerSeat, SeatOutcome};

/// At most one snake is left, or none where one plays alone.
const LAST_STANDING: &str = "last-standing";

/// The last snakes died in the same turn.
const NOBODY_LEFT: &str = "nobody-left";

/// The last turn was played.
const TURN_LIMIT: &str = "turn-limit";

/// Returns the outcome: the living share the first rank, the others are ranked by the turn in
/// which they died.
///
/// A seat has a point for each opponent that it outlived; alone it has one for each turn that it
/// survived.
pub(super) fn outcome(state: &GameState, options: &BoutOptions) -> Outcome {
    let ended = match state.living().count() {
        0 => NOBODY_LEFT,
        _ if is_over(state, options) => LAST_STANDING,
        _ => TURN_LIMIT,
    };
    let seats = state.snakes.len();
    let died: Vec<u32> =
        state.snakes.iter().map(|snake| snake.out.map_or(u32::MAX, |out| out.on)).collect();
    let seats = PerSeat::from_fn(seats, |seat| {
        let own = died[seat.index()];
        let before = died.iter().filter(|other| **other > own).count();
        let outlived = died.iter().filter(|other| **other < own).count();
        let points = match seats {
            1 => i64::from(own.min(state.turn)),
            _ => outlived as i64,
        };
        SeatOutcome { rank: before as u8 + 1, score: points.into() }
    });
    Outcome { ended: ended.into(), rounds: state.turn, seats }
}
