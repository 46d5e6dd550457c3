//! Power-ups of a fresh map: where they are hidden.
//!
//! Source: [Power-ups on the map](crate::docs::bomberman_2016#power-ups-on-the-map).

use super::super::setup::Map;
use super::super::{Ground, PowerUp, quirks};
use crate::rng::DotNetRandom;

/// Distances with walls for power-ups in a quadrant of a map for four.
const RINGS: usize = 6;

/// The fairness rule for four players calls the map unsuitable.
pub(super) struct Unsuitable;

/// Hides power-ups under walls and puts the super power-up in the middle.
pub(super) fn hide(
    map: &mut Map,
    players: u8,
    random: &mut DotNetRandom,
) -> Result<(), Unsuitable> {
    if players == 4 {
        hide_fairly(map, random)?;
    } else {
        hide_anywhere(map, players, random);
    }
    let middle = map.side / 2 + 1;
    let block = map.block(middle, middle);
    block.ground = Ground::Free;
    block.power_up = Some(PowerUp::Super);
    Ok(())
}

/// Maps a block of quadrant 0 to another quadrant; other numbers than 1 to 3
/// stand for quadrant 0.
fn in_quadrant(quadrant: i32, x: i32, y: i32, side: i32) -> (i32, i32) {
    let opposite = side + 1;
    match quadrant {
        1 => (opposite - x, y),
        2 => (x, opposite - y),
        3 => (opposite - x, opposite - y),
        _ => (x, y),
    }
}

fn hide_anywhere(map: &mut Map, players: u8, random: &mut DotNetRandom) {
    for pass in 0..4 {
        for _ in 0..quirks::bags_in_a_quadrant(players) {
            hide_one(map, quirks::quadrant_of_bags(pass), PowerUp::Bag, random);
        }
        for _ in 0..players {
            hide_one(map, pass, PowerUp::Radius, random);
        }
    }
}

/// Draws blocks of a quadrant until one has a wall and nothing under it.
fn hide_one(map: &mut Map, quadrant: i32, power_up: PowerUp, random: &mut DotNetRandom) {
    let bound = map.side / 2 + 1;
    loop {
        let x = random.between(1, bound);
        let y = random.between(1, bound);
        let (x, y) = in_quadrant(quadrant, x, y, map.side);
        let block = map.block(x, y);
        if block.ground == Ground::Wall && block.power_up.is_none() {
            block.power_up = Some(power_up);
            return;
        }
    }
}

fn hide_fairly(map: &mut Map, random: &mut DotNetRandom) -> Result<(), Unsuitable> {
    let mut plan = distances_with_walls(map);
    if plan.len() <= RINGS {
        return Err(Unsuitable);
    }
    let first_kind = random.between(0, 3);
    while plan.len() > RINGS {
        plan.remove(random.between(1, 4) as usize);
    }
    for quadrant in 0..4 {
        for (kind, distance) in (first_kind..).zip(&plan) {
            let power_up = if kind % 3 == 0 { PowerUp::Bag } else { PowerUp::Radius };
            let candidates = walls_at(map, quadrant, *distance);
            let (x, y) = candidates[random.below(candidates.len() as i32) as usize];
            map.block(x, y).power_up = Some(power_up);
        }
    }
    Ok(())
}

/// Returns the distances at which quadrant 0 has two or more walls, ascending.
fn distances_with_walls(map: &mut Map) -> Vec<i32> {
    let farthest = 2 * (map.side / 2 - 1) - 2;
    (0..=farthest).filter(|distance| walls_at(map, 0, *distance).len() >= 2).collect()
}

/// Returns the walls of a quadrant at a distance from the corner of the map, by
/// x and then y of quadrant 0.
fn walls_at(map: &mut Map, quadrant: i32, distance: i32) -> Vec<(i32, i32)> {
    let reach = map.side / 2;
    let side = map.side;
    let inner = (1..reach).map(|x| (x, distance + 2 - x)).filter(|(_, y)| (1..reach).contains(y));
    let blocks = inner.map(|(x, y)| in_quadrant(quadrant, x, y, side));
    blocks.filter(|(x, y)| map.block(*x, *y).ground == Ground::Wall).collect()
}
