//! `map.txt`: what a seat sees, for people and simple bots.
//!
//! Source: [`map.txt`](crate::docs::battleships_2017#maptxt).

use super::super::{Board, Cell, Frame, Player, ShipKind, Square};
use super::push;
use crate::Seat;

const X_LINE: &str = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXX";
const DASH_LINE: &str = "---------------------------";
const HASHES: &str = "##############";

impl Frame<'_> {
    /// Appends a seat's `map.txt`: its own map with ships (damage in lower
    /// case), the opponent's with what shots have found, both from the top row
    /// down, and the counters.
    pub fn write_map_txt(&self, seat: Seat, out: &mut Vec<u8>) {
        let own = &self.state.players[seat.index()];
        let opponent = &self.state.players[1 - seat.index()];
        let end = self.options.line_endings.bytes();
        let hashes = &HASHES[..usize::from(self.options.size.side())];
        self.write_heading(out);
        push!(out, hashes, " Player", end);
        write_grid(&own.board, end, own_symbol, out);
        push!(out, hashes, " Opponent", end);
        write_grid(&opponent.board, end, opponent_symbol, out);
        push!(out, hashes, end, end, DASH_LINE, end);
        self.write_player(own, &self.names[seat.index()], out);
        push!(out, DASH_LINE, end);
        push!(out, "Opponent: ", self.names[1 - seat.index()].as_str(), end);
        push!(out, "Points: ", opponent.points, end);
        write_ships(opponent, end, out);
        write_status(opponent, end, out);
        push!(out, DASH_LINE, end);
    }

    fn write_heading(&self, out: &mut Vec<u8>) {
        let (end, side) = (self.options.line_endings.bytes(), self.options.size.side());
        push!(out, X_LINE, end, "Game Version : 1.0.0", end, "Game Level : 1", end);
        push!(out, "Round Number : ", self.state.round, end);
        push!(out, "Map Dimensions : ", side, " x ", side, end);
        push!(out, "Phase : ", self.state.phase.number(), end, X_LINE, end, end);
    }

    fn write_player(&self, player: &Player, name: &str, out: &mut Vec<u8>) {
        let end = self.options.line_endings.bytes();
        push!(out, "Player Name: ", name, end, "Available Energy: ", player.energy, end);
        push!(out, "Shots: ", player.shots_fired, end, "Hit: ", player.shots_hit, end);
        push!(out, "Points: ", player.points, end);
        self.write_arsenal(player, out);
        write_ships(player, end, out);
        write_status(player, end, out);
        let shield = &player.shield;
        let Square { x, y } = shield.centre;
        if shield.active {
            push!(out, "Shield: (Status: Activated, Charges: ", shield.charges);
            push!(out, "), Center Point: X:", x, ",Y:", y, end);
        } else {
            push!(out, "Shield: (Status: Deactivated, Charges: ", shield.charges);
            push!(out, "), Center Point: No Shield", end);
        }
    }

    fn write_arsenal(&self, player: &Player, out: &mut Vec<u8>) {
        push!(out, "Arsenal: [");
        let mut is_first = true;
        for kind in living_ships(player) {
            let weapons = self.options.weapons_of(kind);
            let news = if is_first { weapons } else { &weapons[1..] };
            for weapon in news {
                push!(out, if is_first { "" } else { "," }, weapon.name());
                is_first = false;
            }
        }
        push!(out, "]", self.options.line_endings.bytes());
    }
}

fn living_ships(player: &Player) -> impl Iterator<Item = ShipKind> {
    ShipKind::ALL.into_iter().filter(|kind| !player.ships[kind.index()].destroyed)
}

fn write_ships(player: &Player, end: &[u8], out: &mut Vec<u8>) {
    push!(out, "Ships: [");
    for (index, kind) in living_ships(player).enumerate() {
        push!(out, if index == 0 { "" } else { "," }, kind.printed_name());
    }
    push!(out, "]", end);
}

fn write_status(player: &Player, end: &[u8], out: &mut Vec<u8>) {
    push!(out, "Status: ", if player.killed { "Dead" } else { "Alive" }, end);
}

fn write_grid(board: &Board, end: &[u8], symbol: fn(Cell) -> u8, out: &mut Vec<u8>) {
    let side = board.side();
    for y in (0..side).rev() {
        out.extend((0..side).map(|x| symbol(board.cell(x * side + y))));
        out.extend_from_slice(end);
    }
}

/// Returns the symbol of a cell of the player's own map; misses are not shown.
pub(in super::super) fn own_symbol(cell: Cell) -> u8 {
    match cell.ship {
        _ if cell.shielded && cell.shield_hit => b'@',
        Some(kind) if cell.hit => kind.letter().to_ascii_lowercase(),
        Some(kind) => kind.letter(),
        None => b'~',
    }
}

/// Returns the symbol of a cell of the opponent's map.
pub(in super::super) fn opponent_symbol(cell: Cell) -> u8 {
    match cell.ship {
        _ if cell.shielded && cell.shield_hit => b'@',
        Some(_) if cell.hit => b'*',
        None if cell.hit => b'!',
        _ => b'~',
    }
}
