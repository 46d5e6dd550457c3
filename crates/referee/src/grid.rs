//! Squares, directions and boards.

use crate::named::named;

/// A square: column `x` from 0 growing to the east, row `y` from 0 growing to the south.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    /// Column.
    pub x: i32,
    /// Row.
    pub y: i32,
}

impl Point {
    /// Returns the neighbouring square in `direction`; it may lie outside a board.
    #[must_use]
    pub fn step(self, direction: Direction) -> Self {
        let (dx, dy) = direction.delta();
        Self { x: self.x + dx, y: self.y + dy }
    }

    /// Returns the Chebyshev distance: moves of a chess king.
    #[must_use]
    pub fn distance(self, other: Self) -> i32 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }
}

named! {
    /// One of the eight compass directions.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Direction {
        /// North: y decreases.
        N = "N",
        /// North-east.
        NE = "NE",
        /// East: x increases.
        E = "E",
        /// South-east.
        SE = "SE",
        /// South: y increases.
        S = "S",
        /// South-west.
        SW = "SW",
        /// West: x decreases.
        W = "W",
        /// North-west.
        NW = "NW",
    }
}

impl Direction {
    /// Returns the change of column and row.
    #[must_use]
    pub fn delta(self) -> (i32, i32) {
        match self {
            Self::N => (0, -1),
            Self::NE => (1, -1),
            Self::E => (1, 0),
            Self::SE => (1, 1),
            Self::S => (0, 1),
            Self::SW => (-1, 1),
            Self::W => (-1, 0),
            Self::NW => (-1, -1),
        }
    }
}

/// A board of `width` columns and `height` rows, stored row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid<T> {
    width: usize,
    cells: Vec<T>,
}

impl<T: Clone> Grid<T> {
    /// Makes a board filled with `value`.
    pub fn filled(width: usize, height: usize, value: T) -> Self {
        Self { width, cells: vec![value; width * height] }
    }

    /// Returns the value at `point`, if it lies on the board.
    pub fn get(&self, point: Point) -> Option<&T> {
        self.index(point).map(|index| &self.cells[index])
    }

    /// Sets the value at `point`; outside the board nothing happens.
    pub fn set(&mut self, point: Point, value: T) {
        if let Some(index) = self.index(point) {
            self.cells[index] = value;
        }
    }

    /// Returns all values row by row.
    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    fn index(&self, point: Point) -> Option<usize> {
        let (x, y) = (usize::try_from(point.x).ok()?, usize::try_from(point.y).ok()?);
        let inside = x < self.width && y < self.cells.len() / self.width.max(1);
        inside.then_some(y * self.width + x)
    }
}
