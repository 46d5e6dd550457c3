//! Spawning of the ammo and treasure that come due.

use super::super::{
    AMMO_LIFE_TICKS, AMMO_RESPAWN_TICKS, Ammo, Chance, Effect, EffectKind, GameState, Spawn, Spot,
    Treasure,
};

/// Puts what is due on free squares and lists it in `spawns`.
///
/// Effects that are added on the way are never due. Squares are judged free
/// before anything of this tick is removed.
pub(super) fn bring_due_effects(
    state: &mut GameState,
    chance: &mut Chance,
    spawns: &mut Vec<Spawn>,
) {
    for index in 0..state.effects.len() {
        let Effect { kind, delay } = state.effects[index];
        if delay > 0 {
            continue;
        }
        spawns.push(match kind {
            EffectKind::Ammo => bring_ammo(state, chance),
            EffectKind::Treasure => bring_treasure(state, chance),
        });
    }
}

fn bring_ammo(state: &mut GameState, chance: &mut Chance) -> Spawn {
    let at = chance.ammo_spot(&free_spots(state));
    match at {
        Some(at) => state.ammo.push(Ammo { at, life: AMMO_LIFE_TICKS, taken: false }),
        None => {
            state.effects.push(Effect { kind: EffectKind::Ammo, delay: AMMO_RESPAWN_TICKS });
        }
    }
    Spawn { kind: EffectKind::Ammo, at, next: None }
}

fn bring_treasure(state: &mut GameState, chance: &mut Chance) -> Spawn {
    let (at, next) = chance.treasure_spot(&free_spots(state));
    state.treasure.extend(at.map(|at| Treasure { at, taken: false }));
    state.effects.push(Effect { kind: EffectKind::Treasure, delay: next });
    Spawn { kind: EffectKind::Treasure, at, next: Some(next) }
}

/// Returns the squares with nothing on them but fire, column by column.
fn free_spots(state: &GameState) -> Vec<Spot> {
    let mut occupied = vec![false; usize::try_from(state.columns * state.rows).unwrap_or(0)];
    let mut occupy = |at: Spot| {
        if state.is_in_bounds(at) {
            occupied[(at.x * state.rows + at.y) as usize] = true;
        }
    };
    state.players.iter().for_each(|player| occupy(player.at));
    state.metal.iter().for_each(|metal| occupy(*metal));
    state.blocks.iter().for_each(|block| occupy(block.at));
    state.ammo.iter().for_each(|ammo| occupy(ammo.at));
    state.treasure.iter().for_each(|treasure| occupy(treasure.at));
    state.bombs.iter().for_each(|bomb| occupy(bomb.at));
    let all = (0..state.columns).flat_map(|x| (0..state.rows).map(move |y| Spot { x, y }));
    all.zip(occupied).filter(|(_, occupied)| !occupied).map(|(at, _)| at).collect()
}
