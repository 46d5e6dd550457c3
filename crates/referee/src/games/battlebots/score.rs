//! End of a bout: when it is over, and who won it.

mod classic_table;

pub(super) use classic_table::classic_table;

use super::GameState;
use crate::{Outcome, PerSeat, SeatOutcome};

/// A bot ran out of hit points.
const KNOCK_OUT: &str = "knock-out";

/// The last round was played.
const ROUND_LIMIT: &str = "round-limit";

/// Returns the outcome if the bout ends with this position after `rounds`
/// rounds.
///
/// More hit points win, also when both are at or below 0; equal hit points are
/// a draw.
pub(super) fn outcome(state: &GameState, rounds: u32, max_rounds: u32) -> Option<Outcome> {
    let ended = if state.has_dead_bot() {
        KNOCK_OUT
    } else if rounds >= max_rounds {
        ROUND_LIMIT
    } else {
        return None;
    };
    let [first, second] = state.bots.map(|bot| bot.hp);
    let seats = PerSeat(vec![seat_outcome(first, second), seat_outcome(second, first)]);
    Some(Outcome { ended: ended.into(), rounds, seats })
}

fn seat_outcome(own_hp: i32, other_hp: i32) -> SeatOutcome {
    SeatOutcome { rank: 1 + u8::from(own_hp < other_hp), score: i64::from(own_hp).into() }
}
