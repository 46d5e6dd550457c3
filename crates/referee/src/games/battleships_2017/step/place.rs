//! Placement of the five ships, in both phases.
//!
//! Source: [Executing a placement](crate::docs::battleships_2017#executing-a-placement).

use super::super::{Board, Placement, Player, Refusal, Ship};

/// Takes all ships off the map. Shield marks and the ships' cells are kept.
pub(super) fn clear(player: &mut Player) {
    for ship in &mut player.ships {
        ship.placed = false;
    }
    for cell in player.board.cells_mut() {
        cell.ship = None;
        cell.hit = false;
    }
}

/// Takes all ships off the map and places them again; after a failure those
/// placed before it stay.
pub(super) fn place_all(player: &mut Player, placements: &[Placement; 5]) -> Result<(), Refusal> {
    clear(player);
    check_ends(&player.board, placements)?;
    placements.iter().try_for_each(|placement| place(player, placement))
}

/// Only the last ship's end counts: each answer overwrites the one before.
fn check_ends(board: &Board, placements: &[Placement; 5]) -> Result<(), Refusal> {
    let mut last_fits = true;
    for placement in placements {
        cell_of(board, placement, 0).ok_or(Refusal::StartsOutside)?;
        last_fits = cell_of(board, placement, placement.ship.length() - 1).is_some();
    }
    if last_fits { Ok(()) } else { Err(Refusal::LeavesTheMap) }
}

/// Places one ship beside those that stand.
pub(in super::super) fn place(player: &mut Player, placement: &Placement) -> Result<(), Refusal> {
    let Player { ships, board, .. } = player;
    let kind = placement.ship;
    let ship = &mut ships[kind.index()];
    if ship.placed {
        return Err(Refusal::PlacedTwice);
    }
    for index in 0..kind.length() {
        let Some(number) = cell_of(board, placement, index) else {
            take_back(board, ship, index);
            return Err(Refusal::LeavesTheMap);
        };
        let cell = board.cell_mut(number);
        if cell.ship.is_some() {
            cell.ship = None;
            take_back(board, ship, index);
            return Err(Refusal::Overlaps);
        }
        cell.ship = Some(kind);
        ship.cells[index] = Some(number);
    }
    ship.placed = true;
    Ok(())
}

fn take_back(board: &mut Board, ship: &Ship, taken: usize) {
    for number in ship.cells[..taken].iter().flatten() {
        board.cell_mut(*number).ship = None;
    }
}

fn cell_of(board: &Board, placement: &Placement, index: usize) -> Option<u8> {
    let (dx, dy) = placement.heading.delta();
    let along = |start: i32, step: i32| i64::from(start) + i64::from(step) * index as i64;
    board.number_of(along(placement.from.x, dx), along(placement.from.y, dy))
}
