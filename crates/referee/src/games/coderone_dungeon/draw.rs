//! The position as a [`Scene`].

use super::{BlockKind, Player, Spot, State};
use crate::{Cell, Colour, Layer, Mark, Scene};

/// Draws `state`; `names` are the players' names in seat order.
///
/// The topmost row of the scene is the highest row of the board. Players are
/// drawn as their numbers, dead ones as `x`; fire, timers and hit points of
/// blocks are shown although no agent sees them.
pub(super) fn scene(state: &State, names: &[String]) -> Scene {
    Scene {
        width: state.columns as u16,
        height: state.rows as u16,
        layers: vec![ground(state)],
        marks: marks(state, names),
        texts: texts(state, names),
    }
}

fn ground(state: &State) -> Layer {
    let square = Cell { symbol: '.', colour: Colour::Dim };
    Layer { name: "dungeon", cells: vec![Some(square); (state.columns * state.rows) as usize] }
}

fn marks(state: &State, names: &[String]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut put = |at: Spot, symbol: char, colour: Colour, label: String| {
        marks.extend(mark(state, at, Cell { symbol, colour }, label));
    };
    for at in &state.metal {
        put(*at, '#', Colour::Dim, "metal block".to_owned());
    }
    for block in &state.blocks {
        let (symbol, name) = match block.kind {
            BlockKind::Wooden => ('w', "wooden block"),
            BlockKind::Ore => ('o', "ore block"),
        };
        put(block.at, symbol, Colour::Plain, format!("{name}, hp={}", block.hp));
    }
    for ammo in &state.ammo {
        put(ammo.at, 'a', Colour::Bonus, format!("ammo for {} ticks", ammo.life));
    }
    for treasure in &state.treasure {
        put(treasure.at, 't', Colour::Bonus, "treasure".to_owned());
    }
    for (player, seat) in state.players.iter().zip(0_u8..) {
        let name = names.get(usize::from(seat)).cloned().unwrap_or_default();
        put(player.at, symbol_of(player, seat), Colour::Seat(seat), name);
    }
    for bomb in &state.bombs {
        let label = format!("bomb of {}, {} ticks", bomb.owner, bomb.timer);
        put(bomb.at, 'B', Colour::Danger, label);
    }
    for fire in &state.fires {
        put(fire.at, '*', Colour::Danger, format!("fire of {}", fire.owner));
    }
    marks
}

fn symbol_of(player: &Player, seat: u8) -> char {
    if player.is_alive() { char::from(b'0' + seat) } else { 'x' }
}

fn mark(state: &State, at: Spot, cell: Cell, label: String) -> Option<Mark> {
    let (x, y) = (u16::try_from(at.x).ok()?, u16::try_from(state.rows - 1 - at.y).ok()?);
    Some(Mark { x, y, cell, label })
}

fn texts(state: &State, names: &[String]) -> Vec<(Colour, String)> {
    let mut texts = vec![(Colour::Plain, format!("tick {}", state.tick))];
    for ((player, name), seat) in state.players.iter().zip(names).zip(0_u8..) {
        let Player { hp, ammo, reward, .. } = player;
        let text = format!("{seat} {name} hp={hp} ammo={ammo} score={reward}");
        texts.push((Colour::Seat(seat), text));
    }
    texts
}
