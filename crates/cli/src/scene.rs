//! A position in the terminal, readable with and without colour.

use std::borrow::Cow;
use std::fmt::Write;

use joust_model::escaped;
use joust_referee::{Colour, Scene, SceneLine};
use joust_report::Colours;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm, wrap};

/// Columns that a text beside a board needs to be readable; narrower ones stand
/// under the board.
const NARROWEST_TEXT: usize = 20;

/// Returns the position with a text's line ends, for a terminal as wide as needed.
pub(crate) fn draw(scene: &Scene, colors: Colours) -> String {
    text(scene, colors, usize::MAX)
}

/// Returns the position as a text of lines no wider than `width` columns.
pub(crate) fn text(scene: &Scene, colors: Colours, width: usize) -> String {
    lines(scene, colors, width).iter().map(|line| format!("{line}\n")).collect()
}

/// Returns the position as lines, the texts beside the board. No line is wider than
/// `width` columns, unless the board is.
pub(crate) fn lines(scene: &Scene, colors: Colours, width: usize) -> Vec<String> {
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

fn row(scene: &Scene, y: u16, colors: Colours) -> String {
    let mut line = String::new();
    for x in 0..scene.width {
        match scene.top(x, y) {
            None => line.push(' '),
            Some(cell) => line.push_str(&painted(cell.colour, &cell.symbol.to_string(), colors)),
        }
        line.push(' ');
    }
    line
}

/// Breaks a text into parts of at most `room` columns, between words where it can.
pub(crate) fn broken(text: &str, room: usize) -> Vec<String> {
    let options = Options::new(room)
        .subsequent_indent("  ")
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation);
    wrap(text, options).into_iter().map(Cow::into_owned).collect()
}

fn painted(colour: Colour, text: &str, colors: Colours) -> String {
    let code = match (colors, colour) {
        (Colours::Off, _) | (_, Colour::Plain) => return text.to_owned(),
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
    use joust_referee::{Cell, Kind, Layer, Text, VisibleTo};

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
        assert_eq!(lines(&scene, Colours::Off, 28), expected);
        assert_eq!(lines(&scene, Colours::Off, usize::MAX)[0], ". . .   one two three four five");
    }

    #[test]
    fn what_only_a_screen_can_draw_is_told_in_words() {
        let line = |to| {
            let (colour, seen) = (Colour::Plain, VisibleTo::All);
            SceneLine { from: (0, 0), to: (to, 1), colour, seen }
        };
        let lines_of = |count| (0..count).map(line).collect();
        let scene = Scene { lines: lines_of(10), picture: Some("<svg/>".into()), ..scene(1, &[]) };
        let drawn = lines(&scene, Colours::Off, usize::MAX);
        assert_eq!(drawn[0], ".   line from 0,0 to 0,1");
        assert_eq!(drawn[8].trim(), "and 2 more lines");
        assert_eq!(drawn[9].trim(), "the referee drew a picture: `--html` shows it");
    }

    #[test]
    fn texts_stand_under_a_board_that_leaves_them_no_room() {
        let scene = scene(5, &["one two three"]);
        let expected = [". . . . .", ". . . . .", "one two", "  three"];
        assert_eq!(lines(&scene, Colours::Off, 10), expected);
    }

    #[test]
    fn a_word_that_is_wider_than_its_room_is_broken() {
        assert_eq!(broken("abcdefghij", 4), ["abcd", "  ef", "  gh", "  ij"]);
    }
}
