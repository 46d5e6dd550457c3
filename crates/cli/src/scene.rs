//! A position in the terminal, readable with and without colour.

use std::fmt::Write;

use joust_model::escaped;
use joust_referee::{Cell, Colour, Scene, SceneLine};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Choice to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColorMode {
    Colours,
    Plain,
}

impl ColorMode {
    pub(crate) fn when(colours: bool) -> Self {
        if colours { Self::Colours } else { Self::Plain }
    }
}

/// Columns that a text beside a board needs to be readable; narrower ones stand
/// under the board.
const NARROWEST_TEXT: usize = 20;
/// Beginning of the rest of a text that is broken.
const INDENT: &str = "  ";

/// Returns the position with a text's line ends, for a terminal as wide as needed.
pub(crate) fn draw(scene: &Scene, colors: ColorMode) -> String {
    text(scene, colors, usize::MAX)
}

/// Returns the position as a text of lines no wider than `width` columns.
pub(crate) fn text(scene: &Scene, colors: ColorMode, width: usize) -> String {
    lines(scene, colors, width).iter().map(|line| format!("{line}\n")).collect()
}

/// Returns the position as lines, the texts beside the board. No line is wider than
/// `width` columns, unless the board is.
pub(crate) fn lines(scene: &Scene, colors: ColorMode, width: usize) -> Vec<String> {
    let board = usize::from(scene.width) * 2;
    let mut lines: Vec<String> = (0..scene.height).map(|y| row(scene, y, colors)).collect();
    let beside = width.saturating_sub(board + 2);
    let is_beside = beside >= NARROWEST_TEXT;
    let room = if is_beside { beside } else { width };
    let mut number = if is_beside { 0 } else { lines.len() };
    for (colour, text) in texts(scene) {
        for part in broken(&escaped(&text), room) {
            if number >= lines.len() {
                lines.push(if is_beside { " ".repeat(board) } else { String::new() });
            }
            let gap = if is_beside { "  " } else { "" };
            let _ = write!(lines[number], "{gap}{}", painted(colour, &part, colors));
            number += 1;
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// The most messages that are shown.
const LINES: usize = 8;

/// Returns the texts beside the board: its own, and descriptions of things that only a screen can
/// draw.
fn texts(scene: &Scene) -> Vec<(Colour, String)> {
    let mut texts: Vec<_> =
        scene.texts.iter().map(|text| (text.colour, text.text.clone())).collect();
    let line = |line: &SceneLine| {
        let ((from_x, from_y), (to_x, to_y)) = (line.from, line.to);
        (line.colour, format!("line from {from_x},{from_y} to {to_x},{to_y}"))
    };
    texts.extend(scene.lines.iter().take(LINES).map(line));
    if let Some(more) = scene.lines.len().checked_sub(LINES + 1) {
        texts.push((Colour::Dim, format!("and {} more lines", more + 1)));
    }
    if scene.picture.is_some() {
        texts.push((Colour::Dim, "the referee drew a picture: `--html` shows it".to_owned()));
    }
    texts
}

fn row(scene: &Scene, y: u16, colors: ColorMode) -> String {
    let mut line = String::new();
    for x in 0..scene.width {
        push_cell(&mut line, scene.top(x, y), colors);
        line.push(' ');
    }
    line
}

/// Breaks a text into parts of at most `room` columns, between words where it can.
pub(crate) fn broken(text: &str, room: usize) -> Vec<String> {
    let (mut parts, mut part) = (Vec::new(), TextPart::default());
    for word in text.split_inclusive(' ') {
        let wide = word.trim_end().chars().map(columns).sum::<usize>();
        if part.wide + wide > room && !part.text.trim().is_empty() {
            parts.push(part.take());
        }
        for character in word.chars() {
            if part.wide + columns(character) > room && character != ' ' {
                parts.push(part.take());
            }
            part.text.push(character);
            part.wide += columns(character);
        }
    }
    parts.push(part.text.trim_end().to_owned());
    parts
}

/// A part of a text that is broken. Its width is kept, as measuring it for each character takes
/// minutes where a line is long.
#[derive(Default)]
struct TextPart {
    text: String,
    wide: usize,
}

impl TextPart {
    /// Returns the current part, and starts the next one.
    fn take(&mut self) -> String {
        let taken = self.text.trim_end().to_owned();
        INDENT.clone_into(&mut self.text);
        self.wide = INDENT.len();
        taken
    }
}

/// Returns how many columns a character takes.
fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// Returns as much of a text without colours as fits into `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut wide = 0;
    let fits = |character: &char| {
        wide += columns(*character);
        wide < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

fn push_cell(line: &mut String, cell: Option<Cell>, colors: ColorMode) {
    match cell {
        None => line.push(' '),
        Some(cell) => line.push_str(&painted(cell.colour, &cell.symbol.to_string(), colors)),
    }
}

fn painted(colour: Colour, text: &str, colors: ColorMode) -> String {
    let code = match (colors, colour) {
        (ColorMode::Plain, _) | (_, Colour::Plain) => return text.to_owned(),
        (_, Colour::Dim) => "2",
        (_, Colour::Danger) => "1;31",
        (_, Colour::Bonus) => "1;33",
        (_, Colour::Seat(seat)) => SEATS[usize::from(seat) % SEATS.len()],
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Bold colours that can be distinguished on dark and light grounds.
const SEATS: [&str; 6] = ["1;36", "1;35", "1;32", "1;34", "1;33", "1;31"];

#[cfg(test)]
mod tests {
    use joust_referee::{Kind, Layer, Text, VisibleTo};

    use super::*;

    fn scene(width: u16, texts: &[&str]) -> Scene {
        let floor = Cell::new(Kind::Floor, '.', Colour::Plain);
        Scene {
            width,
            height: 2,
            layers: vec![Layer::new("map", vec![Some(floor); usize::from(width) * 2])],
            marks: Vec::new(),
            texts: texts.iter().map(|text| Text::new(Colour::Danger, *text)).collect(),
            ..Scene::default()
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_broken_beside_the_board() {
        let scene = scene(3, &["one two three four five", "six"]);
        let expected = [". . .   one two three four", ". . .     five", "        six"];
        assert_eq!(lines(&scene, ColorMode::Plain, 28), expected);
        assert_eq!(
            lines(&scene, ColorMode::Plain, usize::MAX)[0],
            ". . .   one two three four five"
        );
    }

    #[test]
    fn what_only_a_screen_can_draw_is_told_in_words() {
        let line = |to| {
            let (colour, seen) = (Colour::Plain, VisibleTo::All);
            SceneLine { from: (0, 0), to: (to, 1), colour, seen }
        };
        let lines_of = |count| (0..count).map(line).collect();
        let scene = Scene { lines: lines_of(10), picture: Some("<svg/>".into()), ..scene(1, &[]) };
        let drawn = lines(&scene, ColorMode::Plain, usize::MAX);
        assert_eq!(drawn[0], ".   line from 0,0 to 0,1");
        assert_eq!(drawn[8].trim(), "and 2 more lines");
        assert_eq!(drawn[9].trim(), "the referee drew a picture: `--html` shows it");
    }

    #[test]
    fn texts_stand_under_a_board_that_leaves_them_no_room() {
        let scene = scene(5, &["one two three"]);
        let expected = [". . . . .", ". . . . .", "one two", "  three"];
        assert_eq!(lines(&scene, ColorMode::Plain, 10), expected);
    }

    #[test]
    fn a_word_that_is_wider_than_its_room_is_broken() {
        assert_eq!(broken("abcdefghij", 4), ["abcd", "  ef", "  gh", "  ij"]);
        assert_eq!(cut("abcdef", 4), "abc…");
    }
}
