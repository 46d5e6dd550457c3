//! Points, removal of what was destroyed, the leader board and the end of a bout.

use super::{Bomb, Event, GameState, Ground, MAX_PLAYERS, Report, WALL_POINTS, quirks};
use crate::{Outcome, PerSeat, Seat, SeatOutcome};

/// One player is left.
pub const LAST_SURVIVOR: &str = "last-survivor";

/// Nobody is left.
pub const ALL_DEAD: &str = "all-dead";

/// The last round was played.
pub const ROUND_LIMIT: &str = "round-limit";

/// Every bomb that covers a wall earns points for it; then the wall is gone, and what
/// was hidden is open.
///
/// Source: [Removal and points](crate::docs::bomberman_2016#removal-and-points).
pub(super) fn count_walls(state: &mut GameState, report: &mut Report) {
    for blast in &state.blasts {
        if state.blocks[usize::from(blast.at.0)].ground == Ground::Wall {
            state.bombs[usize::from(blast.bomb)].score += WALL_POINTS;
        }
    }
    for blast in &state.blasts {
        let block = &mut state.blocks[usize::from(blast.at.0)];
        if block.ground == Ground::Wall {
            block.ground = Ground::Free;
            report.note(Event::WallDestroyed(blast.at));
        }
    }
}

/// Every player killed in this round pays the bounty once, and every bomb that covers
/// it earns the bounty.
///
/// Source: [Removal and points](crate::docs::bomberman_2016#removal-and-points).
pub(super) fn count_players(state: &mut GameState, report: &mut Report) {
    let bounty = state.bounty;
    for (seat, player) in (0..).map(Seat).zip(&mut state.players) {
        if player.is_alive() || !player.on_map {
            continue;
        }
        player.points -= bounty;
        player.on_map = false;
        for blast in state.blasts.iter().filter(|blast| blast.at == player.at) {
            state.bombs[usize::from(blast.bomb)].score += bounty;
        }
        report.note(Event::PlayerKilled { seat, at: player.at });
    }
}

/// Every living owner of a bomb in a chain gets what the whole chain earned.
///
/// Source: [Removal and points](crate::docs::bomberman_2016#removal-and-points).
pub(super) fn pay(state: &mut GameState, report: &mut Report) {
    for index in 0..state.bombs.len() {
        let first = state.bombs[index];
        let is_same = |chain: u16| chain == first.chain;
        let earlier = &state.bombs[..index];
        if !first.exploding || earlier.iter().any(|bomb| bomb.exploding && is_same(bomb.chain)) {
            continue;
        }
        let is_in_chain = |bomb: &&Bomb| bomb.exploding && is_same(bomb.chain);
        let chain = || state.bombs[index..].iter().filter(is_in_chain);
        let points = quirks::points_of_a_chain(chain());
        let mut owners = [false; MAX_PLAYERS];
        chain().for_each(|bomb| owners[bomb.owner.index()] = true);
        pay_owners(state, points, owners, report);
    }
}

fn pay_owners(
    state: &mut GameState,
    points: i64,
    owners: [bool; MAX_PLAYERS],
    report: &mut Report,
) {
    for ((seat, player), owns) in (0..).map(Seat).zip(&mut state.players).zip(owners) {
        if owns && points != 0 && quirks::earns_with_bombs(player) {
            player.points += points;
            report.note(Event::Scored { seat, points });
        }
    }
}

/// Returns the seats from the best to the worst: the living first, then by points, then
/// those killed earlier, then in seat order.
///
/// Source: [End and leader board](crate::docs::bomberman_2016#end-and-leader-board).
pub fn leader_board(state: &GameState) -> Vec<Seat> {
    let mut seats: Vec<Seat> = (0..state.players.len()).map(|seat| Seat(seat as u8)).collect();
    seats.sort_by_key(|seat| quirks::leader_board_key(&state.players[seat.index()]));
    seats
}

/// Returns the outcome if the bout ends with this position after `rounds` rounds;
/// `max_rounds` may end it before the original would.
///
/// Source: [End and leader board](crate::docs::bomberman_2016#end-and-leader-board).
pub(super) fn outcome(state: &GameState, rounds: u32, max_rounds: Option<u32>) -> Option<Outcome> {
    let is_last = max_rounds.is_some_and(|limit| rounds >= limit);
    let ended = match state.alive() {
        0 => ALL_DEAD,
        1 => LAST_SURVIVOR,
        _ if is_last || state.round > quirks::last_round(state.side) => ROUND_LIMIT,
        _ => return None,
    };
    let mut seats =
        PerSeat(vec![SeatOutcome { rank: 0, score: crate::Score::default() }; state.players.len()]);
    for (rank, seat) in (1..).zip(leader_board(state)) {
        let score = state.players[seat.index()].total_points();
        seats[seat] = SeatOutcome { rank, score: score.into() };
    }
    Some(Outcome { ended: ended.into(), rounds, seats })
}
