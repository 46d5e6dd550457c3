//! The shapes of the recordings. Unknown fields are ignored.

use std::collections::BTreeMap;

use joust_referee::games::uwcs_bomberman::GameState;
use serde::Deserialize;

/// The first line of a recorded game.
#[derive(Debug, Deserialize)]
pub(crate) struct Header {
    pub(crate) format: u32,
    pub(crate) game: String,
    pub(crate) rules: String,
    pub(crate) settings: Settings,
    pub(crate) clients: Vec<Client>,
    pub(crate) map_generated: Vec<String>,
    pub(crate) map: Vec<String>,
    pub(crate) players: Vec<Start>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Settings {
    pub(crate) rows: u16,
    pub(crate) cols: u16,
    pub(crate) max_game_length: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Client {
    pub(crate) client: u32,
    pub(crate) join_tick: Option<u32>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Start {
    pub(crate) client: u32,
    pub(crate) name: String,
    pub(crate) row: i64,
    pub(crate) col: i64,
}

/// Message of a client, and its reply.
#[derive(Debug, Deserialize)]
pub(crate) struct Sent {
    pub(crate) client: u32,
    pub(crate) data: String,
    pub(crate) reply: Vec<String>,
}

/// Any line but the first.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Line {
    Wire { wire: Wire },
    Result { result: Box<GameResult> },
    Phase(Phase),
    Turn(Box<Turn>),
}

#[derive(Debug, Deserialize)]
pub(crate) struct Wire {
    pub(crate) client: u32,
    pub(crate) transcript: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Phase {
    pub(crate) phase: String,
    #[serde(default)]
    pub(crate) commands: Vec<Sent>,
    pub(crate) broadcast: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Turn {
    pub(crate) tick: u32,
    pub(crate) joins: Vec<u32>,
    pub(crate) leaves: Vec<u32>,
    pub(crate) commands: Vec<Sent>,
    pub(crate) broadcast: Vec<String>,
    /// Missing where the server broke.
    #[serde(flatten)]
    pub(crate) evaluated: Option<Evaluated>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Evaluated {
    pub(crate) actions: BTreeMap<String, String>,
    pub(crate) blast: Vec<(i32, i32)>,
    pub(crate) dead: Vec<u32>,
    pub(crate) state: Position,
}

#[derive(Debug, Deserialize)]
pub(crate) struct GameResult {
    pub(crate) ticks: u32,
    pub(crate) reason: String,
    pub(crate) joins: Vec<u32>,
    pub(crate) leaves: Vec<u32>,
    pub(crate) commands: Vec<Sent>,
    pub(crate) scores: Vec<(String, i64)>,
    pub(crate) auth: BTreeMap<String, Totals>,
    pub(crate) broadcast: Vec<String>,
}

#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Totals {
    pub(crate) score: Option<i64>,
    pub(crate) games: Option<u32>,
}

/// The position after a turn, as recorded.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Position {
    pub(crate) players: Vec<Connected>,
    pub(crate) bombs: Vec<(i32, i32, u32)>,
    pub(crate) map: Vec<String>,
}

/// A connection, as recorded.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Connected {
    pub(crate) client: u32,
    pub(crate) status: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) row: Option<i32>,
    pub(crate) col: Option<i32>,
    pub(crate) score: Option<i64>,
}

/// Writes the map down as the recordings do.
pub(crate) fn map_of(state: &GameState) -> Vec<String> {
    let rows = state.map.cells().chunks(usize::from(state.columns));
    rows.map(|row| row.iter().map(|square| char::from(square.digit())).collect()).collect()
}

/// Writes the bombs down as the recordings do.
pub(crate) fn bombs_of(state: &GameState) -> Vec<(i32, i32, u32)> {
    state.bombs().map(|(at, age)| (at.y, at.x, age)).collect()
}

/// Reads a map, blanks between the digits or not, as draws.
pub(crate) fn map_draws(rows: &[String]) -> Vec<i64> {
    let digits = rows.iter().flat_map(|row| row.bytes()).filter(u8::is_ascii_digit);
    digits.map(|digit| i64::from(digit - b'0')).collect()
}
