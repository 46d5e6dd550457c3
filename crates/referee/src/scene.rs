//! A position as something to draw: the terminal, the report's viewer and any
//! later front end draw every game from it.

/// A colour by meaning, so that each front end can choose its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Ordinary text.
    Plain,
    /// Of little importance: empty squares, walls.
    Dim,
    /// Belongs to the seat of this number.
    Seat(u8),
    /// Dangerous: explosions, projectiles.
    Danger,
    /// Useful: power-ups.
    Bonus,
}

/// What fills one square of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The character that stands for it.
    pub symbol: char,
    /// Its colour.
    pub colour: Colour,
}

/// Something on a square, on top of the layers, with a word for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Column, from 0 at the left.
    pub x: u16,
    /// Row, from 0 at the top.
    pub y: u16,
    /// What is drawn.
    pub cell: Cell,
    /// What it is, for a legend or a tooltip.
    pub label: String,
}

/// A full grid of cells; `None` lets the layer below show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// What the layer holds.
    pub name: &'static str,
    /// Row by row, `width * height` cells.
    pub cells: Vec<Option<Cell>>,
}

/// A position to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Columns.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Layers from bottom to top.
    pub layers: Vec<Layer>,
    /// Single things on top, later ones win.
    pub marks: Vec<Mark>,
    /// Lines beside the board: hit points, scores, counters.
    pub texts: Vec<(Colour, String)>,
}

impl Scene {
    /// Returns the topmost cell at column `x`, row `y`.
    #[must_use]
    pub fn top(&self, x: u16, y: u16) -> Option<Cell> {
        let mark = self.marks.iter().rev().find(|mark| mark.x == x && mark.y == y);
        if let Some(mark) = mark {
            return Some(mark.cell);
        }
        let index = usize::from(y) * usize::from(self.width) + usize::from(x);
        self.layers.iter().rev().find_map(|layer| layer.cells.get(index).copied().flatten())
    }
}
