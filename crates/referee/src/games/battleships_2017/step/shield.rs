//! Shield: placing, draining, charging.
//!
//! Source: [Shield](crate::docs::battleships_2017#shield).

use super::super::{BoutOptions, CHARGE_ROUNDS, Player, Refusal, Release, Square};

/// Puts the shield up around `at`, which may lie anywhere.
pub(super) fn place(player: &mut Player, at: Square, round: u32) -> Result<(), Refusal> {
    if player.shield.active {
        return Err(Refusal::ShieldActive);
    }
    if player.shield.charges == 0 {
        return Err(Refusal::NoCharge);
    }
    let shield = &mut player.shield;
    shield.active = true;
    shield.last_used = round;
    shield.centre = at;
    shield.unused_rounds = 0;
    cover(player);
    Ok(())
}

/// Takes a charge from an active shield; without any left it goes out.
pub(super) fn drain(player: &mut Player, options: &BoutOptions, round: u32) {
    let shield = &mut player.shield;
    if !shield.active {
        return;
    }
    shield.charges -= 1;
    if shield.charges == 0 {
        shield.active = false;
        shield.radius = 0;
        shield.last_used = round;
        for cell in player.board.cells_mut() {
            cell.shielded = false;
            cell.shield_hit = false;
        }
    } else if !options.rules.shield_counts_global_rounds() {
        shield.radius = shield.charges;
        cover(player);
    }
}

/// Charges a shield that is not up, at the end of a round of phase 2.
pub(super) fn charge(player: &mut Player, options: &BoutOptions, round: u32) {
    let shield = &mut player.shield;
    if shield.active || options.release < Release::Shields {
        return;
    }
    let max_radius = options.size.max_shield_radius();
    if options.rules.shield_counts_global_rounds() {
        let unused = round - shield.last_used;
        if unused != 0 && unused.is_multiple_of(CHARGE_ROUNDS) {
            shield.charges += 1;
            shield.radius = max_radius.min(shield.radius + 1);
        }
        return;
    }
    shield.unused_rounds += 1;
    if shield.unused_rounds == CHARGE_ROUNDS {
        shield.unused_rounds = 0;
        shield.charges = max_radius.min(shield.charges + 1);
        shield.radius = shield.charges;
    }
}

/// Marks the cells within the radius; marks outside it are erased.
fn cover(player: &mut Player) {
    let (centre, radius) = (player.shield.centre, i64::from(player.shield.radius));
    let board = &mut player.board;
    let side = board.side();
    for number in 0..side * side {
        let square = board.square_of(number);
        let is_near = |a: i32, b: i32| (i64::from(a) - i64::from(b)).abs() <= radius;
        let cell = board.cell_mut(number);
        cell.shielded = is_near(square.x, centre.x) && is_near(square.y, centre.y);
        cell.shield_hit &= cell.shielded;
    }
}
