//! A position in the terminal, readable with and without colour.

use std::fmt::Write;

use joust_orchestrator::model::escaped;
use joust_referee::{Cell, Colour, Scene};

/// Whether colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Colours,
    Plain,
}

impl Ink {
    pub(crate) fn when(colours: bool) -> Self {
        if colours { Self::Colours } else { Self::Plain }
    }
}

/// Returns the position as lines, the texts beside the board.
pub(crate) fn draw(scene: &Scene, ink: Ink) -> String {
    let mut lines = Vec::new();
    for y in 0..scene.height {
        let mut line = String::new();
        for x in 0..scene.width {
            push_cell(&mut line, scene.top(x, y), ink);
            line.push(' ');
        }
        lines.push(line);
    }
    let blank = " ".repeat(usize::from(scene.width) * 2);
    for (row, line) in scene.texts.iter().enumerate() {
        if row >= lines.len() {
            lines.push(blank.clone());
        }
        let _ = write!(lines[row], "  {}", painted(line.colour, &escaped(&line.text), ink));
    }
    let mut drawing = String::new();
    for line in lines {
        drawing.push_str(line.trim_end());
        drawing.push('\n');
    }
    drawing
}

fn push_cell(line: &mut String, cell: Option<Cell>, ink: Ink) {
    match cell {
        None => line.push(' '),
        Some(cell) => line.push_str(&painted(cell.colour, &cell.symbol.to_string(), ink)),
    }
}

fn painted(colour: Colour, text: &str, ink: Ink) -> String {
    let code = match (ink, colour) {
        (Ink::Plain, _) | (_, Colour::Plain) => return text.to_owned(),
        (_, Colour::Dim) => "2",
        (_, Colour::Danger) => "1;31",
        (_, Colour::Bonus) => "1;33",
        (_, Colour::Seat(seat)) => SEATS[usize::from(seat) % SEATS.len()],
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Bold colours that are told apart on dark and light grounds.
const SEATS: [&str; 6] = ["1;36", "1;35", "1;32", "1;34", "1;33", "1;31"];
