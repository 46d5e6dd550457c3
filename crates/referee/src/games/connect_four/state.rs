//! A position: the discs on the board.

use crate::{Point, Seat};

/// A position. Whose turn it is follows from the number of discs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameState {
    /// Owners of the discs of each column, the lowest first.
    pub(super) columns: Vec<Vec<Seat>>,
    pub(super) rows: usize,
}

impl GameState {
    /// Makes an empty board, the first position. Nothing in this game is drawn by lot.
    pub fn empty(columns: usize, rows: usize) -> Self {
        Self { columns: vec![Vec::with_capacity(rows); columns], rows }
    }

    /// Returns how many columns the board has.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Returns how many rows the board has.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns how many discs are on the board.
    pub fn discs(&self) -> u32 {
        u32::try_from(self.columns.iter().map(Vec::len).sum::<usize>()).unwrap_or(u32::MAX)
    }

    /// Returns the seat that drops the next disc: seat 0 drops the first one.
    pub fn turn(&self) -> Seat {
        Seat(u8::from(self.discs() % 2 == 1))
    }

    /// Returns whether a disc fits into `column`, counted from 0.
    pub fn has_room(&self, column: usize) -> bool {
        self.columns.get(column).is_some_and(|discs| discs.len() < self.rows)
    }

    /// Returns the leftmost column into which a disc fits, if the board is not full.
    pub fn leftmost_free(&self) -> Option<usize> {
        (0..self.columns()).find(|column| self.has_room(*column))
    }

    /// Returns whose disc is on a square; row 0 is the top one.
    pub fn disc(&self, at: Point) -> Option<Seat> {
        let column = self.columns.get(usize::try_from(at.x).ok()?)?;
        let height = self.rows.checked_sub(1 + usize::try_from(at.y).ok()?)?;
        column.get(height).copied()
    }

    /// Appends the position's canonical bytes, which are also what bots see of it.
    ///
    /// Shape: one line for each row, the top one first; one character for each
    /// column: `.` empty, `0` or `1` the seat whose disc it is. Every line ends with
    /// `\n`.
    pub fn write_board(&self, out: &mut Vec<u8>) {
        for y in 0..self.rows {
            out.extend((0..self.columns()).map(|x| match self.disc(square(x, y)) {
                Some(seat) => b'0' + seat.0,
                None => b'.',
            }));
            out.push(b'\n');
        }
    }
}

/// Returns the square in this column and row. A board has at most 20 of each.
pub(super) fn square(x: usize, y: usize) -> Point {
    Point { x: x as i32, y: y as i32 }
}
