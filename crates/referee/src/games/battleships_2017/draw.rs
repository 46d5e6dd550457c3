//! Drawing of a position, as a [`Scene`]: two maps side by side.

use super::view::map_txt::opponent_symbol;
use super::{Board, Cell as MapCell, Frame, KEYS, Player, ShipKind};
use crate::{Cell, Colour, Kind, Layer, Mark, Scene, Seat, Text, VisibleTo};

/// Empty columns between the two maps.
const GAP: u16 = 3;

/// How much of a map is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// Everything.
    Whole,
    /// What the opponent's shots have found out.
    Discovered,
}

/// Draws everything: the map of `A` on the left, that of `B` on the right.
pub(super) fn scene(frame: &Frame<'_>) -> Scene {
    draw(frame, [(Seat(0), Shown::Whole), (Seat(1), Shown::Whole)])
}

/// Draws what `seat` knows: its own map on the left, the other one on the right.
pub(super) fn seat_scene(frame: &Frame<'_>, seat: Seat) -> Scene {
    draw(frame, [(seat, Shown::Whole), (Seat(1 - seat.0), Shown::Discovered)])
}

fn draw(frame: &Frame<'_>, maps: [(Seat, Shown); 2]) -> Scene {
    let side = u16::from(frame.options.size.side());
    let width = 2 * side + GAP;
    let mut scene = Scene {
        width,
        height: side,
        layers: vec![
            layer("sea", VisibleTo::All, (width, side)),
            layer("ships on the left", own_to(maps[0].0), (width, side)),
            layer("ships on the right", own_to(maps[1].0), (width, side)),
        ],
        marks: Vec::new(),
        texts: texts(frame, maps),
    };
    for (number, (seat, shown)) in (0..).zip(maps) {
        let left = number * (side + GAP);
        let board = &frame.state.players[seat.index()].board;
        for y in 0..side {
            for x in 0..side {
                let (column, row) = (left + x, side - 1 - y);
                draw_cell(&mut scene, (column, row), cell_at(board, x, y), (seat, shown));
                if shown == Shown::Whole {
                    draw_ship(&mut scene, (column, row), cell_at(board, x, y), (seat, 1 + number));
                }
            }
        }
    }
    scene
}

fn layer(name: &'static str, seen: VisibleTo, (width, height): (u16, u16)) -> Layer {
    Layer { name: name.into(), seen, cells: vec![None; usize::from(width) * usize::from(height)] }
}

fn own_to(seat: Seat) -> VisibleTo {
    VisibleTo::Seat(seat.0)
}

fn cell_at(board: &Board, x: u16, y: u16) -> MapCell {
    let number = board.number_of(i64::from(x), i64::from(y));
    number.map(|number| board.cell(number)).unwrap_or_default()
}

fn draw_cell(scene: &mut Scene, (x, y): (u16, u16), cell: MapCell, (seat, shown): (Seat, Shown)) {
    let index = usize::from(y) * usize::from(scene.width) + usize::from(x);
    scene.layers[0].cells[index] = Some(Cell::new(Kind::Water, '~', Colour::Dim));
    scene.marks.extend(struck_mark((x, y), cell));
    if shown == Shown::Whole {
        scene.marks.extend(own_mark((x, y), cell, seat));
    }
}

fn draw_ship(scene: &mut Scene, (x, y): (u16, u16), cell: MapCell, (seat, layer): (Seat, u16)) {
    let index = usize::from(y) * usize::from(scene.width) + usize::from(x);
    let ship = cell.ship.map(|kind| ship_cell(kind, seat));
    scene.layers[usize::from(layer)].cells[index] = ship;
}

fn ship_cell(kind: ShipKind, seat: Seat) -> Cell {
    Cell::new(Kind::Ship, char::from(kind.letter()), Colour::Seat(seat.0))
}

/// What shots leave on a cell, as both players know it.
fn struck_mark(at: (u16, u16), cell: MapCell) -> Option<Mark> {
    let mark = |kind, symbol, colour, label| Mark::new(at, Cell::new(kind, symbol, colour), label);
    match opponent_symbol(cell) {
        b'@' => Some(mark(Kind::ShieldHit, '@', Colour::Bonus, "shield, struck")),
        b'!' => Some(mark(Kind::Miss, '!', Colour::Plain, "water, struck")),
        b'*' => Some(mark(Kind::Hit, '*', Colour::Danger, "ship, struck")),
        _ => None,
    }
}

/// What its owner alone knows of a cell, apart from ships that are whole.
fn own_mark(at: (u16, u16), cell: MapCell, seat: Seat) -> Option<Mark> {
    let mark = match (opponent_symbol(cell), cell.ship) {
        (b'*', Some(kind)) => {
            let symbol = char::from(kind.letter().to_ascii_lowercase());
            let label = format!("{}, struck", kind.printed_name());
            Mark::new(at, Cell::new(Kind::Hit, symbol, Colour::Danger), label)
        }
        (b'~', None) if cell.shielded => {
            Mark::new(at, Cell::new(Kind::Shield, 'o', Colour::Seat(seat.0)), "shield")
        }
        _ => return None,
    };
    Some(mark.seen(own_to(seat)))
}

fn texts(frame: &Frame<'_>, maps: [(Seat, Shown); 2]) -> Vec<Text> {
    let state = frame.state;
    let heading = format!("phase {}, round {}", state.phase.number(), state.round);
    let mut texts = vec![Text::new(Colour::Plain, heading)];
    for (seat, shown) in maps {
        let player = &state.players[seat.index()];
        let (key, name) = (KEYS[seat.index()], &frame.names[seat.index()]);
        let fate = if player.killed { " dead" } else { "" };
        let (points, ships) = (player.points, player.ships_remaining());
        let line = format!("{key} {name} points={points} ships={ships}{fate}");
        texts.push(Text::new(Colour::Seat(seat.0), line));
        if shown == Shown::Whole {
            texts.push(Text { seen: own_to(seat), ..counters(player, seat) });
        }
    }
    texts
}

fn counters(player: &Player, seat: Seat) -> Text {
    let shield = &player.shield;
    let state = if shield.active { "up" } else { "down" };
    let line = format!(
        "  energy={} shots={} hits={} shield={state}/{}",
        player.energy, player.shots_fired, player.shots_hit, shield.charges
    );
    Text::new(Colour::Seat(seat.0), line)
}
