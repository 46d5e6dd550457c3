//! End of a bout, and its winner.

use super::{GameState, is_connected};
use crate::{Outcome, PerSeat, Point, Seat, SeatOutcome};

/// Somebody has enough discs in a row.
const CONNECTED: &str = "connected";

/// No column has room.
const BOARD_FULL: &str = "board-full";

/// Points of a bout, in halves of what chess players count: whole numbers.
const WIN: i64 = 2;
const DRAW: i64 = 1;
const LOSS: i64 = 0;

/// Returns the outcome if the bout ends with the disc that fell last, on the square
/// `last`.
pub(super) fn outcome(state: &GameState, last: Point, connect: usize) -> Option<Outcome> {
    let winner = state.disc(last).filter(|_| is_connected(state, last, connect));
    let ended = match winner {
        Some(_) => CONNECTED,
        None if state.leftmost_free().is_none() => BOARD_FULL,
        None => return None,
    };
    let rounds = state.discs();
    let seats = PerSeat::from_fn(2, |seat| seat_outcome(seat, winner));
    Some(Outcome { ended: ended.into(), rounds, seats })
}

fn seat_outcome(seat: Seat, winner: Option<Seat>) -> SeatOutcome {
    match winner {
        None => SeatOutcome { rank: 1, score: DRAW.into() },
        Some(winner) if winner == seat => SeatOutcome { rank: 1, score: WIN.into() },
        Some(_) => SeatOutcome { rank: 2, score: LOSS.into() },
    }
}
