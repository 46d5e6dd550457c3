//! Board in the text of a position: rows of characters, if `viewer:` in the game's file defines it.

use joust_gamekit::Position;
use joust_model::escaped;
use joust_referee::{
    BoardText, Cell, Colour, Glyph, Kind, Layer, Scene, Text, ViewerSpec, VisibleTo,
};

/// The most columns and rows of a board.
const MOST: usize = 256;

/// Columns and rows of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoardSize {
    columns: u16,
    rows: u16,
}

/// A text, split into a board and the lines below it.
pub(super) struct TextBoard<'a> {
    rows: Vec<&'a str>,
    below: Vec<&'a str>,
    pub(super) size: BoardSize,
}

impl<'a> TextBoard<'a> {
    /// Parses the board of a position, if the game defines one.
    pub(super) fn of(position: &'a Position, viewer: &ViewerSpec) -> Option<Self> {
        let (Position::State(text), BoardText::State) = (position, viewer.board) else {
            return None;
        };
        let columns = text.lines().next()?.chars().count();
        let is_row = |line: &&str| line.chars().count() == columns;
        let rows: Vec<&str> = text.lines().take_while(is_row).collect();
        if !(1..=MOST).contains(&columns) || rows.len() > MOST {
            return None;
        }
        let below = text.lines().skip(rows.len()).filter(|line| !line.is_empty()).collect();
        let number = |count: usize| u16::try_from(count).ok();
        let size = BoardSize { columns: number(columns)?, rows: number(rows.len())? };
        Some(Self { rows, below, size })
    }

    /// Draws the board: the background from the legend, and the pieces.
    pub(super) fn scene(&self, viewer: &ViewerSpec) -> Scene {
        let seen = if viewer.is_open { VisibleTo::All } else { VisibleTo::Nobody };
        let ground = ground(viewer);
        let squares = self.rows.iter().flat_map(|row| row.chars());
        let stands =
            |symbol: &char| *symbol != ' ' && ground.is_none_or(|cell| cell.symbol != *symbol);
        let board = squares.map(|symbol| stands(&symbol).then(|| of_legend(symbol, viewer)));
        let board = Layer { name: "board".into(), seen, cells: board.collect() };
        let below = ground.map(|cell| Layer {
            name: "ground".into(),
            seen,
            cells: vec![Some(cell); board.cells.len()],
        });
        let text = |line: &&str| Text { colour: Colour::Plain, text: (*line).to_owned(), seen };
        Scene {
            width: self.size.columns,
            height: self.size.rows,
            layers: below.into_iter().chain([board]).collect(),
            texts: self.below.iter().take(super::picture::LINES).map(text).collect(),
            ..Scene::default()
        }
    }
}

/// Returns the background below pieces, if the legend has one.
fn ground(viewer: &ViewerSpec) -> Option<Cell> {
    let is_ground = |glyph: &Glyph| matches!(glyph.kind, Kind::Floor | Kind::Water);
    let found = viewer.legend.iter().find(|(_, glyph)| is_ground(glyph));
    found.map(|(symbol, glyph)| Cell::new(glyph.kind, *symbol, glyph.colour))
}

/// Returns the cell for a character.
pub(super) fn of_legend(symbol: char, viewer: &ViewerSpec) -> Cell {
    match viewer.legend.get(&symbol) {
        Some(glyph) => Cell::new(glyph.kind, drawn(symbol), glyph.colour),
        None => Cell::new(Kind::Sign, drawn(symbol), Colour::Plain),
    }
}

/// Replaces a character that would be invisible or control a terminal.
pub(super) fn drawn(symbol: char) -> char {
    let is_plain = symbol.is_ascii_graphic()
        || escaped(symbol.encode_utf8(&mut [0; 4])).len() == symbol.len_utf8();
    if is_plain { symbol } else { char::REPLACEMENT_CHARACTER }
}

