//! Phoenix knows what the game's README does not tell: a `place.txt` in phase 2 moves
//! the fleet and mends it. When it is nearly sunk it rises again somewhere else.
//!
//! Arguments: the own key and the folder with state.json; the answer is place.txt
//! in phase 1 and command.txt in phase 2, there.

mod json;
mod sea;

use std::{env, fs, path::Path};

use json::Json;
use sea::{Cell, Sea, place};

const SINGLE_SHOT: i32 = 1;
/// Cells of our ships not yet hit at which it is time to rise.
const NEARLY_SUNK: usize = 3;
/// We try to rise in every so many rounds only: where it is forbidden it costs the turn.
const PATIENCE: i32 = 3;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = env::args().collect();
    let [_, key, folder, ..] = &arguments[..] else {
        return Err(std::io::Error::other("usage: phoenix KEY FOLDER"));
    };
    let folder = Path::new(folder);
    let state = Json::read(&fs::read_to_string(folder.join("state.json"))?);
    let seed = env::var("JOUST_SEED").unwrap_or_default();
    let (file, text) = decide(&state, &format!("{seed} {key}"));
    fs::write(folder.join(file), text)
}

/// The name of the file to write and its text.
fn decide(state: &Json, seed: &str) -> (&'static str, String) {
    let round = state.get("Round").integer();
    let luck = noise(&format!("{seed} {round}"));
    if state.get("Phase").integer() == 1 || round % PATIENCE == 0 && is_nearly_sunk(state) {
        let mut rolls = 0_u32;
        let roll = |sides: i32| {
            rolls += 1;
            (noise(&format!("{luck} {rolls}")) % sides as u32) as i32
        };
        return ("place.txt", place(state.get("MapDimension").integer(), roll));
    }
    let target = Sea::read(state).targets(|cell: Cell| noise(&format!("{luck} {} {}", cell.0, cell.1)));
    let (x, y) = target.unwrap_or((0, 0));
    ("command.txt", format!("{SINGLE_SHOT},{x},{y}\n"))
}

fn is_nearly_sunk(state: &Json) -> bool {
    let cells = state.get("PlayerMap").get("Cells").items();
    let whole = cells.iter().filter(|cell| cell.get("Occupied").is_true() && !cell.get("Hit").is_true());
    whole.count() <= NEARLY_SUNK
}

/// FNV-1a: repeatable, but different from bout to bout and from round to round.
fn noise(text: &str) -> u32 {
    let sum = text.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    (sum ^ (sum >> 15)).wrapping_mul(0x2c1b_3c6d) >> 4
}
