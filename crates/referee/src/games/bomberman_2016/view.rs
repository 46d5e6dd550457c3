//! View of a round: `state.json` and `map.txt`, the same bytes for all bots.

mod state_json;

pub use state_json::StateJson;

use std::sync::Arc;

use super::{GameState, Ground, LineEndings, PowerUp, Square, quirks};
use crate::bytes::push_number;
use crate::{Part, Parts, Seat};

/// The files of a round, rendered once and shared by all seats.
#[derive(Clone, Debug)]
pub struct Views {
    names: Vec<String>,
    line_endings: LineEndings,
    state_json: StateJson,
    state_name: Arc<str>,
    map_name: Arc<str>,
    map: Vec<u8>,
}

impl Views {
    /// Prepares for players of these names, in seat order.
    pub fn new(names: &[String], line_endings: LineEndings) -> Self {
        Self {
            names: names.to_vec(),
            line_endings,
            state_json: StateJson::new(names),
            state_name: Arc::from("state.json"),
            map_name: Arc::from("map.txt"),
            map: Vec::new(),
        }
    }

    /// Renders both files of the position, `state.json` first.
    pub fn render(&mut self, state: &GameState) -> Parts {
        let state_json = Arc::from(self.state_json.render(state));
        self.map.clear();
        render_map(state, &self.names, self.line_endings, &mut self.map);
        let map = Arc::from(&self.map[..]);
        Parts(vec![
            Part { name: self.state_name.clone(), bytes: state_json },
            Part { name: self.map_name.clone(), bytes: map },
        ])
    }
}

/// Returns the key of a seat: `A` for the first.
///
/// Source: [Players](crate::docs::bomberman_2016#players).
pub fn key(seat: Seat) -> char {
    char::from(b'A'.saturating_add(seat.0))
}

const RULE: &[u8] = b"---------------------------";

/// Appends `map.txt`: the map as characters and a block of lines per player.
///
/// Shape: a line of numbers, `side` rows of `side` symbols, nine lines per
/// player in seat order. Every line ends as `line_endings` says. `names` are the
/// players' names in seat order.
pub(super) fn render_map(
    state: &GameState,
    names: &[String],
    line_endings: LineEndings,
    out: &mut Vec<u8>,
) {
    let end = line_endings.bytes();
    push_header(state, end, out);
    push_rows(state, end, out);
    for (seat, name) in (0..state.players.len()).map(|seat| Seat(seat as u8)).zip(names) {
        push_player(state, (seat, name), end, out);
    }
}

fn push_header(state: &GameState, end: &[u8], out: &mut Vec<u8>) {
    let numbers: [(&[u8], i64); 5] = [
        (b"Map Width: ", i64::from(state.side)),
        (b", Map Height: ", i64::from(state.side)),
        (b", Current Round: ", i64::from(state.round)),
        (b", Seed: ", i64::from(state.seed)),
        (b", PlayerBounty: ", state.bounty),
    ];
    for (label, number) in numbers {
        out.extend_from_slice(label);
        push_number(out, number);
    }
    out.extend_from_slice(end);
}

/// Paints the rows: what lies on the ground first, then what covers it.
fn push_rows(state: &GameState, end: &[u8], out: &mut Vec<u8>) {
    let side = usize::from(state.side);
    let (start, line) = (out.len(), side + end.len());
    for row in state.blocks.chunks_exact(side) {
        out.extend(row.iter().map(|block| symbol_of_ground(block.ground, block.open_power_up())));
        out.extend_from_slice(end);
    }
    let rows = &mut out[start..];
    let mut paint = |square: Square, symbol: u8| {
        let number = usize::from(square.0);
        rows[number / side * line + number % side] = symbol;
    };
    for (seat, player) in (0..).map(Seat).zip(&state.players) {
        if player.on_map {
            paint(player.at, key(seat) as u8);
        }
    }
    for bomb in &state.bombs {
        let is_under_owner = state.players[bomb.owner.index()].at == bomb.at;
        let timer = quirks::digit_of_a_bomb(bomb.timer);
        let owner = key(bomb.owner).to_ascii_lowercase() as u8;
        paint(bomb.at, if is_under_owner { owner } else { timer });
    }
    for blast in &state.blasts {
        paint(blast.at, b'*');
    }
}

fn symbol_of_ground(ground: Ground, open: Option<PowerUp>) -> u8 {
    match (ground, open) {
        (Ground::Pillar, _) => b'#',
        (Ground::Wall, _) => b'+',
        (Ground::Free, Some(power_up)) => symbol_of(power_up),
        (Ground::Free, None) => b' ',
    }
}

/// Returns the symbol of a power-up.
pub(super) fn symbol_of(power_up: PowerUp) -> u8 {
    match power_up {
        PowerUp::Bag => b'&',
        PowerUp::Radius => b'!',
        PowerUp::Super => b'$',
    }
}

fn push_player(state: &GameState, (seat, name): (Seat, &str), end: &[u8], out: &mut Vec<u8>) {
    let player = &state.players[seat.index()];
    let status: &[u8] = if player.is_alive() { b"Alive" } else { b"Dead" };
    out.extend_from_slice(RULE);
    out.extend_from_slice(end);
    push_line(out, b"Player Name: ", name.as_bytes(), end);
    push_line(out, b"Key: ", &[key(seat) as u8], end);
    push_count(out, b"Points: ", player.total_points(), end);
    push_line(out, b"Status: ", status, end);
    out.extend_from_slice(b"Bombs: ");
    push_bombs(state, seat, out);
    out.extend_from_slice(end);
    let left = quirks::bag_in_map_txt(player.bag, state.bombs_of(seat));
    push_count(out, b"BombBag: ", left, end);
    push_count(out, b"BlastRadius: ", i64::from(player.radius), end);
    push_line(out, RULE, b"", end);
}

fn push_bombs(state: &GameState, seat: Seat, out: &mut Vec<u8>) {
    let own = state.bombs.iter().filter(|bomb| bomb.owner == seat);
    for (index, bomb) in own.enumerate() {
        let (x, y) = state.coordinates(bomb.at);
        out.extend_from_slice(if index == 0 { b"{x:" } else { b",{x:" });
        push_number(out, x);
        out.extend_from_slice(b",y:");
        push_number(out, y);
        out.extend_from_slice(b",fuse:");
        push_number(out, bomb.timer);
        out.extend_from_slice(b",radius:");
        push_number(out, bomb.radius);
        out.push(b'}');
    }
}

fn push_line(out: &mut Vec<u8>, label: &[u8], text: &[u8], end: &[u8]) {
    out.extend_from_slice(label);
    out.extend_from_slice(text);
    out.extend_from_slice(end);
}

fn push_count(out: &mut Vec<u8>, label: &[u8], number: i64, end: &[u8]) {
    out.extend_from_slice(label);
    push_number(out, number);
    out.extend_from_slice(end);
}
