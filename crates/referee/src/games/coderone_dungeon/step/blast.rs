//! Explosions of the bombs whose time has come.

use super::super::{Bomb, FIRE_LIFE_TICKS, Fire, GameState, Spot};

/// The arms in the order in which they burn: left, right, down, up.
const ARMS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// Turns every bomb that is due into fires, which act in the next tick.
///
/// An arm is stopped by everything that stood at the start of this tick: also by
/// blocks that were destroyed and bombs that explode.
pub(super) fn explode_bombs(state: &mut GameState) {
    for index in 0..state.bombs.len() {
        let bomb = state.bombs[index];
        if bomb.timer <= 0 {
            ignite(state, &bomb, bomb.at);
            ARMS.into_iter().for_each(|arm| burn_arm(state, &bomb, arm));
        }
    }
}

fn burn_arm(state: &mut GameState, bomb: &Bomb, (dx, dy): (i32, i32)) {
    for distance in 1..=bomb.power {
        let at = Spot { x: bomb.at.x + dx * distance, y: bomb.at.y + dy * distance };
        if !state.is_in_bounds(at) {
            return;
        }
        ignite(state, bomb, at);
        if state.has_block(at) || state.has_bomb(at) {
            return;
        }
    }
}

fn ignite(state: &mut GameState, bomb: &Bomb, at: Spot) {
    state.fires.push(Fire { at, owner: bomb.owner, life: FIRE_LIFE_TICKS });
}
