//! One turn of the rules, phase by phase.
//!
//! Source: [One turn](crate::docs::battlesnake#one-turn).

use super::options::{MAX_HEALTH, SNAKES_MOST};
use super::{
    BoutOptions, Cause, Direction, Elimination, GameState, Ruleset, Snake, Spawner, Square, quirks,
    spawn,
};
use crate::Seat;

/// Returns whether the rules play no further turn.
pub fn is_over(state: &GameState, options: &BoutOptions) -> bool {
    state.living().nth(usize::from(!options.is_solo)).is_none()
}

/// Plays a turn. `move_of` gives the move of a snake that plays, by its place in seat order; one
/// without a move continues in the direction from its neck to its head.
///
/// Neither the end is looked for nor is the turn counted, and the map does its part afterwards.
pub fn advance(
    state: &mut GameState,
    options: &BoutOptions,
    move_of: impl Fn(usize) -> Option<Direction>,
    spawner: &mut Spawner,
) {
    move_snakes(state, options.ruleset, move_of);
    suffer_hazards(state, options.hazard_damage);
    eat(state);
    eliminate_starved_and_strayed(state);
    eliminate_collided(state);
    if options.ruleset == Ruleset::Royale {
        spawn::shrink(spawner, options, state);
    }
    if options.ruleset.constricts() {
        constrict(state);
    }
}

/// Removes all food and lets every snake grow, those that are out included.
///
/// Source: [Rulesets](crate::docs::battlesnake#rulesets).
pub fn constrict(state: &mut GameState) {
    state.food.clear();
    for snake in &mut state.snakes {
        snake.health = MAX_HEALTH;
        if !snake.has_grown() {
            snake.body.extend(snake.body.last().copied());
        }
    }
}

fn living(snakes: &mut [Snake]) -> impl Iterator<Item = &mut Snake> {
    snakes.iter_mut().filter(|snake| snake.is_alive())
}

/// Moves every head by a square, the bodies after it, and takes a turn's health.
fn move_snakes(
    state: &mut GameState,
    ruleset: Ruleset,
    move_of: impl Fn(usize) -> Option<Direction>,
) {
    let (width, height) = (state.width, state.height);
    let snakes = state.snakes.iter_mut().enumerate();
    for (seat, snake) in snakes.filter(|(_, snake)| snake.is_alive()) {
        let travel = || quirks::direction_of_travel(&snake.body);
        let direction = move_of(seat).unwrap_or_else(travel);
        let mut head = snake.head().step(direction);
        if ruleset.wraps() {
            head = Square { x: wrapped(head.x, width), y: wrapped(head.y, height) };
        }
        let rest = snake.body.len() - 1;
        snake.body.copy_within(..rest, 1);
        snake.body[0] = head;
        snake.health -= 1;
    }
}

fn wrapped(at: i16, side: i16) -> i16 {
    match at {
        ..0 => side - 1,
        _ if at >= side => 0,
        _ => at,
    }
}

/// Takes health for every layer of hazards under a head, unless the square has food.
fn suffer_hazards(state: &mut GameState, damage: i32) {
    let GameState { turn, food, hazards, snakes, .. } = state;
    for snake in living(snakes) {
        let head = snake.head();
        let layers = hazards.iter().filter(|hazard| **hazard == head);
        for _ in layers.filter(|_| !food.contains(&head)) {
            snake.health = (snake.health - damage).clamp(0, MAX_HEALTH);
            if snake.health == 0 && snake.is_alive() {
                snake.out = Some(Elimination { cause: Cause::Hazard, by: None, on: *turn + 1 });
            }
        }
    }
}

/// Feeds every snake whose head is on food.
fn eat(state: &mut GameState) {
    let GameState { food, snakes, .. } = state;
    food.retain(|food| {
        let mut is_eaten = false;
        for snake in living(snakes).filter(|snake| snake.head() == *food) {
            snake.health = MAX_HEALTH;
            snake.body.extend(snake.body.last().copied());
            is_eaten = true;
        }
        !is_eaten
    });
}

/// Eliminates snakes without health, and those that left the board.
fn eliminate_starved_and_strayed(state: &mut GameState) {
    let (sides, on) = ((state.width, state.height), state.turn + 1);
    let is_off = |at: &Square| !at.is_within(sides);
    for snake in living(&mut state.snakes) {
        let cause = match snake.health {
            ..=0 => Cause::OutOfHealth,
            _ if snake.body.iter().any(is_off) => Cause::WallCollision,
            _ => continue,
        };
        snake.out = Some(Elimination { cause, by: None, on });
    }
}

/// Eliminates snakes that ran into a snake. All are judged on the same picture, so a snake that
/// dies here still kills.
fn eliminate_collided(state: &mut GameState) {
    let mut collisions = [None; SNAKES_MOST];
    for (seat, collision) in collisions.iter_mut().enumerate().take(state.snakes.len()) {
        *collision = collision_of(state, seat);
    }
    for (snake, collision) in state.snakes.iter_mut().zip(collisions) {
        snake.out = snake.out.or(collision);
    }
}

/// Returns the collision of a living snake: with itself, else with a body, else with a head that
/// it does not outgrow. The longest snake counts, of equal ones the first.
fn collision_of(state: &GameState, seat: usize) -> Option<Elimination> {
    let snake = state.snakes.get(seat).filter(|snake| snake.is_alive())?;
    let (head, rest) = snake.body.split_first()?;
    let collided = |cause, by: usize| {
        Some(Elimination { cause, by: Some(Seat(by as u8)), on: state.turn + 1 })
    };
    if rest.contains(head) {
        return collided(Cause::SnakeSelfCollision, seat);
    }
    let longest = |is_hit: &dyn Fn(&Snake) -> bool| {
        let others = state.snakes.iter().enumerate().rev();
        let hit =
            others.filter(|(other, snake)| *other != seat && snake.is_alive() && is_hit(snake));
        hit.max_by_key(|(_, snake)| snake.body.len()).map(|(other, _)| other)
    };
    if let Some(other) = longest(&|other| other.body[1..].contains(head)) {
        return collided(Cause::SnakeCollision, other);
    }
    let stands = |other: &Snake| other.head() == *head && other.body.len() >= snake.body.len();
    longest(&stands).and_then(|other| collided(Cause::HeadCollision, other))
}
