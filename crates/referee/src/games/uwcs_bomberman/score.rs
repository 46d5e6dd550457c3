//! End of a game, its points, and the ranks of a bout's seats.

use super::{EndTest, GameOptions, GameState, OddNames, Player, Quirks, escape};
use crate::{Connection, Outcome, PerSeat, Seat, SeatOutcome};

/// One player is left, under rules that end the game then.
pub const ONE_LEFT: &str = "one-left";

/// Nobody is left.
pub const NO_PLAYERS: &str = "no-players";

/// The last turn was played.
pub const TURN_LIMIT: &str = "turn-limit";

/// The server cannot end the game; `original` only.
pub const STUCK: &str = "stuck";

/// One line of `SCORES`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The connection of the player.
    pub connection: Connection,
    /// The seat that owns the connection, in a bout.
    pub seat: Option<Seat>,
    /// The name as the client registered it.
    pub name: String,
    /// The name as `SCORES` shows it, escaped.
    pub shown: String,
    /// Points of this game alone, without those of earlier games.
    pub points: i64,
}

/// Returns why the game ends before the next turn, if it does.
pub(super) fn end_before_turn(state: &GameState, options: &GameOptions) -> Option<&'static str> {
    match options.quirks.end_test {
        EndTest::BeforeTurn if state.turns >= options.turns => Some(TURN_LIMIT),
        _ => end_for_want_of_players(state, &options.quirks),
    }
}

/// Returns why the game ends right after a turn, if it does.
pub(super) fn end_after_turn(state: &GameState, options: &GameOptions) -> Option<&'static str> {
    if options.quirks.end_test == EndTest::BeforeTurn {
        return None;
    }
    let is_last = state.turns >= options.turns;
    end_for_want_of_players(state, &options.quirks).or_else(|| is_last.then_some(TURN_LIMIT))
}

fn end_for_want_of_players(state: &GameState, quirks: &Quirks) -> Option<&'static str> {
    match state.living() {
        0 => Some(NO_PLAYERS),
        living if living <= quirks.end_at_living => Some(ONE_LEFT),
        _ => None,
    }
}

/// Gives the only living player its extra point, unless it always was alone.
pub(super) fn reward_survivor(state: &mut GameState, quirks: &Quirks) {
    if state.living() == 1 && state.began_with >= 2 {
        let survivor = state.players.iter_mut().find(|player| player.is_alive);
        survivor.expect("one player lives").score += quirks.survivor_points;
    }
}

/// Returns the lines of `SCORES`: all players still connected.
pub(super) fn list(state: &GameState) -> Vec<Score> {
    let line = |player: &Player| Score {
        connection: player.connection,
        seat: player.seat,
        name: player.name.clone(),
        shown: player.shown.clone(),
        points: player.score,
    };
    state.players.iter().map(line).collect()
}

/// Returns how many lines of `SCORES` are sent before the server breaks, if it
/// does: it looks the account up under the shown name.
pub(super) fn breaks_after(scores: &[Score], quirks: &Quirks) -> Option<usize> {
    if quirks.odd_names == OddNames::Harmless {
        return None;
    }
    scores.iter().position(|score| escape(&score.name) != score.name).map(|index| index + 1)
}

/// Returns the outcome of a bout that ended with these points.
///
/// More points rank higher, equal points share a rank. A seat without a line in
/// `SCORES` (it never played, or its connection was closed) has no points and
/// ranks behind all that have one.
pub(super) fn outcome(ended: &'static str, rounds: u32, seats: usize, scores: &[Score]) -> Outcome {
    let points = |seat| scores.iter().find(|score| score.seat == Some(seat)).map(|s| s.points);
    let all = PerSeat::from_fn(seats, points);
    let seats = PerSeat::from_fn(seats, |seat| {
        let ahead = all.0.iter().filter(|other| **other > all[seat]).count();
        let rank = u8::try_from(ahead + 1).unwrap_or(u8::MAX);
        SeatOutcome { rank, score: all[seat].unwrap_or(0).into() }
    });
    Outcome { ended: ended.into(), rounds, seats }
}
