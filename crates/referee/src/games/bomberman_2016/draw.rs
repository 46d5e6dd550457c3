//! Drawing of a position, as a [`Scene`].

use std::borrow::Cow;

use super::view::{key, symbol_of};
use super::{Bomb, GameState, Ground, PowerUp, Square, quirks};
use crate::{Cell, Colour, Kind, Layer, Mark, Scene, Seat, Text};

/// Draws `state` with the symbols of `map.txt`; `names` are the players' names
/// in seat order.
///
/// Bombs show their timer, players their key, explosions cover both. Power-ups
/// under walls are not drawn.
pub(super) fn scene(state: &GameState, names: &[String]) -> Scene {
    Scene {
        width: u16::from(state.side),
        height: u16::from(state.side),
        layers: vec![ground(state), power_ups(state), explosions(state)],
        marks: marks(state, names),
        texts: texts(state, names),
        ..Scene::default()
    }
}

fn ground(state: &GameState) -> Layer {
    let cell = |ground| match ground {
        Ground::Free => Cell::new(Kind::Floor, ' ', Colour::Plain),
        Ground::Wall => Cell::new(Kind::Brick, '+', Colour::Dim),
        Ground::Pillar => Cell::new(Kind::Wall, '#', Colour::Dim),
    };
    let cells = state.blocks.iter().map(|block| Some(cell(block.ground))).collect();
    Layer::new("ground", cells)
}

fn power_ups(state: &GameState) -> Layer {
    let cells = state.blocks.iter().map(|block| block.open_power_up().map(power_up_cell)).collect();
    Layer::new("power-ups", cells)
}

fn power_up_cell(power_up: PowerUp) -> Cell {
    let kind = match power_up {
        PowerUp::Bag => Kind::BombBag,
        PowerUp::Radius => Kind::BlastRadius,
        PowerUp::Super => Kind::SuperPower,
    };
    Cell::new(kind, char::from(symbol_of(power_up)), Colour::Bonus)
}

fn explosions(state: &GameState) -> Layer {
    let mut cells = vec![None; state.blocks.len()];
    for blast in &state.blasts {
        cells[usize::from(blast.at.0)] = Some(Cell::new(Kind::Blast, '*', Colour::Danger));
    }
    Layer::new("explosions", cells)
}

fn marks(state: &GameState, names: &[String]) -> Vec<Mark> {
    let is_seen = |square: Square| !state.is_exploding(square);
    let bombs = state.bombs.iter().filter(|bomb| is_seen(bomb.at));
    let bombs = bombs.map(|bomb| bomb_mark(state, bomb));
    let players = (0..).map(Seat).zip(&state.players).zip(names);
    let players = players.filter(|((_, player), _)| player.on_map && is_seen(player.at));
    let players = players.map(|((seat, player), name)| {
        let kind = if player.is_alive() { Kind::Player } else { Kind::Fallen };
        let cell = Cell::new(kind, key(seat), Colour::Seat(seat.0));
        mark(state, player.at, cell, name.clone())
    });
    let open = power_up_marks(state);
    open.into_iter().chain(bombs).chain(players).collect()
}

fn bomb_mark(state: &GameState, bomb: &Bomb) -> Mark {
    let symbol = char::from(quirks::digit_of_a_bomb(bomb.timer));
    let cell = Cell::new(Kind::Bomb, symbol, Colour::Seat(bomb.owner.0)).with_count(bomb.timer);
    let (owner, timer, radius) = (key(bomb.owner), bomb.timer, bomb.radius);
    mark(state, bomb.at, cell, format!("bomb of {owner}, timer {timer}, radius {radius}"))
}

fn power_up_marks(state: &GameState) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (number, block) in (0..).zip(&state.blocks) {
        let square = Square(number);
        let Some(power_up) = block.open_power_up().filter(|_| !state.is_exploding(square)) else {
            continue;
        };
        let label = match power_up {
            PowerUp::Bag => "bomb bag",
            PowerUp::Radius => "bomb radius",
            PowerUp::Super => "super power-up",
        };
        marks.push(mark(state, square, power_up_cell(power_up), label));
    }
    marks
}

fn mark(
    state: &GameState,
    square: Square,
    cell: Cell,
    label: impl Into<Cow<'static, str>>,
) -> Mark {
    let (x, y) = state.coordinates(square);
    Mark::new((u16::from(x) - 1, u16::from(y) - 1), cell, label)
}

fn texts(state: &GameState, names: &[String]) -> Vec<Text> {
    let mut texts = vec![
        Text::place("round", state.round),
        Text::new(Colour::Dim, format!("seed {}, bounty {}", state.seed, state.bounty)),
    ];
    for ((seat, player), name) in (0..).map(Seat).zip(&state.players).zip(names) {
        let (points, radius, bag) = (player.total_points(), player.radius, player.bag);
        let left = quirks::bag_in_map_txt(bag, state.bombs_of(seat));
        let line = match player.killed_round {
            None => {
                format!("{} {name} points={points} bag={left}/{bag} radius={radius}", key(seat))
            }
            Some(round) => {
                let number = round + 1;
                format!("{} {name} points={points} killed in round {number}", key(seat))
            }
        };
        texts.push(Text::new(Colour::Seat(seat.0), line));
    }
    texts
}
