//! `state.json`: the position as one line of JSON.
//!
//! Source: [`state.json`](crate::docs::bomberman_2016#statejson).
//!
//! Hardly anything of its 60 KB changes from round to round, so a renderer
//! keeps the blocks of the last position as they were written and writes only
//! those again whose look has changed or that hold more than ground and an open
//! power-up.

use super::super::view::key;
use super::super::{Bomb, GameState, Ground, PowerUp, Square, quirks};
use crate::Seat;
use crate::bytes::{push_json_string, push_number};

/// The look of a block that must be written again: bomb, player or explosion.
const SPECIAL: u8 = u8::MAX;

/// Writes `state.json`, one position after the other.
#[derive(Clone, Debug, Default)]
pub struct StateJson {
    /// The players' names as JSON strings, in seat order.
    names: Vec<Vec<u8>>,
    /// The look of each block, column by column, in `text`.
    looks: Vec<u8>,
    /// Start of each block in `text`, and the end of the last one.
    starts: Vec<usize>,
    text: Vec<u8>,
    /// The same of the position being written.
    next_looks: Vec<u8>,
    next_starts: Vec<usize>,
    next_text: Vec<u8>,
}

impl StateJson {
    /// Prepares for players of these names, in seat order.
    pub fn new(names: &[String]) -> Self {
        let quoted = |name: &String| {
            let mut text = Vec::new();
            push_json_string(&mut text, name);
            text
        };
        Self { names: names.iter().map(quoted).collect(), ..Self::default() }
    }

    /// Returns the file: one line without blanks or an end.
    ///
    /// Shape: `RegisteredPlayerEntities`, `CurrentRound`, `PlayerBounty`,
    /// `MapHeight`, `MapWidth`, `GameBlocks` (an array of columns) and
    /// `MapSeed`, in this order.
    pub fn render(&mut self, state: &GameState) -> &[u8] {
        look_at(state, &mut self.next_looks);
        self.next_text.clear();
        self.next_starts.clear();
        self.push_head(state);
        self.push_blocks(state);
        self.next_text.extend_from_slice(b"]],\"MapSeed\":");
        push_number(&mut self.next_text, state.seed);
        self.next_text.push(b'}');
        std::mem::swap(&mut self.looks, &mut self.next_looks);
        std::mem::swap(&mut self.starts, &mut self.next_starts);
        std::mem::swap(&mut self.text, &mut self.next_text);
        &self.text
    }

    fn push_head(&mut self, state: &GameState) {
        let out = &mut self.next_text;
        out.extend_from_slice(b"{\"RegisteredPlayerEntities\":[");
        for seat in (0..state.players.len()).map(|seat| Seat(seat as u8)) {
            if seat.0 > 0 {
                out.push(b',');
            }
            out.push(b'{');
            push_player(state, seat, &self.names, out);
        }
        let numbers: [(&[u8], i64); 4] = [
            (b"],\"CurrentRound\":", i64::from(state.round)),
            (b",\"PlayerBounty\":", state.bounty),
            (b",\"MapHeight\":", i64::from(state.side)),
            (b",\"MapWidth\":", i64::from(state.side)),
        ];
        for (label, number) in numbers {
            out.extend_from_slice(label);
            push_number(out, number);
        }
        out.extend_from_slice(b",\"GameBlocks\":[");
    }

    /// Writes all blocks; a run of unchanged ones is copied at once.
    fn push_blocks(&mut self, state: &GameState) {
        let blocks = self.next_looks.len();
        let is_known = self.looks.len() == blocks;
        let mut index = 0;
        while index < blocks {
            let unchanged = if is_known { self.unchanged_from(index) } else { 0 };
            if unchanged > 0 {
                self.copy_blocks(index..index + unchanged);
                index += unchanged;
            } else {
                self.next_starts.push(self.next_text.len());
                push_block(state, index, &self.names, &mut self.next_text);
                index += 1;
            }
        }
        self.next_starts.push(self.next_text.len());
    }

    fn unchanged_from(&self, index: usize) -> usize {
        let looks = self.next_looks[index..].iter().zip(&self.looks[index..]);
        looks.take_while(|(new, old)| new == old && **new != SPECIAL).count()
    }

    fn copy_blocks(&mut self, blocks: std::ops::Range<usize>) {
        let (from, to) = (self.starts[blocks.start], self.starts[blocks.end]);
        let start = self.next_text.len();
        self.next_starts.extend(self.starts[blocks].iter().map(|old| old - from + start));
        self.next_text.extend_from_slice(&self.text[from..to]);
    }
}

