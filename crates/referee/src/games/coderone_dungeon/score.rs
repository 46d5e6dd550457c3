//! End of a bout: when it is over, and who won it.

use super::{GameState, Player, quirks};
use crate::{Outcome, PerSeat, SeatOutcome};

/// At most one player is alive.
const LAST_STANDING: &str = "last-standing";

/// The iteration limit was passed.
const LIMIT: &str = "limit";

/// Ends the game if it ends with the tick just played, which is not counted yet.
pub(super) fn end_game(state: &mut GameState, max_iterations: Option<u32>) {
    if state.alive() <= 1 {
        state.is_over = true;
        let survivor = state.players.iter().position(Player::is_alive);
        state.winner = survivor.and_then(|seat| u8::try_from(seat).ok());
    } else if quirks::is_past_limit(state.tick, max_iterations) {
        state.is_over = true;
        state.winner = quirks::leader(&state.players);
    }
}

/// Returns the outcome of a game that is over.
///
/// The winner is first; without a winner all draw. The original names only the
/// winner; here the others follow by score, and equal scores share a rank.
pub(super) fn outcome(state: &GameState) -> Option<Outcome> {
    if !state.is_over {
        return None;
    }
    let seats = PerSeat::from_fn(state.players.len(), |seat| SeatOutcome {
        rank: rank(state, seat.0),
        score: state.players[seat.index()].reward.into(),
    });
    let ended = if state.alive() <= 1 { LAST_STANDING } else { LIMIT };
    Some(Outcome { ended: ended.into(), rounds: state.tick, seats })
}

fn rank(state: &GameState, seat: u8) -> u8 {
    let Some(winner) = state.winner.filter(|winner| *winner != seat) else { return 1 };
    let own = state.players[usize::from(seat)].reward;
    let losers = (0_u8..).zip(&state.players).filter(|(other, _)| *other != winner);
    let ahead = losers.filter(|(_, player)| player.reward > own).count();
    u8::try_from(2 + ahead).unwrap_or(u8::MAX)
}
