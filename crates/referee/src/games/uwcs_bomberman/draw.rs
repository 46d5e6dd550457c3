//! Drawing of a position, as a [`Scene`].

use super::{GameState, Player, Square};
use crate::{Cell, Colour, Kind, Layer, Mark, Point, Scene, Text};

/// Draws `state`; `seats` are the bots' names in seat order, empty where there
/// are no seats.
///
/// Players are drawn as the number of their seat, or of their place among the
/// players; bombs as their age in turns; squares hit by the last turn's blasts
/// as `*`.
pub fn scene(state: &GameState, seats: &[String]) -> Scene {
    Scene {
        width: state.columns,
        height: state.rows,
        layers: vec![ground(state), blast(state)],
        marks: marks(state, seats),
        texts: texts(state, seats),
        ..Scene::default()
    }
}

fn ground(state: &GameState) -> Layer {
    let cell = |square: &Square| {
        Some(match square {
            Square::Free => Cell::new(Kind::Floor, '.', Colour::Dim),
            Square::Rock => Cell::new(Kind::Brick, '+', Colour::Plain),
            Square::Pillar => Cell::new(Kind::Wall, '#', Colour::Dim),
        })
    };
    Layer::new("map", state.map.cells().iter().map(cell).collect())
}

fn blast(state: &GameState) -> Layer {
    let fire = Cell::new(Kind::Blast, '*', Colour::Danger);
    let cell = |at: Point| state.blast.contains(&at).then_some(fire);
    Layer::new("blast", state.squares().map(cell).collect())
}

fn marks(state: &GameState, seats: &[String]) -> Vec<Mark> {
    let bombs = state.bombs().filter_map(|(at, age)| {
        let symbol = char::from_digit(age.min(9), 10).unwrap_or('9');
        let label = format!("bomb, {age} turns old");
        mark(at, Cell::new(Kind::Bomb, symbol, Colour::Danger).with_count(age), label)
    });
    let players = players(state).filter(|(_, player)| player.is_alive);
    let players = players.filter_map(|(number, player)| {
        let symbol = char::from(b'A'.saturating_add(number));
        let cell = Cell::new(Kind::Player, symbol, Colour::Seat(number));
        mark(player.at, cell, name(player, seats))
    });
    bombs.chain(players).collect()
}

fn mark(at: Point, cell: Cell, label: String) -> Option<Mark> {
    let (x, y) = (u16::try_from(at.x).ok()?, u16::try_from(at.y).ok()?);
    Some(Mark::new((x, y), cell, label))
}

fn texts(state: &GameState, seats: &[String]) -> Vec<Text> {
    let mut texts = vec![Text::place("turn", state.turns)];
    texts.extend(players(state).map(|(number, player)| {
        let symbol = char::from(b'A'.saturating_add(number));
        let fate = if player.is_alive { "" } else { " dead" };
        let text = format!("{symbol} {} score={}{fate}", name(player, seats), player.score);
        Text::new(Colour::Seat(number), text)
    }));
    texts
}

fn players(state: &GameState) -> impl Iterator<Item = (u8, &Player)> {
    (0_u8..)
        .zip(&state.players)
        .map(|(place, player)| (player.seat.map_or(place, |seat| seat.0), player))
}

/// The name of the seat's bot, or the name shown where the seat has none.
fn name(player: &Player, seats: &[String]) -> String {
    let seat = player.seat.and_then(|seat| seats.get(seat.index()));
    let seat = seat.filter(|name| !name.is_empty());
    seat.unwrap_or(&player.shown).clone()
}
