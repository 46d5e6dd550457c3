//! The position as a [`Scene`]: two maps side by side.

use super::map::opponent_symbol;
use super::{Board, Cell as MapCell, Frame, KEYS, Player, ShipKind};
use crate::{Cell, Colour, Layer, Mark, Scene, Seat};

/// Empty columns between the two maps.
const GAP: u16 = 3;

/// How much of a map is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// Everything.
    All,
    /// What the opponent's shots have found out.
    Found,
}

/// Draws everything: the map of `A` on the left, that of `B` on the right.
pub(super) fn scene(frame: &Frame<'_>) -> Scene {
    draw(frame, [(Seat(0), Sight::All), (Seat(1), Sight::All)])
}

/// Draws what `seat` knows: its own map on the left, the other one on the right.
pub(super) fn seat_scene(frame: &Frame<'_>, seat: Seat) -> Scene {
    draw(frame, [(seat, Sight::All), (Seat(1 - seat.0), Sight::Found)])
}

fn draw(frame: &Frame<'_>, maps: [(Seat, Sight); 2]) -> Scene {
    let side = u16::from(frame.options.size.side());
    let width = 2 * side + GAP;
    let mut scene = Scene {
        width,
        height: side,
        layers: vec![layer("sea", width, side), layer("ships", width, side)],
        marks: Vec::new(),
        texts: texts(frame, maps),
    };
    for (left, (seat, sight)) in [0, side + GAP].into_iter().zip(maps) {
        let board = &frame.state.players[seat.index()].board;
        for y in 0..side {
            for x in 0..side {
                let (column, row) = (left + x, side - 1 - y);
                draw_cell(&mut scene, (column, row), cell_at(board, x, y), (seat, sight));
            }
        }
    }
    scene
}

fn layer(name: &'static str, width: u16, height: u16) -> Layer {
    Layer { name, cells: vec![None; usize::from(width) * usize::from(height)] }
}

fn cell_at(board: &Board, x: u16, y: u16) -> MapCell {
    let number = board.number_of(i64::from(x), i64::from(y));
    number.map(|number| board.cell(number)).unwrap_or_default()
}

fn draw_cell(scene: &mut Scene, (x, y): (u16, u16), cell: MapCell, (seat, sight): (Seat, Sight)) {
    let index = usize::from(y) * usize::from(scene.width) + usize::from(x);
    scene.layers[0].cells[index] = Some(Cell { symbol: '~', colour: Colour::Dim });
    if sight == Sight::All {
        scene.layers[1].cells[index] = cell.ship.map(|kind| ship_cell(kind, seat));
    }
    scene.marks.extend(mark(cell, (seat, sight)).map(|(cell, label)| Mark { x, y, cell, label }));
}

fn ship_cell(kind: ShipKind, seat: Seat) -> Cell {
    Cell { symbol: char::from(kind.letter()), colour: Colour::Seat(seat.0) }
}

/// What shots and shields leave on a cell.
fn mark(cell: MapCell, (seat, sight): (Seat, Sight)) -> Option<(Cell, String)> {
    let drawn = |symbol, colour| Cell { symbol, colour };
    match (opponent_symbol(cell), cell.ship) {
        (b'@', _) => Some((drawn('@', Colour::Bonus), "shield, struck".to_owned())),
        (b'!', _) => Some((drawn('!', Colour::Plain), "water, struck".to_owned())),
        (b'*', Some(kind)) if sight == Sight::All => {
            let symbol = char::from(kind.letter().to_ascii_lowercase());
            Some((drawn(symbol, Colour::Danger), format!("{}, struck", kind.printed_name())))
        }
        (b'*', _) => Some((drawn('*', Colour::Danger), "ship, struck".to_owned())),
        _ if cell.shielded && cell.ship.is_none() && sight == Sight::All => {
            Some((drawn('o', Colour::Seat(seat.0)), "shield".to_owned()))
        }
        _ => None,
    }
}

fn texts(frame: &Frame<'_>, maps: [(Seat, Sight); 2]) -> Vec<(Colour, String)> {
    let state = frame.state;
    let heading = format!("phase {}, round {}", state.phase.number(), state.round);
    let mut texts = vec![(Colour::Plain, heading)];
    for (seat, sight) in maps {
        let player = &state.players[seat.index()];
        let name = &frame.names[seat.index()];
        let mut line = format!("{} {name} points={}", KEYS[seat.index()], player.points);
        if sight == Sight::All {
            line.push_str(&counters(player));
        }
        line.push_str(&format!(" ships={}", player.ships_remaining()));
        if player.killed {
            line.push_str(" dead");
        }
        texts.push((Colour::Seat(seat.0), line));
    }
    texts
}

fn counters(player: &Player) -> String {
    let shield = &player.shield;
    let state = if shield.active { "up" } else { "down" };
    format!(
        " energy={} shots={} hits={} shield={state}/{}",
        player.energy, player.shots_fired, player.shots_hit, shield.charges
    )
}
