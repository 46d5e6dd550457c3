//! Picture of a position by an external referee, for the viewers of all games.

use joust_gamekit::{Legend, Position, Scene as Drawn};
use joust_referee::{
    Cell, Colour, Kind, Layer, Mark, Scene, SceneLine, Text, ViewerSpec, VisibleTo,
};

use super::board_text::{BoardSize, TextBoard, drawn, of_legend, seat_names};
use super::svg::sanitised;

/// The most lines of a position that is shown as text.
pub(super) const LINES: usize = 60;

/// A position from the referee.
#[derive(Default)]
pub(super) struct ShownPosition {
    drawn: Option<Drawn>,
    position: Position,
    /// The size of the bout's board, if the position's text contains one.
    size: Option<BoardSize>,
}

impl ShownPosition {
    /// Takes over the next position.
    pub(super) fn take(&mut self, drawn: Option<Drawn>, position: Position, viewer: &ViewerSpec) {
        self.size = self.size.or_else(|| Some(TextBoard::of(&position, viewer)?.size));
        (self.drawn, self.position) = (drawn, position);
    }

    /// Returns a scene of the position: the referee's picture, or its text. Seats are not shown the
    /// text, unless the game declares that it hides nothing.
    pub(super) fn scene(&self, viewer: &ViewerSpec, seats: u8) -> Scene {
        let mut scene = match &self.drawn {
            Some(Drawn { svg: Some(svg), .. }) => self.of_svg(svg, viewer),
            Some(drawn) => of_drawn(drawn, viewer),
            None => self.of_position(viewer),
        };
        scene.texts.splice(0..0, seat_names(viewer, seats));
        scene
    }

    /// Returns a scene of a picture, with the position's text as an alternative for people who
    /// cannot see it.
    fn of_svg(&self, svg: &str, viewer: &ViewerSpec) -> Scene {
        let mut scene = self.of_position(viewer);
        match sanitised(svg) {
            Ok(picture) => scene.picture = Some(picture.into()),
            Err(error) => scene.texts.insert(
                0,
                Text {
                    colour: Colour::Danger,
                    text: format!("the referee's picture cannot be drawn: {error}"),
                    seen: VisibleTo::Nobody,
                },
            ),
        }
        scene
    }

    fn of_position(&self, viewer: &ViewerSpec) -> Scene {
        let board = TextBoard::of(&self.position, viewer);
        // A board has the same size during the whole bout.
        match (board.filter(|board| Some(board.size) == self.size), &self.position) {
            (Some(board), _) => board.scene(viewer),
            (None, Position::State(text)) => of_text(text),
            (None, _) => Scene::default(),
        }
    }
}

fn of_text(text: &str) -> Scene {
    let line =
        |line: &str| Text { colour: Colour::Plain, text: line.to_owned(), seen: VisibleTo::Nobody };
    Scene { texts: text.lines().take(LINES).map(line).collect(), ..Scene::default() }
}

fn of_drawn(drawn: &Drawn, viewer: &ViewerSpec) -> Scene {
    let (width, height) = drawn.size();
    let size = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let mut scene = Scene { width: size(width), height: size(height), ..Scene::default() };
    let cell = |symbol: char| match drawn.legend.get(&symbol) {
        None if drawn.legend.is_empty() => of_legend(symbol, viewer),
        glyph => cell(symbol, glyph),
    };
    for layer in &drawn.layers {
        let row = |row: &String| -> Vec<Option<Cell>> {
            row.chars().map(|symbol| (symbol != ' ').then(|| cell(symbol))).collect()
        };
        let cells: Vec<_> = layer.rows.iter().flat_map(row).collect();
        for seen in seen(layer.seen.as_deref()) {
            let name = layer.name.clone().into();
            scene.layers.push(Layer { name, seen, cells: cells.clone() });
        }
    }
    for mark in &drawn.marks {
        for seen in seen(mark.seen.as_deref()) {
            let label = mark.label.clone();
            scene.marks.push(Mark::new((mark.x, mark.y), cell(mark.symbol), label).seen(seen));
        }
    }
    for line in &drawn.lines {
        let ([from_x, from_y], [to_x, to_y]) = (line.from, line.to);
        for seen in seen(line.seen.as_deref()) {
            let colour = colour(&line.colour);
            scene.lines.push(SceneLine { from: (from_x, from_y), to: (to_x, to_y), colour, seen });
        }
    }
    for text in &drawn.texts {
        for seen in seen(text.seen.as_deref()) {
            let colour = colour(&text.colour);
            scene.texts.push(Text { colour, text: text.text.clone(), seen });
        }
    }
    scene
}

fn cell(symbol: char, legend: Option<&Legend>) -> Cell {
    let kind = legend.and_then(|legend| Kind::plain().find(|kind| kind.name() == legend.kind));
    let colour = legend.map_or(Colour::Plain, |legend| colour(&legend.colour));
    Cell::new(kind.unwrap_or(Kind::Sign), drawn(symbol), colour)
}

