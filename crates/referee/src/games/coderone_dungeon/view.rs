//! View of a seat: the bytes from which its host makes the objects `game_state` and
//! `player_state`.

use super::{BlockKind, GameState, Spot};
use crate::Seat;
use crate::bytes::push_number;

/// The part that everybody sees.
pub(super) const GAME_STATE: &str = "game_state.json";

/// The part that only the seat itself sees.
pub(super) const PLAYER_STATE: &str = "player_state.json";

pub(super) const METAL_TAG: &str = "ib";

/// Renders what every agent sees after a tick.
///
/// Shape: one JSON object without blanks and with these keys in this order.
/// `tick_number`: the number of the tick just played. `is_over`: whether the
/// game is over. `size`: columns and rows. `players`: squares in the order of
/// the players' numbers, dead ones included. `blocks`: runs of equal tags in
/// the order agents see, each `[tag, squares]` with the tag `ib`, `sb` or `ob`.
/// `ammo`, `treasure`, `bombs`: squares, oldest first.
///
/// Squares are one text: per square two lower-case hex digits for the column
/// and two for the row, counted from the bottom. Fire, hit points of blocks and
/// timers are not shown to anybody.
pub fn game_state(state: &GameState) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    put(&mut out, "{\"tick_number\":");
    push_number(&mut out, i64::from(state.tick.wrapping_sub(1)));
    put(&mut out, if state.is_over { ",\"is_over\":true" } else { ",\"is_over\":false" });
    put(&mut out, ",\"size\":[");
    push_number(&mut out, i64::from(state.columns));
    put(&mut out, ",");
    push_number(&mut out, i64::from(state.rows));
    put(&mut out, "]");
    list(&mut out, "players", state.players.iter().map(|player| player.at));
    blocks(&mut out, state);
    list(&mut out, "ammo", state.ammo.iter().map(|ammo| ammo.at));
    list(&mut out, "treasure", state.treasure.iter().map(|treasure| treasure.at));
    list(&mut out, "bombs", state.bombs.iter().map(|bomb| bomb.at));
    put(&mut out, "}");
    out
}

/// Renders what the agent in `seat` sees of its own player.
///
/// Shape: one JSON object, `{"id":0,"ammo":3,"hp":3,"location":"0405",
/// "reward":0,"power":2}` without blanks; the location is a square as in
/// [`game_state`]. A seat that does not play sees nothing.
pub fn player_state(state: &GameState, seat: Seat) -> Vec<u8> {
    let Some(player) = state.players.get(seat.index()) else { return Vec::new() };
    let mut out = Vec::with_capacity(96);
    let numbers = [
        ("{\"id\":", i64::from(seat.0)),
        (",\"ammo\":", i64::from(player.ammo)),
        (",\"hp\":", i64::from(player.hp)),
    ];
    numbers.into_iter().for_each(|(key, value)| field(&mut out, key, value));
    list(&mut out, "location", [player.at].into_iter());
    field(&mut out, ",\"reward\":", player.reward);
    field(&mut out, ",\"power\":", i64::from(player.power));
    put(&mut out, "}");
    out
}

fn blocks(out: &mut Vec<u8>, state: &GameState) {
    put(out, ",\"blocks\":[");
    run(out, METAL_TAG, state.metal.iter().copied());
    let mut rest = &state.blocks[..];
    while let Some(first) = rest.first() {
        let kind: BlockKind = first.kind;
        let length = rest.iter().take_while(|block| block.kind == kind).count();
        put(out, ",");
        run(out, kind.tag(), rest[..length].iter().map(|block| block.at));
        rest = &rest[length..];
    }
    put(out, "]");
}

fn run(out: &mut Vec<u8>, tag: &str, squares: impl Iterator<Item = Spot>) {
    put(out, "[\"");
    put(out, tag);
    put(out, "\",\"");
    squares.for_each(|at| square(out, at));
    put(out, "\"]");
}

fn list(out: &mut Vec<u8>, key: &str, squares: impl Iterator<Item = Spot>) {
    put(out, ",\"");
    put(out, key);
    put(out, "\":\"");
    squares.for_each(|at| square(out, at));
    put(out, "\"");
}

fn square(out: &mut Vec<u8>, at: Spot) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for value in [at.x, at.y] {
        let byte = value as u8;
        out.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

fn field(out: &mut Vec<u8>, key: &str, value: i64) {
    put(out, key);
    push_number(out, value);
}

fn put(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}
