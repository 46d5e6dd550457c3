//! One tick, phase by phase, in the order of the original's loop.

mod chance;

pub use chance::Chance;

use super::options::AMMO_RESPAWN_TICKS;
use super::{
    AMMO_LIFE_TICKS, Ammo, BOMB_TIMER_TICKS, Block, BlockKind, Bomb, Effect, EffectKind,
    FIRE_LIFE_TICKS, Fire, GameState, HIT_REWARD, ORE_REWARD, Order, Player, Spot, TREASURE_REWARD,
    Treasure, WOODEN_REWARD, quirks, score,
};

/// Plays one tick.
///
/// `orders` has one entry per player: the order taken from its queue, `None`
/// for none. Orders of dead players do nothing. `report` is overwritten.
///
/// A game that is over continues to burn and spawn, without orders, damage or
/// points.
pub fn advance(
    state: &mut GameState,
    max_iterations: Option<u32>,
    orders: &[Option<Order>],
    chance: &mut Chance,
    report: &mut Report,
) {
    report.orders.clear();
    report.spawns.clear();
    let was_over = state.is_over;
    if !was_over {
        collect_orders(state, orders, &mut report.orders);
        chance.shuffle(&mut report.orders);
        report.orders.iter().for_each(|(player, order)| apply(state, *player, *order));
        burn_players(state);
        burn_things(state);
        pick_up(state);
    }
    count_down(state);
    age_ammo(state);
    explode_bombs(state);
    bring_due_effects(state, chance, &mut report.spawns);
    remove_what_is_gone(state);
    if !was_over {
        score::end_game(state, max_iterations);
    }
    state.tick = state.tick.wrapping_add(1);
}

/// Lists the orders by when their players first gave one.
fn collect_orders(state: &mut GameState, orders: &[Option<Order>], list: &mut Vec<(u8, Order)>) {
    for (player, order) in (0_u8..).zip(orders) {
        if order.is_some() && !state.spoken.contains(&player) {
            state.spoken.push(player);
        }
    }
    let given = |player: &u8| Some((*player, orders.get(usize::from(*player)).copied()??));
    list.extend(state.spoken.iter().filter_map(given));
}

fn apply(state: &mut GameState, player: u8, order: Order) {
    let is_alive = state.players.get(usize::from(player)).is_some_and(|player| player.is_alive());
    if !is_alive {
        return;
    }
    match order.delta() {
        Some(delta) => walk(state, player, delta),
        None => lay_bomb(state, player),
    }
}

fn walk(state: &mut GameState, player: u8, (dx, dy): (i32, i32)) {
    let from = state.players[usize::from(player)].at;
    let to = Spot {
        x: (from.x + dx).clamp(0, state.columns - 1),
        y: (from.y + dy).clamp(0, state.rows - 1),
    };
    if !quirks::has_anybody(state, to) && !state.has_block(to) && !state.has_bomb(to) {
        state.players[usize::from(player)].at = to;
    }
}

fn lay_bomb(state: &mut GameState, owner: u8) {
    let player = state.players[usize::from(owner)];
    if player.ammo <= 0 || state.has_bomb(player.at) {
        return;
    }
    state.players[usize::from(owner)].ammo -= 1;
    let (at, power) = (player.at, player.power);
    state.bombs.push(Bomb { at, owner, timer: BOMB_TIMER_TICKS, power });
    state.effects.push(Effect { kind: EffectKind::Ammo, delay: AMMO_RESPAWN_TICKS });
}

/// Every fire on a living player's square takes one hit point.
fn burn_players(state: &mut GameState) {
    for index in 0..state.players.len() {
        let victim = state.players[index];
        if !victim.is_alive() {
            continue;
        }
        for fire in state.fires.iter().filter(|fire| fire.at == victim.at) {
            state.players[index].hp -= 1;
            if usize::from(fire.owner) != index {
                pay(&mut state.players, fire, HIT_REWARD);
            }
        }
    }
}

/// Every fire takes a hit point from blocks on its square and sets off bombs.
fn burn_things(state: &mut GameState) {
    for fire in &state.fires {
        for block in state.blocks.iter_mut().filter(|block| block.at == fire.at) {
            block.hp -= 1;
            if quirks::block_pays(block) {
                pay(&mut state.players, fire, reward_of(block));
            }
        }
        for bomb in state.bombs.iter_mut().filter(|bomb| bomb.at == fire.at) {
            bomb.timer = 0;
        }
    }
}

fn pay(players: &mut [Player], fire: &Fire, reward: i64) {
    if let Some(owner) = players.get_mut(usize::from(fire.owner)) {
        owner.reward += reward;
    }
}

fn reward_of(block: &Block) -> i64 {
    match block.kind {
        BlockKind::Wooden => WOODEN_REWARD,
        BlockKind::Ore => ORE_REWARD,
    }
}

fn pick_up(state: &mut GameState) {
    for player in state.players.iter_mut().filter(|player| player.is_alive()) {
        let at = player.at;
        for ammo in state.ammo.iter_mut().filter(|ammo| ammo.at == at && !ammo.taken) {
            ammo.taken = true;
            player.ammo += 1;
        }
        for treasure in state.treasure.iter_mut().filter(|it| it.at == at && !it.taken) {
            treasure.taken = true;
            player.reward += TREASURE_REWARD;
        }
    }
}

fn count_down(state: &mut GameState) {
    state.effects.iter_mut().for_each(|effect| effect.delay -= 1);
    state.bombs.iter_mut().for_each(|bomb| bomb.timer -= 1);
    state.fires.iter_mut().for_each(|fire| fire.life -= 1);
}

/// Ammo whose life ends comes back later, taken in this tick or not.
fn age_ammo(state: &mut GameState) {
    for ammo in &mut state.ammo {
        ammo.life -= 1;
        if quirks::ammo_comes_back(ammo) {
            state.effects.push(Effect { kind: EffectKind::Ammo, delay: AMMO_RESPAWN_TICKS });
        }
    }
}

fn remove_what_is_gone(state: &mut GameState) {
    state.effects.retain(|effect| effect.delay > 0);
    state.ammo.retain(|ammo| ammo.life > 0 && !ammo.taken);
    state.treasure.retain(|treasure| !treasure.taken);
    state.bombs.retain(|bomb| bomb.timer > 0);
    state.fires.retain(|fire| fire.life > 0);
    state.blocks.retain(|block| block.hp > 0);
}

/// The arms in the order in which they burn: left, right, down, up.
const ARMS: [(i32, i32); 4] = [(-1, 0), (1, 0), (0, -1), (0, 1)];

/// Turns every bomb that is due into fires, which act in the next tick.
///
/// An arm is stopped by everything that stood at the start of this tick: also by
/// blocks that were destroyed and bombs that explode.
fn explode_bombs(state: &mut GameState) {
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

/// Puts what is due on free squares and lists it in `spawns`.
///
/// Effects that are added on the way are never due. Squares are judged free
/// before anything of this tick is removed.
fn bring_due_effects(state: &mut GameState, chance: &mut Chance, spawns: &mut Vec<Spawn>) {
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

/// An effect that came due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spawn {
    /// Item that was placed.
    pub kind: EffectKind,
    /// Square of the item; `None` when no square was free.
    pub at: Option<Spot>,
    /// Ticks until the next treasure; `None` for ammo.
    pub next: Option<i32>,
}

/// Random decisions of a tick, so that it can be played again without the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The orders in the order in which they were applied, each with its
    /// player; orders that failed included.
    pub orders: Vec<(u8, Order)>,
    /// The effects that came due, in order.
    pub spawns: Vec<Spawn>,
}
