//! Trapper works out, for every other player, which ways it has out of the bombs
//! on the map, and plants or triggers when that leaves none. Until then it takes
//! walls down, and it never walks where somebody's trigger could catch it.
//!
//! Arguments: the own key and the folder with state.json; the answer is the first
//! character of move.txt there.

mod field;
mod json;

use std::{env, fs, path::Path};

use field::{Field, NOTHING, PLANT, Player, Spot, TRIGGER};

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let [_, key, folder, ..] = &arguments[..] else {
        return Err(std::io::Error::other("usage: trapper KEY FOLDER"));
    };
    let folder = Path::new(folder);
    let field = Field::read(&fs::read_to_string(folder.join("state.json"))?);
    let me = field.players.iter().find(|player| player.key == *key).cloned();
    let command = me.map_or(NOTHING, |me| choose(&field, &me));
    fs::write(folder.join("move.txt"), command.to_string())
}

fn choose(field: &Field, me: &Player) -> usize {
    let mut walks = field.walks(me, None, true);
    if walks.lasting == 0 {
        walks = field.walks(me, None, false);
    }
    let free = me.bag - field.bombs_of(&me.key).count() as i32;
    let can_plant = free > 0 && !field.bombs.iter().any(|bomb| bomb.at == me.at);
    let planted = can_plant.then(|| field.planted(me));
    let triggered = field.triggered(me);
    for (next, command) in [(&triggered, TRIGGER), (&planted, PLANT)] {
        let Some(next) = next else { continue };
        if catches_somebody(field, next, me) && survives(next, me, command) {
            return command;
        }
    }
    let doomed: Vec<Spot> = field.bombs.iter().flat_map(|bomb| field.walls(bomb.at, bomb.radius)).collect();
    // Walls that a bomb there would be the first to hit.
    let worth = |spot: Spot| {
        let walls = field.walls(spot, me.radius).into_iter();
        walls.filter(|wall| !doomed.contains(wall)).count() as i32
    };
    let best = |value: &dyn Fn(Spot, i32) -> i32| {
        let ways = field.spots().into_iter().filter_map(|spot| Some((spot, walks.ways[field.index(spot)]?)));
        let open = ways.filter(|(_, (_, firsts))| firsts & walks.lasting != 0);
        open.max_by_key(|(spot, (rounds, _))| value(*spot, *rounds))
    };
    let value = |spot: Spot, rounds: i32| {
        let prize = if field.prizes.contains(&spot) { 30 } else { 0 };
        (1000 * (10 * worth(spot) + prize) + 1000 * closeness(field, me, spot)) / (rounds + 3)
    };
    let Some((target, (_, firsts))) = best(&value) else {
        return NOTHING;
    };
    let next = planted.as_ref().filter(|_| target == me.at && worth(me.at) > 0);
    if next.is_some_and(|next| survives(next, me, PLANT)) {
        return PLANT;
    }
    if free <= 0 && triggered.is_some_and(|next| survives(&next, me, TRIGGER)) {
        return TRIGGER;
    }
    let commands = firsts & walks.lasting;
    // Who stands still for 20 rounds is made to bomb itself.
    let stirring = if field.round % 10 == 0 { walks.lasting & !1 } else { 0 };
    let chosen = if commands == 1 && stirring != 0 { stirring } else { commands };
    chosen.trailing_zeros() as usize
}

/// Says whether `next` leaves somebody no way out who has one now.
fn catches_somebody(field: &Field, next: &Field, me: &Player) -> bool {
    let is_lost = |field: &Field, other: &Player| field.walks(other, None, false).lasting == 0;
    field.players.iter().any(|other| {
        other.key != me.key && is_near(me, other) && !is_lost(field, other) && is_lost(next, other)
    })
}

/// Says whether a player can be reached by anything of ours.
fn is_near(me: &Player, other: &Player) -> bool {
    (me.at.0 - other.at.0).abs() + (me.at.1 - other.at.1).abs() <= 2 * me.radius + 12
}

fn survives(next: &Field, me: &Player, command: usize) -> bool {
    next.walks(me, Some(command), true).lasting != 0
}

/// A little for being near the nearest player: it decides when no wall is left.
fn closeness(field: &Field, me: &Player, spot: Spot) -> i32 {
    let others = field.players.iter().filter(|other| other.key != me.key);
    let gaps = others.map(|other| (other.at.0 - spot.0).abs() + (other.at.1 - spot.1).abs());
    gaps.min().map_or(0, |gap| 12 / (gap.max(2)))
}