/// Writes down the look of each block, column by column.
fn look_at(state: &GameState, looks: &mut Vec<u8>) {
    let side = usize::from(state.side);
    looks.clear();
    looks.resize(side * side, 0);
    for (y, row) in state.blocks.chunks_exact(side).enumerate() {
        for (x, block) in row.iter().enumerate() {
            let power_up = block.open_power_up().map_or(0, |power_up| power_up as u8 + 1);
            looks[x * side + y] = 4 * block.ground as u8 + power_up;
        }
    }
    let mut mark = |square: Square| {
        let number = usize::from(square.0);
        looks[number % side * side + number / side] = SPECIAL;
    };
    state.players.iter().filter(|player| player.on_map).for_each(|player| mark(player.at));
    state.bombs.iter().for_each(|bomb| mark(bomb.at));
    state.blasts.iter().for_each(|blast| mark(blast.at));
}

/// Writes the block of this number, column by column, and the brackets and
/// commas before it.
fn push_block(state: &GameState, index: usize, names: &[Vec<u8>], out: &mut Vec<u8>) {
    let side = usize::from(state.side);
    let square = Square((index % side * side + index / side) as u16);
    let before: &[u8] = match (index % side, index) {
        (0, 0) => b"[",
        (0, _) => b"],[",
        _ => b",",
    };
    out.extend_from_slice(before);
    let player = state.player_on(square);
    out.extend_from_slice(b"{\"Entity\":");
    push_entity(state, square, player, names, out);
    out.extend_from_slice(b",\"Bomb\":");
    match state.bomb_on(square) {
        Some(bomb) => push_bomb(state, bomb, names, out),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"PowerUp\":");
    match state.block(square).open_power_up().filter(|_| player.is_none()) {
        Some(power_up) => push_power_up(state, square, power_up, out),
        None => out.extend_from_slice(b"null"),
    }
    let exploding: &[u8] = if state.is_exploding(square) { b"true" } else { b"false" };
    out.extend_from_slice(b",\"Exploding\":");
    out.extend_from_slice(exploding);
    push_location(state, square, out);
    out.push(b'}');
}

fn push_entity(
    state: &GameState,
    square: Square,
    player: Option<Seat>,
    names: &[Vec<u8>],
    out: &mut Vec<u8>,
) {
    let wall: &[u8] = match (state.block(square).ground, player) {
        (Ground::Free, None) => return out.extend_from_slice(b"null"),
        (Ground::Free, Some(seat)) => {
            out.extend_from_slice(b"{\"$type\":\"Domain.Entities.PlayerEntity, Domain\",");
            return push_player(state, seat, names, out);
        }
        (Ground::Wall, _) => b"Destructible",
        (Ground::Pillar, _) => b"Indestructible",
    };
    out.extend_from_slice(b"{\"$type\":\"Domain.Entities.");
    out.extend_from_slice(wall);
    out.extend_from_slice(b"WallEntity, Domain\"");
    push_location(state, square, out);
    out.push(b'}');
}

/// Writes a player's fields and the closing bracket.
fn push_player(state: &GameState, seat: Seat, names: &[Vec<u8>], out: &mut Vec<u8>) {
    let player = &state.players[seat.index()];
    let name: &[u8] = names.get(seat.index()).map_or(b"\"\"", |name| name);
    out.extend_from_slice(b"\"Name\":");
    out.extend_from_slice(name);
    out.extend_from_slice(b",\"Key\":\"");
    out.push(key(seat) as u8);
    out.extend_from_slice(b"\",\"Points\":");
    push_number(out, player.total_points());
    out.extend_from_slice(b",\"Killed\":");
    out.extend_from_slice(if player.is_alive() { b"false" } else { b"true" });
    out.extend_from_slice(b",\"BombBag\":");
    push_number(out, player.bag);
    out.extend_from_slice(b",\"BombRadius\":");
    push_number(out, player.radius);
    push_location(state, player.at, out);
    out.push(b'}');
}

fn push_bomb(state: &GameState, bomb: &Bomb, names: &[Vec<u8>], out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"Owner\":{");
    push_player(state, bomb.owner, names, out);
    out.extend_from_slice(b",\"BombRadius\":");
    push_number(out, bomb.radius);
    out.extend_from_slice(b",\"BombTimer\":");
    push_number(out, bomb.timer);
    out.extend_from_slice(b",\"IsExploding\":false");
    push_location(state, bomb.at, out);
    out.push(b'}');
}

fn push_power_up(state: &GameState, square: Square, power_up: PowerUp, out: &mut Vec<u8>) {
    let name = match power_up {
        PowerUp::Bag => "BombBagPowerUpEntity",
        PowerUp::Radius => quirks::BOMB_RADIUS_TYPE,
        PowerUp::Super => "SuperPowerUp",
    };
    out.extend_from_slice(b"{\"$type\":\"Domain.Entities.PowerUps.");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b", Domain\"");
    push_location(state, square, out);
    out.push(b'}');
}

fn push_location(state: &GameState, square: Square, out: &mut Vec<u8>) {
    let (x, y) = state.coordinates(square);
    out.extend_from_slice(b",\"Location\":{\"X\":");
    push_number(out, x);
    out.extend_from_slice(b",\"Y\":");
    push_number(out, y);
    out.push(b'}');
}
