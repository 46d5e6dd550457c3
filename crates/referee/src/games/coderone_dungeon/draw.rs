//! Drawing of a position, as a [`Scene`].

use std::borrow::Cow;

use super::{Block, BlockKind, Bomb, GameState, Player, Spot};
use crate::{Cell, Colour, Kind, Layer, Mark, Scene, Text, VisibleTo};

/// Draws `state`; `names` are the players' names in seat order.
///
/// The topmost row of the scene is the highest row of the board. Players are
/// drawn as their numbers, dead ones as `x`; fire, timers and hit points of
/// blocks are shown although no agent sees them.
pub(super) fn scene(state: &GameState, names: &[String]) -> Scene {
    Scene {
        width: state.columns as u16,
        height: state.rows as u16,
        layers: vec![ground(state)],
        marks: marks(state, names),
        texts: texts(state, names),
        ..Scene::default()
    }
}

fn ground(state: &GameState) -> Layer {
    let square = Cell::new(Kind::Floor, '.', Colour::Dim);
    Layer::new("dungeon", vec![Some(square); (state.columns * state.rows) as usize])
}

fn marks(state: &GameState, names: &[String]) -> Vec<Mark> {
    let mut marks = Vec::with_capacity(state.metal.len() + state.blocks.len() + 16);
    let mut put = |at: Spot, seen: VisibleTo, cell: Cell, label: Cow<'static, str>| {
        marks.extend(on_board(state, at).map(|at| Mark::new(at, cell, label).seen(seen)));
    };
    let metal = Cell::new(Kind::Wall, '#', Colour::Dim);
    state.metal.iter().for_each(|at| put(*at, VisibleTo::All, metal, "metal block".into()));
    state.blocks.iter().for_each(|block| put_block(block, &mut put));
    for ammo in &state.ammo {
        let cell = Cell::new(Kind::Ammo, 'a', Colour::Bonus);
        put(ammo.at, VisibleTo::All, cell, "ammo".into());
        put(ammo.at, VisibleTo::Nobody, cell, format!("ammo for {} ticks", ammo.life).into());
    }
    let treasure = Cell::new(Kind::Treasure, 't', Colour::Bonus);
    state
        .treasure
        .iter()
        .for_each(|each| put(each.at, VisibleTo::All, treasure, "treasure".into()));
    for (player, seat) in state.players.iter().zip(0_u8..) {
        let name = names.get(usize::from(seat)).cloned().unwrap_or_default();
        put(player.at, VisibleTo::All, player_cell(player, seat), name.into());
    }
    state.bombs.iter().for_each(|bomb| put_bomb(bomb, &mut put));
    let fire = Cell::new(Kind::Blast, '*', Colour::Danger);
    for each in &state.fires {
        put(each.at, VisibleTo::Nobody, fire, format!("fire of {}", each.owner).into());
    }
    marks
}

/// Puts one thing on a square: the square, the seats that see it, the cell, its label.
type Put<'a> = &'a mut dyn FnMut(Spot, VisibleTo, Cell, Cow<'static, str>);

/// Draws a block; the hit points left in an ore block are hidden from players.
fn put_block(block: &Block, put: Put<'_>) {
    match block.kind {
        BlockKind::Wooden => {
            let cell = Cell::new(Kind::Crate, 'w', Colour::Plain);
            put(block.at, VisibleTo::All, cell, "wooden block".into());
        }
        BlockKind::Ore => {
            let cell = Cell::new(Kind::Ore, 'o', Colour::Plain);
            put(block.at, VisibleTo::All, cell, "ore block".into());
            let cell = cell.with_count(u32::try_from(block.hp).unwrap_or_default());
            put(block.at, VisibleTo::Nobody, cell, format!("ore block, hp={}", block.hp).into());
        }
    }
}

/// Draws a bomb without its owner and timer, which no player sees.
fn put_bomb(bomb: &Bomb, put: Put<'_>) {
    let cell = Cell::new(Kind::Bomb, 'B', Colour::Danger);
    put(bomb.at, VisibleTo::All, cell, "bomb".into());
    let timer = u32::try_from(bomb.timer).unwrap_or_default();
    let cell = Cell::new(Kind::Bomb, 'B', Colour::Seat(bomb.owner)).with_count(timer);
    let label = format!("bomb of {}, {} ticks", bomb.owner, bomb.timer);
    put(bomb.at, VisibleTo::Nobody, cell, label.into());
}

fn player_cell(player: &Player, seat: u8) -> Cell {
    match player.is_alive() {
        true => Cell::new(Kind::Player, char::from(b'0' + seat), Colour::Seat(seat)),
        false => Cell::new(Kind::Fallen, 'x', Colour::Seat(seat)),
    }
}

fn on_board(state: &GameState, at: Spot) -> Option<(u16, u16)> {
    Some((u16::try_from(at.x).ok()?, u16::try_from(state.rows - 1 - at.y).ok()?))
}

fn texts(state: &GameState, names: &[String]) -> Vec<Text> {
    let mut texts = vec![Text::place("tick", state.tick)];
    for ((player, name), seat) in state.players.iter().zip(names).zip(0_u8..) {
        let Player { hp, ammo, reward, .. } = player;
        let text = format!("{seat} {name} hp={hp} ammo={ammo} score={reward}");
        texts.push(Text::new(Colour::Seat(seat), text));
    }
    texts
}
