//! One round, phase by phase. Every round is completed: a bot without hit
//! points still deploys and is still hit.

use super::{
    Action, BULLET_DAMAGE, BULLET_SQUARES_PER_ROUND, Bot, EMP_COST, GameState, MINE_DAMAGE,
    MISSILE_SQUARES_PER_ROUND, Mine, PARALYSIS_ROUNDS, Projectile, Rules, SPLASH_DAMAGE,
};
use crate::{Direction, Point};

/// Plays one round.
pub fn advance(state: &mut GameState, rules: Rules, actions: [Action; 2]) {
    if state.paralysed_rounds > 0 {
        state.paralysed_rounds -= 1;
    } else {
        move_bots(state, rules, actions);
        set_off_trodden_mines(state);
    }
    use_emps(state, rules, actions);
    for (seat, action) in actions.into_iter().enumerate() {
        deploy(state, rules, seat, action);
    }
    fly_bullets(state, rules);
    fly_missiles(state, rules);
}

/// Moves both bots; the first one tries again after the second has moved.
fn move_bots(state: &mut GameState, rules: Rules, actions: [Action; 2]) {
    let first = target(state.bots[0], rules, actions[0]);
    let second = target(state.bots[1], rules, actions[1]);
    let moved = move_bot(&mut state.bots, 0, first);
    move_bot(&mut state.bots, 1, second);
    if !moved {
        move_bot(&mut state.bots, 0, first);
    }
}

fn target(bot: Bot, rules: Rules, action: Action) -> Option<Point> {
    match action {
        Action::Move(direction) => {
            Some(bot.at.step(direction)).filter(|square| rules.is_in_bounds(*square))
        }
        _ => None,
    }
}

/// Moves a bot; returns whether it moved.
fn move_bot(bots: &mut [Bot; 2], seat: usize, target: Option<Point>) -> bool {
    match target {
        Some(square) if square != bots[1 - seat].at => {
            bots[seat].at = square;
            true
        }
        _ => false,
    }
}

/// Sets off every mine that a bot stands on, and takes spent ones away.
fn set_off_trodden_mines(state: &mut GameState) {
    let bots = &mut state.bots;
    state.mines.retain(|mine| {
        if let Some(seat) = seat_on(bots, mine.at) {
            hit(bots, seat, MINE_DAMAGE);
            return false;
        }
        !mine.spent
    });
}

fn use_emps(state: &mut GameState, rules: Rules, actions: [Action; 2]) {
    let mut paid = false;
    for (bot, action) in state.bots.iter_mut().zip(actions) {
        if action != Action::Emp || (paid && rules.second_emp_is_free()) {
            continue;
        }
        bot.hp -= EMP_COST;
        state.paralysed_rounds = PARALYSIS_ROUNDS;
        paid = true;
    }
}

fn deploy(state: &mut GameState, rules: Rules, seat: usize, action: Action) {
    let at = state.bots[seat].at;
    match action {
        Action::Bullet(direction) => state.bullets.push(Projectile { at, direction }),
        Action::Missile(direction) => state.missiles.push(Projectile { at, direction }),
        Action::Mine(direction) => drop_mine(state, rules, seat, direction),
        Action::None | Action::Move(_) | Action::Emp => {}
    }
}

fn drop_mine(state: &mut GameState, rules: Rules, seat: usize, direction: Direction) {
    let at = state.bots[seat].at.step(direction);
    if !rules.is_in_bounds(at) {
        return;
    }
    let opponent = 1 - seat;
    if state.bots[opponent].at == at && !rules.mine_under_bot_waits() {
        hit(&mut state.bots, opponent, MINE_DAMAGE);
        return;
    }
    match state.mines.iter().position(|mine| mine.at == at) {
        Some(index) => set_off_mine(state, rules, index),
        None => state.mines.push(Mine { at, spent: false }),
    }
}

/// A mine dropped on a mine: both are gone, and everyone near is hurt.
fn set_off_mine(state: &mut GameState, rules: Rules, index: usize) {
    splash(&mut state.bots, state.mines[index].at);
    if rules.spent_mines_linger() {
        state.mines[index].spent = true;
    } else {
        state.mines.remove(index);
    }
}

fn fly_bullets(state: &mut GameState, rules: Rules) {
    let bots = &mut state.bots;
    state.bullets.retain_mut(|bullet| fly_bullet(bullet, bots, rules));
}

/// Moves the bullet; returns whether it is still in flight.
fn fly_bullet(bullet: &mut Projectile, bots: &mut [Bot; 2], rules: Rules) -> bool {
    for _ in 0..BULLET_SQUARES_PER_ROUND {
        let next = bullet.at.step(bullet.direction);
        if !rules.is_in_bounds(next) {
            return false;
        }
        bullet.at = next;
        if let Some(seat) = seat_on(bots, next) {
            bots[seat].hp -= BULLET_DAMAGE;
            return false;
        }
    }
    true
}

fn fly_missiles(state: &mut GameState, rules: Rules) {
    let bots = &mut state.bots;
    state.missiles.retain_mut(|missile| fly_missile(missile, bots, rules));
}

/// Moves the missile; returns whether it is still in flight.
fn fly_missile(missile: &mut Projectile, bots: &mut [Bot; 2], rules: Rules) -> bool {
    let mut in_flight = true;
    for _ in 0..MISSILE_SQUARES_PER_ROUND {
        let next = missile.at.step(missile.direction);
        if rules.is_in_bounds(next) {
            missile.at = next;
            if let Some(seat) = seat_on(bots, next) {
                hit(bots, seat, rules.missile_damage());
                return false;
            }
            continue;
        }
        splash(bots, missile.at);
        in_flight = false;
        if !rules.wall_explosion_repeats() {
            break;
        }
    }
    in_flight
}

fn seat_on(bots: &[Bot; 2], square: Point) -> Option<usize> {
    bots.iter().position(|bot| bot.at == square)
}

/// Takes `damage` from the bot in `seat` and the splash from the other one if
/// it is beside it.
fn hit(bots: &mut [Bot; 2], seat: usize, damage: i32) {
    let square = bots[seat].at;
    bots[seat].hp -= damage;
    let other = &mut bots[1 - seat];
    if other.at.distance(square) <= 1 {
        other.hp -= SPLASH_DAMAGE;
    }
}

/// Takes the splash from every bot on or beside `square`.
fn splash(bots: &mut [Bot; 2], square: Point) {
    for bot in bots.iter_mut().filter(|bot| bot.at.distance(square) <= 1) {
        bot.hp -= SPLASH_DAMAGE;
    }
}
