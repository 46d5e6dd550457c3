//! Drawing of a position, as a [`Scene`]: two maps side by side.

use super::step::SEATS;
use super::view::map_txt::opponent_symbol;
use super::{Board, Cell as MapCell, Frame, KEYS, Player};
use crate::{Cell, Colour, Kind, Layer, Mark, Panel, Rows, Scene, Seat, Text, VisibleTo};

/// Empty columns between the two maps.
const GAP: u16 = 3;

/// Draws everything: the map of `A` on the left, the map of `B` on the right.
pub(super) fn scene(frame: &Frame<'_>) -> Scene {
    let side = u16::from(frame.options.size.side());
    let width = 2 * side + GAP;
    let squares = usize::from(width) * usize::from(side);
    let mut scene = Scene {
        width,
        height: side,
        layers: vec![
            layer("sea", VisibleTo::All, squares),
            layer("ships on the left", own_to(SEATS[0]), squares),
            layer("ships on the right", own_to(SEATS[1]), squares),
        ],
        texts: texts(frame),
        panels: panels(side),
        ..Scene::default()
    };
    for (left, seat) in [0, side + GAP].into_iter().zip(SEATS) {
        let board = &frame.state.players[seat.index()].board;
        for y in 0..side {
            for x in 0..side {
                let at = Square { column: left + x, row: side - 1 - y };
                draw_cell(&mut scene, at, cell_at(board, x, y), seat);
            }
        }
    }
    scene
}

fn panels(side: u16) -> Vec<Panel> {
    let panel = |(left, seat): (u16, Seat)| Panel {
        left,
        width: side,
        owner: Some(seat.0),
        rows: Rows::Upwards,
    };
    [0, side + GAP].into_iter().zip(SEATS).map(panel).collect()
}

fn layer(name: &'static str, seen: VisibleTo, squares: usize) -> Layer {
    Layer { name: name.into(), seen, cells: vec![None; squares] }
}

fn own_to(seat: Seat) -> VisibleTo {
    VisibleTo::Seat(seat.0)
}

fn cell_at(board: &Board, x: u16, y: u16) -> MapCell {
    let number = board.number_of(i64::from(x), i64::from(y));
    number.map(|number| board.cell(number)).unwrap_or_default()
}

/// Square of the picture, from its top left corner.
#[derive(Clone, Copy)]
struct Square {
    column: u16,
    row: u16,
}

fn draw_cell(scene: &mut Scene, at: Square, cell: MapCell, seat: Seat) {
    let index = usize::from(at.row) * usize::from(scene.width) + usize::from(at.column);
    scene.layers[0].cells[index] = Some(Cell::new(Kind::Water, '~', Colour::Dim));
    scene.marks.extend(struck_mark(at, cell));
    scene.marks.extend(own_mark(at, cell, seat));
    scene.layers[1 + seat.index()].cells[index] = cell
        .ship
        .map(|kind| Cell::new(Kind::Ship, char::from(kind.letter()), Colour::Seat(seat.0)));
}

/// Returns the mark that shots leave on a cell, as both players know it.
fn struck_mark(at: Square, cell: MapCell) -> Option<Mark> {
    let mark = |kind, symbol, colour, label| {
        Mark::new((at.column, at.row), Cell::new(kind, symbol, colour), label)
    };
    match opponent_symbol(cell) {
        b'@' => Some(mark(Kind::ShieldHit, '@', Colour::Bonus, "shield, struck")),
        b'!' => Some(mark(Kind::Miss, '!', Colour::Plain, "water, struck")),
        b'*' => Some(mark(Kind::Hit, '*', Colour::Danger, "ship, struck")),
        _ => None,
    }
}

/// Returns the mark that only the owner knows, apart from ships that are whole.
fn own_mark(at: Square, cell: MapCell, seat: Seat) -> Option<Mark> {
    let mark = match (opponent_symbol(cell), cell.ship) {
        (b'*', Some(kind)) => {
            let symbol = char::from(kind.letter().to_ascii_lowercase());
            let label = format!("{}, struck", kind.printed_name());
            Mark::new((at.column, at.row), Cell::new(Kind::Hit, symbol, Colour::Danger), label)
        }
        (b'~', None) if cell.shielded => Mark::new(
            (at.column, at.row),
            Cell::new(Kind::Shield, 'o', Colour::Seat(seat.0)),
            "shield",
        ),
        _ => return None,
    };
    Some(mark.seen(own_to(seat)))
}

fn texts(frame: &Frame<'_>) -> Vec<Text> {
    let state = frame.state;
    let place = Text::place("round", state.round).text;
    let heading = format!("phase {}, {place}", state.phase.number());
    let mut texts = vec![Text::new(Colour::Plain, heading)];
    for seat in SEATS {
        let player = &state.players[seat.index()];
        let (key, name) = (KEYS[seat.index()], &frame.names[seat.index()]);
        let fate = if player.killed { " dead" } else { "" };
        let (points, ships) = (player.points, player.ships_remaining());
        let line = format!("{key} {name} points={points} ships={ships}{fate}");
        texts.push(Text::new(Colour::Seat(seat.0), line));
        texts.push(Text { seen: own_to(seat), ..counters(player, seat) });
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
