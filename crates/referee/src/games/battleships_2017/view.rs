//! View of a seat: exactly the bytes of its `state.json` and `map.txt`.
//!
//! JSON is one line without blanks and without an end; `map.txt` ends every line. The
//! shape is release 1.2.2's under every release option; what a release does not
//! have stays at its start value.
//!
//! Source: [Files for bots](crate::docs::battleships_2017#files-for-bots).

mod cells;
pub(super) mod map_txt;

use super::{BoutOptions, GameState, MapSize, Player, ShipKind, Weapon};
use crate::Seat;
use crate::bytes::{push_json_string, push_number};

/// Appends words and numbers.
macro_rules! push {
    ($out:expr, $($piece:expr),+ $(,)?) => {{
        let out: &mut Vec<u8> = $out;
        $( crate::games::battleships_2017::view::Append::append(&$piece, out); )+
    }};
}
pub(super) use push;

/// The keys of the seats, as the original calls its players.
pub const KEYS: [&str; 2] = ["A", "B"];

/// A position with all that its files show.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The position.
    pub state: &'a GameState,
    /// The options of the bout.
    pub options: &'a BoutOptions,
    /// The players' names, in seat order.
    pub names: &'a [String; 2],
}

impl Frame<'_> {
    /// Appends a seat's `state.json`.
    pub fn write_state_json(&self, seat: Seat, out: &mut Vec<u8>) {
        push!(out, "{\"PlayerMap\":");
        self.write_player_map(seat, out);
        push!(out, ",\"OpponentMap\":");
        self.write_opponent_map(1 - seat.index(), out);
        self.write_match(out);
        push!(out, ",\"Player1Map\":null,\"Player2Map\":null}");
    }

    /// Appends the `state.json` of the round's folder, which shows everything.
    pub fn write_root_state_json(&self, out: &mut Vec<u8>) {
        push!(out, "{\"PlayerMap\":null,\"OpponentMap\":null");
        self.write_match(out);
        push!(out, ",\"Player1Map\":");
        self.write_player_map(Seat(0), out);
        push!(out, ",\"Player2Map\":");
        self.write_player_map(Seat(1), out);
        push!(out, "}");
    }

    fn write_match(&self, out: &mut Vec<u8>) {
        push!(out, ",\"GameVersion\":\"1.0.0\",\"GameLevel\":1,\"Round\":", self.state.round);
        push!(out, ",\"MapDimension\":", self.options.size.side());
        push!(out, ",\"Phase\":", self.state.phase.number());
    }

    fn write_player_map(&self, seat: Seat, out: &mut Vec<u8>) {
        let player = &self.state.players[seat.index()];
        let board = &player.board;
        push!(out, "{\"Cells\":");
        cells::write_all_own(board, out);
        push!(out, ",\"Owner\":{\"FailedFirstPhaseCommands\":", player.failed_placements);
        push!(out, ",\"Name\":");
        push_json_string(out, &self.names[seat.index()]);
        push!(out, ",\"Ships\":");
        write_list(out, ShipKind::ALL, |kind, out| self.write_ship(player, kind, out));
        write_counters(player, out);
        write_shield(player, self.options.size, out);
        push!(out, ",\"ShipsRemaining\":", player.ships_remaining() as u32);
        push!(out, ",\"Key\":\"", KEYS[seat.index()], "\"}");
        push!(out, ",\"MapWidth\":", board.side(), ",\"MapHeight\":", board.side(), "}");
    }

    fn write_ship(&self, player: &Player, kind: ShipKind, out: &mut Vec<u8>) {
        let ship = &player.ships[kind.index()];
        push!(out, "{\"Cells\":");
        write_list(out, &ship.cells[..kind.length()], |cell, out| match cell {
            Some(number) => cells::write_own(&player.board, *number, out),
            None => push!(out, "null"),
        });
        push!(out, ",\"Destroyed\":", ship.destroyed, ",\"Placed\":", ship.placed);
        push!(out, ",\"ShipType\":\"", kind.name(), "\",\"Weapons\":");
        write_list(out, self.options.weapons_of(kind), |weapon, out| {
            push!(out, "{\"WeaponType\":\"", weapon.name(), "\",\"EnergyRequired\":");
            push!(out, self.options.energy_cost(*weapon), "}");
        });
        push!(out, "}");
    }

    fn write_opponent_map(&self, index: usize, out: &mut Vec<u8>) {
        let opponent = &self.state.players[index];
        push!(out, "{\"Ships\":");
        write_list(out, ShipKind::ALL, |kind, out| {
            let destroyed = opponent.ships[kind.index()].destroyed;
            push!(out, "{\"Destroyed\":", destroyed, ",\"ShipType\":\"", kind.name(), "\"}");
        });
        push!(out, ",\"Alive\":", !opponent.killed, ",\"Points\":", opponent.points);
        push!(out, ",\"Name\":");
        push_json_string(out, &self.names[index]);
        push!(out, ",\"Cells\":");
        cells::write_all_opponent(&opponent.board, out);
        push!(out, "}");
    }
}

impl BoutOptions {
    /// Returns the weapons a ship carries, the single shot first.
    pub(super) fn weapons_of(&self, kind: ShipKind) -> &'static [Weapon] {
        use Weapon::{
            CornerShot, CrossShot, DiagonalCrossShot, DoubleShot, SeekerMissile, SingleShot,
        };
        if self.release == super::Release::Shots {
            return &[SingleShot];
        }
        match kind {
            ShipKind::Submarine => &[SingleShot, SeekerMissile],
            ShipKind::Destroyer => &[SingleShot, DoubleShot],
            ShipKind::Battleship => &[SingleShot, DiagonalCrossShot],
            ShipKind::Carrier => &[SingleShot, CornerShot],
            ShipKind::Cruiser => &[SingleShot, CrossShot],
        }
    }
}

fn write_list<T>(
    out: &mut Vec<u8>,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        write(item, out);
    }
    out.push(b']');
}

fn write_counters(player: &Player, out: &mut Vec<u8>) {
    push!(out, ",\"Points\":", player.points, ",\"Energy\":", player.energy);
    push!(out, ",\"Killed\":", player.killed, ",\"IsWinner\":false");
    push!(out, ",\"ShotsFired\":", player.shots_fired, ",\"ShotsHit\":", player.shots_hit);
}

fn write_shield(player: &Player, size: MapSize, out: &mut Vec<u8>) {
    let shield = &player.shield;
    push!(out, ",\"Shield\":{\"ChargeTime\":", super::CHARGE_ROUNDS);
    push!(out, ",\"RoundLastUsed\":", shield.last_used, ",\"CurrentCharges\":", shield.charges);
    push!(out, ",\"Active\":", shield.active, ",\"CurrentRadius\":", shield.radius);
    push!(out, ",\"MaxRadius\":", size.max_shield_radius());
    push!(out, ",\"CenterPoint\":\"", shield.centre.x, ", ", shield.centre.y, "\"}");
}

/// Something that can be appended to a file.
pub(super) trait Append {
    /// Appends it.
    fn append(&self, out: &mut Vec<u8>);
}

impl Append for &str {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }
}

impl Append for &[u8] {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
}

impl Append for i32 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for u32 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for u8 {
    fn append(&self, out: &mut Vec<u8>) {
        push_number(out, i64::from(*self));
    }
}

impl Append for bool {
    fn append(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if *self { b"true" } else { b"false" });
    }
}
