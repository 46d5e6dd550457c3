//! The position as a [`Scene`].

use super::{ARENA_SQUARES, Bot, Mine, Projectile, State};
use crate::{Cell, Colour, Layer, Mark, Point, Scene};

/// Draws `state`; `names` are the bots' names in seat order.
///
/// Bots are drawn as the number of their seat. Mines are always drawn, also
/// where the bots cannot see them; a spent one is `l`.
pub(super) fn scene(state: &State, names: &[String; 2], round: u32) -> Scene {
    let side = ARENA_SQUARES as u16;
    Scene {
        width: side,
        height: side,
        layers: vec![ground()],
        marks: marks(state, names),
        texts: texts(state, names, round),
    }
}

fn ground() -> Layer {
    let square = Cell { symbol: '.', colour: Colour::Dim };
    Layer { name: "arena", cells: vec![Some(square); (ARENA_SQUARES * ARENA_SQUARES) as usize] }
}

fn marks(state: &State, names: &[String; 2]) -> Vec<Mark> {
    let mines = state.mines.iter().filter_map(mine_mark);
    let bullets = state.bullets.iter().filter_map(|bullet| projectile_mark(bullet, 'B'));
    let missiles = state.missiles.iter().filter_map(|missile| projectile_mark(missile, 'M'));
    let bots = (0..2).filter_map(|seat| bot_mark(seat, &state.bots[usize::from(seat)], names));
    mines.chain(bullets).chain(missiles).chain(bots).collect()
}

fn mine_mark(mine: &Mine) -> Option<Mark> {
    let (symbol, label) = if mine.spent { ('l', "spent landmine") } else { ('L', "landmine") };
    mark(mine.at, Cell { symbol, colour: Colour::Danger }, label.to_owned())
}

fn projectile_mark(projectile: &Projectile, symbol: char) -> Option<Mark> {
    let kind = if symbol == 'B' { "bullet" } else { "missile" };
    let label = format!("{kind} flying {}", projectile.direction.word());
    mark(projectile.at, Cell { symbol, colour: Colour::Danger }, label)
}

fn bot_mark(seat: u8, bot: &Bot, names: &[String; 2]) -> Option<Mark> {
    let cell = Cell { symbol: char::from(b'0' + seat), colour: Colour::Seat(seat) };
    mark(bot.at, cell, names[usize::from(seat)].clone())
}

fn mark(at: Point, cell: Cell, label: String) -> Option<Mark> {
    let (x, y) = (u16::try_from(at.x).ok()?, u16::try_from(at.y).ok()?);
    Some(Mark { x, y, cell, label })
}

fn texts(state: &State, names: &[String; 2], round: u32) -> Vec<(Colour, String)> {
    let mut texts = vec![(Colour::Plain, format!("round {round}"))];
    for (seat, bot) in (0_u8..).zip(&state.bots) {
        let name = &names[usize::from(seat)];
        texts.push((Colour::Seat(seat), format!("{seat} {name} hp={}", bot.hp)));
    }
    if state.paralysed_rounds > 0 {
        let text = format!("paralysed for {} rounds", state.paralysed_rounds);
        texts.push((Colour::Danger, text));
    }
    let projectiles = [("B", &state.bullets), ("M", &state.missiles)];
    for (symbol, list) in projectiles {
        texts.extend(list.iter().map(|projectile| (Colour::Plain, line(symbol, projectile))));
    }
    texts
}

fn line(symbol: &str, projectile: &Projectile) -> String {
    let Projectile { at, direction } = projectile;
    format!("{symbol} x={} y={} dir={}", at.x, at.y, direction.word())
}
