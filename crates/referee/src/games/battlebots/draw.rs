//! Drawing of a position, as a [`Scene`].

use super::{ARENA_SQUARES, Bot, GameState, Mine, Projectile, Rules};
use crate::{Cell, Colour, Kind, Layer, Mark, Point, Scene, Text, VisibleTo};

/// Draws `state`; `names` are the bots' names in seat order.
///
/// Bots are drawn as the number of their seat. Mines are always drawn, also
/// where the bots cannot see them; a spent one is `l`.
pub(super) fn scene(state: &GameState, names: &[String; 2], rules: Rules, round: u32) -> Scene {
    let side = ARENA_SQUARES as u16;
    Scene {
        width: side,
        height: side,
        layers: vec![ground()],
        marks: marks(state, names, rules),
        texts: texts(state, names, round),
        ..Scene::default()
    }
}

fn ground() -> Layer {
    let square = Cell::new(Kind::Floor, '.', Colour::Dim);
    Layer::new("arena", vec![Some(square); (ARENA_SQUARES * ARENA_SQUARES) as usize])
}

fn marks(state: &GameState, names: &[String; 2], rules: Rules) -> Vec<Mark> {
    let seen = if rules.shows_mines() { VisibleTo::All } else { VisibleTo::Nobody };
    let mines = state.mines.iter().filter_map(|mine| Some(mine_mark(mine)?.seen(seen)));
    let bullets = state.bullets.iter().filter_map(|one| projectile_mark(one, (Kind::Bullet, 'B')));
    let missiles =
        state.missiles.iter().filter_map(|one| projectile_mark(one, (Kind::Missile, 'M')));
    let bots = (0..2).filter_map(|seat| bot_mark(seat, &state.bots[usize::from(seat)], names));
    mines.chain(bullets).chain(missiles).chain(bots).collect()
}

fn mine_mark(mine: &Mine) -> Option<Mark> {
    let (kind, symbol, label) = match mine.spent {
        true => (Kind::SpentMine, 'l', "spent landmine"),
        false => (Kind::Mine, 'L', "landmine"),
    };
    Some(Mark::new(on_board(mine.at)?, Cell::new(kind, symbol, Colour::Danger), label))
}

fn projectile_mark(projectile: &Projectile, (kind, symbol): (Kind, char)) -> Option<Mark> {
    let label = format!("{} flying {}", kind.name(), projectile.direction.name());
    let cell = Cell::new(kind, symbol, Colour::Danger).headed(projectile.direction);
    Some(Mark::new(on_board(projectile.at)?, cell, label))
}

fn bot_mark(seat: u8, bot: &Bot, names: &[String; 2]) -> Option<Mark> {
    let kind = if bot.hp < 1 { Kind::Fallen } else { Kind::Player };
    let cell = Cell::new(kind, char::from(b'0' + seat), Colour::Seat(seat));
    Some(Mark::new(on_board(bot.at)?, cell, names[usize::from(seat)].clone()))
}

fn on_board(at: Point) -> Option<(u16, u16)> {
    Some((u16::try_from(at.x).ok()?, u16::try_from(at.y).ok()?))
}

fn texts(state: &GameState, names: &[String; 2], round: u32) -> Vec<Text> {
    let mut texts = vec![Text::place("round", round)];
    for (seat, bot) in (0_u8..).zip(&state.bots) {
        let name = &names[usize::from(seat)];
        texts.push(Text::new(Colour::Seat(seat), format!("{seat} {name} hp={}", bot.hp)));
    }
    if state.paralysed_rounds > 0 {
        let text = format!("paralysed for {} rounds", state.paralysed_rounds);
        texts.push(Text::new(Colour::Danger, text));
    }
    let projectiles = [("B", &state.bullets), ("M", &state.missiles)];
    for (symbol, list) in projectiles {
        texts.extend(list.iter().map(|each| Text::new(Colour::Plain, line(symbol, each))));
    }
    texts
}

fn line(symbol: &str, projectile: &Projectile) -> String {
    let Projectile { at, direction } = projectile;
    format!("{symbol} x={} y={} dir={}", at.x, at.y, direction.name())
}
