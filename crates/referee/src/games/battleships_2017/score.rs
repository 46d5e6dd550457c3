//! End of a bout: when it is over, and who won it.
//!
//! Source: [Points, length and ranking](crate::docs::battleships_2017#points-length-and-ranking).

use super::{BoutOptions, GameState, Player};
use crate::{Outcome, PerSeat, Seat, SeatOutcome};

/// A player lost all ships.
const ELIMINATION: &str = "elimination";

/// Both players lost all ships in the same round.
const DOUBLE_ELIMINATION: &str = "double-elimination";

/// A player did nothing, or failed to place its ships, too often.
const HARNESS_KILL: &str = "harness-kill";

/// The last round was played.
const ROUND_LIMIT: &str = "round-limit";

/// Returns the seats, the leader first. There are no draws.
pub fn ranking(state: &GameState) -> [Seat; 2] {
    let [a, b] = state.players.each_ref().map(standing);
    if b < a { [Seat(1), Seat(0)] } else { [Seat(0), Seat(1)] }
}

/// Less is better: alive, more points, an earlier first hit, fewer failed
/// placements.
fn standing(player: &Player) -> (bool, i32, u32, u32) {
    let first_hit = player.first_hit_round.unwrap_or(u32::MAX);
    (player.killed, -player.points, first_hit, player.failed_placements)
}

/// Returns the outcome if the bout ends with this position; `sent_off` is true
/// if the harness killed a player in the last round.
pub(super) fn outcome(state: &GameState, options: &BoutOptions, sent_off: bool) -> Option<Outcome> {
    let ended = match state.players.iter().filter(|player| player.killed).count() {
        1 | 2 if sent_off => HARNESS_KILL,
        2 => DOUBLE_ELIMINATION,
        1 => ELIMINATION,
        _ if state.round > options.size.last_round() => ROUND_LIMIT,
        _ => return None,
    };
    let winner = ranking(state)[0];
    let seats = PerSeat::from_fn(2, |seat| SeatOutcome {
        rank: 1 + u8::from(seat != winner),
        score: i64::from(state.players[seat.index()].points).into(),
    });
    Some(Outcome { ended: ended.into(), rounds: state.round, seats })
}
