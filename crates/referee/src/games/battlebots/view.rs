//! View of a seat: exactly the bytes its bot is shown.

use super::{ARENA_SQUARES, GameState, Projectile, Rules};
use crate::bytes::push_number;
use crate::{Point, Seat};

const LINE_BYTES: usize = ARENA_SQUARES as usize + 1;
const GRID_BYTES: usize = LINE_BYTES * ARENA_SQUARES as usize;

const EMPTY_GRID: [u8; GRID_BYTES] = {
    let mut grid = [b'.'; GRID_BYTES];
    let mut row = 1;
    while row <= ARENA_SQUARES as usize {
        grid[row * LINE_BYTES - 1] = b'\n';
        row += 1;
    }
    grid
};

/// Appends the arena as `seat` sees it.
///
/// Shape: ten lines of ten ASCII characters, row 0 at the top: `.` empty, `L`
/// landmine, `B` bullet, `M` missile, `Y` the viewer, `X` the other bot; of
/// several things on a square the last of this list is shown. Then `Y hp=<n>`
/// and `X hp=<n>`, one line per bullet and one per missile, `B x=1 y=4 dir=S`,
/// one line per landmine, `L x=6 y=0`. Every line ends with `\n`. Under
/// `original` landmines are neither drawn nor listed.
pub fn render(state: &GameState, rules: Rules, seat: Seat, out: &mut Vec<u8>) {
    let viewer = seat.index().min(1);
    let (you, other) = (&state.bots[viewer], &state.bots[1 - viewer]);
    let start = out.len();
    out.extend_from_slice(&EMPTY_GRID);
    let grid = &mut out[start..];
    paint_things(grid, state, rules);
    paint(grid, you.at, b'Y');
    paint(grid, other.at, b'X');
    push_stat(out, b"Y hp=", you.hp);
    push_stat(out, b"X hp=", other.hp);
    list_things(out, state, rules);
}

fn paint_things(grid: &mut [u8], state: &GameState, rules: Rules) {
    if rules.shows_mines() {
        state.mines.iter().for_each(|mine| paint(grid, mine.at, b'L'));
    }
    state.bullets.iter().for_each(|bullet| paint(grid, bullet.at, b'B'));
    state.missiles.iter().for_each(|missile| paint(grid, missile.at, b'M'));
}

fn paint(grid: &mut [u8], at: Point, symbol: u8) {
    let arena = 0..ARENA_SQUARES;
    if arena.contains(&at.x) && arena.contains(&at.y) {
        grid[at.y as usize * LINE_BYTES + at.x as usize] = symbol;
    }
}

fn list_things(out: &mut Vec<u8>, state: &GameState, rules: Rules) {
    state.bullets.iter().for_each(|bullet| push_projectile(out, b'B', bullet));
    state.missiles.iter().for_each(|missile| push_projectile(out, b'M', missile));
    if rules.shows_mines() {
        for mine in &state.mines {
            push_place(out, b'L', mine.at);
            out.push(b'\n');
        }
    }
}

fn push_projectile(out: &mut Vec<u8>, symbol: u8, projectile: &Projectile) {
    push_place(out, symbol, projectile.at);
    out.extend_from_slice(b" dir=");
    out.extend_from_slice(projectile.direction.name().as_bytes());
    out.push(b'\n');
}

fn push_place(out: &mut Vec<u8>, symbol: u8, at: Point) {
    out.push(symbol);
    out.extend_from_slice(b" x=");
    push_number(out, at.x);
    out.extend_from_slice(b" y=");
    push_number(out, at.y);
}

fn push_stat(out: &mut Vec<u8>, label: &[u8], hp: i32) {
    out.extend_from_slice(label);
    push_number(out, hp);
    out.push(b'\n');
}
