//! Shots at the opponent's map.
//!
//! Source: [Weapons](crate::docs::battleships_2017#weapons).

use super::super::{
    Board, BoutOptions, GameState, HIT_POINTS, Player, Refusal, SINK_POINTS, Shot, Square, Weapon,
};
use crate::Seat;

/// Cells in the order in which the seeker missile looks at them, relative to
/// the point aimed at: nearest first, then ascending x, then ascending y.
const SEEKER_ORDER: [(i32, i32); 13] = [
    (0, 0),
    (-1, 0),
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, -1),
    (-1, 1),
    (1, -1),
    (1, 1),
    (-2, 0),
    (0, -2),
    (0, 2),
    (2, 0),
];

/// Fires, in the order of checks of the original. A refused shot changes nothing.
pub(super) fn fire(
    state: &mut GameState,
    options: &BoutOptions,
    seat: Seat,
    (shot, at): (Shot, Square),
) -> Result<(), Refusal> {
    let round = state.round;
    let (own, other) = state.pair_mut(seat);
    if shot.owner().is_some_and(|owner| own.ships[owner.index()].destroyed) {
        return Err(Refusal::WeaponLost);
    }
    let aimed = if shot == Shot::Seeker { seek(&other.board, at) } else { at };
    if !own.has_placed_all() {
        return Err(Refusal::FleetNotPlaced);
    }
    if own.ships.iter().all(|ship| ship.destroyed) {
        return Err(Refusal::WeaponLost);
    }
    let cost = options.energy_cost(shot.weapon());
    if own.energy < cost {
        return Err(Refusal::TooLittleEnergy);
    }
    let must_be_on_the_map = matches!(shot, Shot::Single | Shot::Seeker);
    if must_be_on_the_map && struck(&other.board, aimed, (0, 0)).is_none() {
        return Err(Refusal::TargetOutside);
    }
    let strike = Strike { round, shot, options };
    let mut cells = 0;
    for offset in shot.pattern() {
        if let Some(number) = struck(&other.board, aimed, *offset) {
            strike.cell(own, other, number);
            cells += 1;
        }
    }
    own.shots_fired += if options.rules.counts_commands_as_shots() { 1 } else { cells };
    own.energy -= cost;
    Ok(())
}

/// Returns why a shot would be refused, or that it can strike nothing, from what its
/// player knows: where a seeker finds something is not shown.
pub(super) fn refusal(
    state: &GameState,
    options: &BoutOptions,
    seat: Seat,
    (shot, at): (Shot, Square),
) -> Option<Refusal> {
    let mut trial = state.clone();
    let board = &state.players[1 - seat.index()].board;
    if shot.pattern().iter().all(|offset| struck(board, at, *offset).is_none()) {
        return Some(Refusal::TargetOutside);
    }
    fire(&mut trial, options, seat, (shot, at)).err()
}

/// Returns the nearest part of a ship that is neither hit nor shielded, or the
/// point itself.
fn seek(board: &Board, at: Square) -> Square {
    let is_prey = |offset: &(i32, i32)| {
        struck(board, at, *offset).is_some_and(|number| {
            let cell = board.cell(number);
            cell.ship.is_some() && !cell.hit && !cell.shielded
        })
    };
    let prey = SEEKER_ORDER.into_iter().find(is_prey);
    let number = prey.and_then(|offset| struck(board, at, offset));
    number.map_or(at, |number| board.square_of(number))
}

fn struck(board: &Board, at: Square, (dx, dy): (i32, i32)) -> Option<u8> {
    board.number_of(i64::from(at.x) + i64::from(dx), i64::from(at.y) + i64::from(dy))
}

/// Properties that all cells of one shot share.
struct Strike<'a> {
    round: u32,
    shot: Shot,
    options: &'a BoutOptions,
}

impl Strike<'_> {
    /// Strikes one cell.
    ///
    /// Source: [Striking a cell](crate::docs::battleships_2017#striking-a-cell).
    fn cell(&self, own: &mut Player, other: &mut Player, number: u8) {
        let cell = other.board.cell_mut(number);
        if cell.shielded {
            cell.shield_hit = true;
            return;
        }
        let was_hit = std::mem::replace(&mut cell.hit, true);
        let Some(kind) = cell.ship.filter(|_| !was_hit) else { return };
        own.shots_hit += 1;
        own.points += HIT_POINTS;
        own.first_hit_round.get_or_insert(self.round);
        let is_sunk = !other.ships[kind.index()].destroyed && other.is_all_hit(kind);
        if is_sunk && self.pays_for_sinking() {
            own.points += SINK_POINTS;
        }
    }

    fn pays_for_sinking(&self) -> bool {
        self.shot.weapon() != Weapon::SeekerMissile
            || !self.options.rules.seeker_sinks_for_nothing()
    }
}