/// Returns a line for each seat that has a name in the game.
pub(super) fn seat_names(viewer: &ViewerSpec, seats: u8) -> Vec<Text> {
    let named = (0..seats).zip(&viewer.seats);
    let text = |(seat, name): (u8, &String)| {
        Text::new(Colour::Seat(seat), format!("{} {name}", symbol_of(seat, viewer)))
    };
    named.map(text).collect()
}

/// Returns the character of a seat: the first one of the legend in its colour.
fn symbol_of(seat: u8, viewer: &ViewerSpec) -> String {
    let own = viewer.legend.iter().find(|(_, glyph)| glyph.colour == Colour::Seat(seat));
    own.map_or_else(|| seat.to_string(), |(symbol, _)| symbol.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn viewer() -> ViewerSpec {
        let glyph = |kind, colour| Glyph { kind, colour };
        let legend = [
            ('.', glyph(Kind::Floor, Colour::Dim)),
            ('x', glyph(Kind::Disc, Colour::Seat(0))),
            ('o', glyph(Kind::Disc, Colour::Seat(1))),
        ];
        ViewerSpec { board: BoardText::State, legend: legend.into(), ..ViewerSpec::default() }
    }

    #[test]
    fn lines_as_long_as_the_first_are_a_board_and_the_rest_stands_below() {
        let position = Position::State("x.\n.?\n\nlast x\nno\n".to_owned());
        let scene = TextBoard::of(&position, &viewer()).expect("it is one").scene(&viewer());
        let floor = Cell::new(Kind::Floor, '.', Colour::Dim);
        assert_eq!((scene.width, scene.height), (2, 2));
        assert_eq!(scene.layers[0].cells, [Some(floor); 4]);
        let (disc, sign) = (
            Cell::new(Kind::Disc, 'x', Colour::Seat(0)),
            Cell::new(Kind::Sign, '?', Colour::Plain),
        );
        assert_eq!(scene.layers[1].cells, [Some(disc), None, None, Some(sign)]);
        let texts: Vec<_> = scene.texts.iter().map(|text| &*text.text).collect();
        assert_eq!(texts, ["last x", "no"]);
        assert!(scene.layers.iter().all(|layer| layer.seen == VisibleTo::Nobody));
    }

    #[test]
    fn a_board_that_hides_nothing_is_for_every_seat() {
        let open = ViewerSpec { is_open: true, ..viewer() };
        let position = Position::State("x".to_owned());
        let scene = TextBoard::of(&position, &open).expect("it is one").scene(&open);
        assert!(scene.layers.iter().all(|layer| layer.seen == VisibleTo::All));
    }

    #[test]
    fn what_is_no_board_is_none() {
        let of = |text: &str| TextBoard::of(&Position::State(text.to_owned()), &viewer()).is_some();
        assert!(!of("") && !of("\nx") && !of(&"x".repeat(257)) && !of(&"x\n".repeat(257)));
        assert!(TextBoard::of(&Position::State("x".into()), &ViewerSpec::default()).is_none());
    }

    #[test]
    fn a_character_that_moves_a_terminal_or_hides_is_shown_as_none() {
        let position = Position::State("a\u{1b}\u{9b}\u{202e}é\u{7f}\n".to_owned());
        let scene = TextBoard::of(&position, &viewer()).expect("it is one").scene(&viewer());
        let cells = scene.layers.last().expect("there is the board").cells.iter();
        let symbols: String = cells.flatten().map(|cell| cell.symbol).collect();
        assert_eq!(symbols, "a\u{fffd}\u{fffd}\u{fffd}é\u{fffd}");
    }

    #[test]
    fn seats_are_named_with_their_symbols() {
        let viewer = ViewerSpec { seats: vec!["left".into(), "right".into()], ..viewer() };
        let names = |seats| seat_names(&viewer, seats).into_iter().map(|text| text.text);
        assert_eq!(names(2).collect::<Vec<_>>(), ["x left", "o right"]);
        assert_eq!(names(1).count(), 1);
    }
}
