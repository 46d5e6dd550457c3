//! The position as a [`Scene`].

use super::GameState;
use super::state::square;
use crate::{Cell, Colour, Kind, Layer, Mark, Point, Scene, Seat, Text};

/// Drawing of a position, with the names of the players in seat order and the square on which
/// the last disc fell.
pub(super) struct Picture<'a> {
    pub(super) state: &'a GameState,
    pub(super) names: [&'a str; 2],
    pub(super) last: Option<Point>,
}

impl Picture<'_> {
    /// Draws it: the numbers of the columns above the board, discs in the colours and
    /// with the numbers of their seats.
    pub(super) fn scene(&self) -> Scene {
        Scene {
            width: length(self.state.columns()),
            height: length(self.state.rows() + 1),
            layers: vec![self.board(), self.discs()],
            marks: self.last_mark().into_iter().collect(),
            texts: self.texts(),
            ..Scene::default()
        }
    }

    fn board(&self) -> Layer {
        let (columns, rows) = (self.state.columns(), self.state.rows());
        let floor = Some(Cell::new(Kind::Floor, '.', Colour::Dim));
        let numbers = (0..columns).map(|column| Some(column_number(column)));
        Layer::new("board", numbers.chain((0..columns * rows).map(|_| floor)).collect())
    }

    fn discs(&self) -> Layer {
        let columns = self.state.columns();
        let above = (0..columns).map(|_| None);
        let squares = (0..self.state.rows()).flat_map(|y| (0..columns).map(move |x| square(x, y)));
        let discs = squares.map(|at| self.state.disc(at).map(disc));
        Layer::new("discs", above.chain(discs).collect())
    }

    fn last_mark(&self) -> Option<Mark> {
        let at = self.last?;
        let seat = self.state.disc(at)?;
        let (x, y) = (u16::try_from(at.x).ok()?, u16::try_from(at.y).ok()?);
        let label = format!("last disc, {}", self.names[seat.index()]);
        Some(Mark::new((x, y + 1), disc(seat), label))
    }

    fn texts(&self) -> Vec<Text> {
        let discs = self.state.discs();
        let mut texts = vec![Text::place("round", discs)];
        for (seat, name) in (0_u8..).zip(self.names) {
            let own = (discs + 1 - u32::from(seat)) / 2;
            texts.push(Text::new(Colour::Seat(seat), format!("{seat} {name} discs={own}")));
        }
        if let Some(last) = self.last {
            texts.push(Text::new(Colour::Plain, format!("last disc in column {}", last.x)));
        }
        texts
    }
}

fn disc(seat: Seat) -> Cell {
    Cell::new(Kind::Disc, char::from(b'0' + seat.0), Colour::Seat(seat.0))
}

/// The last digit stands for a column's number.
fn column_number(column: usize) -> Cell {
    let digit = b'0' + (column % 10) as u8;
    Cell::new(Kind::Sign, char::from(digit), Colour::Plain)
}

/// A board has at most 20 columns and rows.
fn length(squares: usize) -> u16 {
    squares as u16
}