fn colour(name: &str) -> Colour {
    Colour::from_name(name).unwrap_or(Colour::Plain)
}

/// A thing that several seats see is drawn once per seat.
fn seen(seats: Option<&[u8]>) -> Vec<VisibleTo> {
    match seats {
        None => vec![VisibleTo::All],
        Some([]) => vec![VisibleTo::Nobody],
        Some(seats) => seats.iter().map(|seat| VisibleTo::Seat(*seat)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use joust_referee::{BoardText, Glyph};

    use super::*;

    fn scene(drawn: Option<Drawn>, position: Position) -> Scene {
        drawn_by(&ViewerSpec::default(), drawn, position)
    }

    fn drawn_by(viewer: &ViewerSpec, drawn: Option<Drawn>, position: Position) -> Scene {
        let mut shown = ShownPosition::default();
        shown.take(drawn, position, viewer);
        shown.scene(viewer, 2)
    }

    #[test]
    fn a_referee_s_picture_has_cells_marks_and_texts_with_who_sees_them() {
        let drawn = r#"{"layers":[{"rows":["o.", " #"],"seen":[1]}],
            "legend":{"o":{"kind":"disc","colour":"seat-1"}},
            "marks":[{"x":1,"y":0,"symbol":"o","label":"last"}],
            "lines":[{"from":[0,0],"to":[1,1],"colour":"danger","seen":[0]}],
            "texts":[{"text":"secret","colour":"danger","seen":[]}]}"#;
        let drawn: Drawn = serde_json::from_str(drawn).expect("it is a scene");
        let scene = scene(Some(drawn), Position::Unsaid);
        let disc = Cell::new(Kind::Disc, 'o', Colour::Seat(1));
        assert_eq!((scene.width, scene.height), (2, 2));
        assert_eq!(scene.layers[0].cells[0], Some(disc));
        assert_eq!(scene.layers[0].cells[2], None);
        assert_eq!(scene.layers[0].seen, VisibleTo::Seat(1));
        let line = SceneLine {
            from: (0, 0),
            to: (1, 1),
            colour: Colour::Danger,
            seen: VisibleTo::Seat(0),
        };
        assert_eq!(scene.lines, [line]);
        assert_eq!((scene.marks[0].cell, &*scene.marks[0].label), (disc, "last"));
        assert_eq!(
            (scene.texts[0].colour, scene.texts[0].seen),
            (Colour::Danger, VisibleTo::Nobody)
        );
    }

    #[test]
    fn a_position_without_a_picture_is_its_text_for_onlookers() {
        let scene = scene(None, Position::State("..x\n.o.".to_owned()));
        assert_eq!(scene.texts.len(), 2);
        assert_eq!((&*scene.texts[0].text, scene.texts[0].seen), ("..x", VisibleTo::Nobody));
    }

    #[test]
    fn a_picture_has_its_position_as_text_beside_it() {
        let svg = |svg: &str| Drawn { svg: Some(svg.to_owned()), ..Drawn::default() };
        let position = Position::State("..x".to_owned());
        let drawn = scene(Some(svg("<svg onload='x'><g/></svg>")), position.clone());
        let picture = r#"<svg xmlns="http://www.w3.org/2000/svg"><g></g></svg>"#;
        assert_eq!((drawn.picture.as_deref(), &*drawn.texts[0].text), (Some(picture), "..x"));
        let broken = scene(Some(svg("<svg>")), position);
        assert_eq!(broken.picture, None);
        assert!(broken.texts[0].text.starts_with("the referee's picture cannot be drawn: "));
    }

    #[test]
    fn a_picture_without_a_legend_has_the_game_s() {
        let glyph = Glyph { kind: Kind::Wall, colour: Colour::Dim };
        let viewer = ViewerSpec { legend: [('#', glyph)].into(), ..ViewerSpec::default() };
        let drawn: Drawn =
            serde_json::from_str(r##"{"layers":[{"rows":["#x"]}]}"##).expect("it is one");
        let scene = drawn_by(&viewer, Some(drawn), Position::Unsaid);
        let (wall, sign) =
            (Cell::new(Kind::Wall, '#', Colour::Dim), Cell::new(Kind::Sign, 'x', Colour::Plain));
        assert_eq!(scene.layers[0].cells, [Some(wall), Some(sign)]);
    }

    #[test]
    fn a_board_of_another_size_than_the_first_is_shown_as_text() {
        let viewer = ViewerSpec { board: BoardText::State, ..ViewerSpec::default() };
        let mut shown = ShownPosition::default();
        let mut scene = |text: &str| {
            shown.take(None, Position::State(text.to_owned()), &viewer);
            shown.scene(&viewer, 2)
        };
        assert_eq!((scene("..\n..").width, scene("..\n.x").height), (2, 2));
        let other = scene("...\n...");
        assert_eq!((other.width, other.texts.len()), (0, 2));
    }
}
