//! Drawing of a position, as a [`Scene`]: two maps side by side.

use super::view::map_txt::opponent_symbol;
use super::{Board, Cell as MapCell, Frame, KEYS, Player, ShipKind};
use crate::{Cell, Colour, Kind, Layer, Mark, Panel, Rows, Scene, Seat, Text, VisibleTo};

/// Empty columns between the two maps.
const GAP: u16 = 3;

/// Visible part of a map.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MapVisibility {
    /// Everything.
    Whole,
    /// Cells that the opponent's shots have uncovered.
    Discovered,
}

/// A map of the picture.
#[derive(Clone, Copy)]
struct MapPicture {
    /// Owner of the map.
    seat: Seat,
    shown: MapVisibility,
    /// Number of the layer that has its ships.
    ships: usize,
}

/// Draws everything: the map of `A` on the left, the map of `B` on the right.
pub(super) fn scene(frame: &Frame<'_>) -> Scene {
    draw(frame, [MapPicture::whole(Seat(0), 1), MapPicture::whole(Seat(1), 2)])
}

/// Draws what `seat` knows: its own map on the left, the other one on the right.
pub(super) fn seat_scene(frame: &Frame<'_>, seat: Seat) -> Scene {
    let other = MapPicture { seat: Seat(1 - seat.0), shown: MapVisibility::Discovered, ships: 2 };
    draw(frame, [MapPicture::whole(seat, 1), other])
}

impl MapPicture {
    const fn whole(seat: Seat, ships: usize) -> Self {
        Self { seat, shown: MapVisibility::Whole, ships }
    }
}

fn draw(frame: &Frame<'_>, maps: [MapPicture; 2]) -> Scene {
    let side = u16::from(frame.options.size.side());
    let width = 2 * side + GAP;
    let squares = usize::from(width) * usize::from(side);
    let mut scene = Scene {
        width,
        height: side,
        layers: vec![
            layer("sea", VisibleTo::All, squares),
            layer("ships on the left", own_to(maps[0].seat), squares),
            layer("ships on the right", own_to(maps[1].seat), squares),
        ],
        texts: texts(frame, maps),
        panels: panels(maps, side),
        ..Scene::default()
    };
    for (left, map) in [0, side + GAP].into_iter().zip(maps) {
        let board = &frame.state.players[map.seat.index()].board;
        for y in 0..side {
            for x in 0..side {
                let at = Square { column: left + x, row: side - 1 - y };
                map.draw_cell(&mut scene, at, cell_at(board, x, y));
            }
        }
    }
    scene
}

fn panels(maps: [MapPicture; 2], side: u16) -> Vec<Panel> {
    let panel = |(left, map): (u16, MapPicture)| Panel {
        left,
        width: side,
        owner: Some(map.seat.0),
        rows: Rows::Upwards,
    };
    [0, side + GAP].into_iter().zip(maps).map(panel).collect()
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

impl MapPicture {
    fn draw_cell(self, scene: &mut Scene, at: Square, cell: MapCell) {
        let index = usize::from(at.row) * usize::from(scene.width) + usize::from(at.column);
        scene.layers[0].cells[index] = Some(Cell::new(Kind::Water, '~', Colour::Dim));
        scene.marks.extend(struck_mark(at, cell));
        if self.shown == MapVisibility::Whole {
            scene.marks.extend(own_mark(at, cell, self.seat));
            let ship = cell.ship.map(|kind| ship_cell(kind, self.seat));
            scene.layers[self.ships].cells[index] = ship;
        }
    }
}

fn ship_cell(kind: ShipKind, seat: Seat) -> Cell {
    Cell::new(Kind::Ship, char::from(kind.letter()), Colour::Seat(seat.0))
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

fn texts(frame: &Frame<'_>, maps: [MapPicture; 2]) -> Vec<Text> {
    let state = frame.state;
    let heading = format!("phase {}, round {}", state.phase.number(), state.round);
    let mut texts = vec![Text::new(Colour::Plain, heading)];
    for MapPicture { seat, shown, .. } in maps {
        let player = &state.players[seat.index()];
        let (key, name) = (KEYS[seat.index()], &frame.names[seat.index()]);
        let fate = if player.killed { " dead" } else { "" };
        let (points, ships) = (player.points, player.ships_remaining());
        let line = format!("{key} {name} points={points} ships={ships}{fate}");
        texts.push(Text::new(Colour::Seat(seat.0), line));
        if shown == MapVisibility::Whole {
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
