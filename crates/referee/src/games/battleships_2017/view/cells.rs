//! Cell JSON, prepared once: most of what a `state.json` is.

use std::sync::LazyLock;

use super::super::{Board, Cell};
use super::push;

/// The largest map's side.
const SIDE: u8 = 14;

/// The texts of every cell in every condition, each with a comma after it.
struct Texts {
    bytes: Vec<u8>,
    /// Start of each text, by condition, then column, then row; and the end.
    starts: Vec<usize>,
}

impl Texts {
    fn new(conditions: u8, write: fn(u8, (u8, u8), &mut Vec<u8>)) -> Self {
        let mut texts = Self { bytes: Vec::new(), starts: vec![0] };
        for condition in 0..conditions {
            for (x, y) in (0..SIDE).flat_map(|x| (0..SIDE).map(move |y| (x, y))) {
                write(condition, (x, y), &mut texts.bytes);
                texts.bytes.push(b',');
                texts.starts.push(texts.bytes.len());
            }
        }
        texts
    }

    fn of(&self, condition: usize, (x, y): (u8, u8)) -> &[u8] {
        let side = usize::from(SIDE);
        let index = (condition * side + usize::from(x)) * side + usize::from(y);
        &self.bytes[self.starts[index]..self.starts[index + 1]]
    }
}

/// A condition is the sum of 1 occupied, 2 hit, 4 shielded, 8 shield hit.
static OWN: LazyLock<Texts> = LazyLock::new(|| {
    Texts::new(16, |condition, (x, y), out| {
        let has = |bit: u8| condition & bit != 0;
        push!(out, "{\"Occupied\":", has(1), ",\"Hit\":", has(2), ",\"X\":", x, ",\"Y\":", y);
        push!(out, ",\"Shielded\":", has(4), ",\"ShieldHit\":", has(8), "}");
    })
});

/// A condition is the sum of 1 damaged, 2 missed, 4 shield hit.
static OPPONENT: LazyLock<Texts> = LazyLock::new(|| {
    Texts::new(8, |condition, (x, y), out| {
        let has = |bit: u8| condition & bit != 0;
        push!(out, "{\"Damaged\":", has(1), ",\"Missed\":", has(2), ",\"X\":", x, ",\"Y\":", y);
        push!(out, ",\"ShieldHit\":", has(4), "}");
    })
});

/// Appends one cell as its owner sees it.
pub(super) fn write_own(board: &Board, number: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(own_text(&OWN, board, number));
    out.pop();
}

/// Appends the list of all cells as the owner sees them.
pub(super) fn write_all_own(board: &Board, out: &mut Vec<u8>) {
    write_all(board, out, &OWN, own_text);
}

/// Appends the list of all cells as the opponent sees them.
pub(super) fn write_all_opponent(board: &Board, out: &mut Vec<u8>) {
    write_all(board, out, &OPPONENT, opponent_text);
}

fn write_all(
    board: &Board,
    out: &mut Vec<u8>,
    texts: &'static Texts,
    text: fn(&'static Texts, &Board, u8) -> &'static [u8],
) {
    out.push(b'[');
    for number in 0..board.side() * board.side() {
        out.extend_from_slice(text(texts, board, number));
    }
    out.pop();
    out.push(b']');
}

fn own_text(texts: &'static Texts, board: &Board, number: u8) -> &'static [u8] {
    let Cell { ship, hit, shielded, shield_hit } = board.cell(number);
    let condition = usize::from(ship.is_some())
        + 2 * usize::from(hit)
        + 4 * usize::from(shielded)
        + 8 * usize::from(shield_hit);
    texts.of(condition, (number / board.side(), number % board.side()))
}

fn opponent_text(texts: &'static Texts, board: &Board, number: u8) -> &'static [u8] {
    let Cell { ship, hit, shield_hit, .. } = board.cell(number);
    let damaged = hit && ship.is_some();
    let missed = hit && ship.is_none();
    let condition = usize::from(damaged) + 2 * usize::from(missed) + 4 * usize::from(shield_hit);
    texts.of(condition, (number / board.side(), number % board.side()))
}
