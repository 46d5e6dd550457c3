//! Picture of a position, as a referee draws it, for the viewers of every game.

use joust_gamekit::{Legend, Position, Scene as Drawn};
use joust_referee::{Cell, Colour, Kind, Layer, Line, Mark, Scene, Text, VisibleTo};

use super::svg::sanitised;

/// The most lines of a position that is shown as its text.
const LINES: usize = 60;

/// What a referee can name.
const KINDS: [Kind; 24] = [
    Kind::Floor,
    Kind::Water,
    Kind::Wall,
    Kind::Brick,
    Kind::Crate,
    Kind::Ore,
    Kind::Player,
    Kind::Fallen,
    Kind::Bomb,
    Kind::Mine,
    Kind::SpentMine,
    Kind::Blast,
    Kind::Treasure,
    Kind::Ammo,
    Kind::BombBag,
    Kind::BlastRadius,
    Kind::SuperPower,
    Kind::Ship,
    Kind::Hit,
    Kind::Miss,
    Kind::Shield,
    Kind::ShieldHit,
    Kind::Disc,
    Kind::Sign,
];

/// Returns the position as something to draw: the referee's picture, or the text of the
/// position, which no seat is shown.
pub(super) fn scene(drawn: Option<&Drawn>, position: &Position) -> Scene {
    match (drawn, position) {
        (Some(Drawn { svg: Some(svg), .. }), position) => of_svg(svg, position),
        (Some(drawn), _) => of_drawn(drawn),
        (None, position) => of_position(position),
    }
}

/// Returns a picture; beside it the position as text, for those who cannot see it.
fn of_svg(svg: &str, position: &Position) -> Scene {
    let mut scene = of_position(position);
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

fn of_position(position: &Position) -> Scene {
    match position {
        Position::State(text) => of_text(text),
        _ => Scene::default(),
    }
}

fn of_text(text: &str) -> Scene {
    let line =
        |line: &str| Text { colour: Colour::Plain, text: line.to_owned(), seen: VisibleTo::Nobody };
    Scene { texts: text.lines().take(LINES).map(line).collect(), ..Scene::default() }
}

fn of_drawn(drawn: &Drawn) -> Scene {
    let (width, height) = drawn.size();
    let size = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let mut scene = Scene { width: size(width), height: size(height), ..Scene::default() };
    let cell = |symbol: char| cell(symbol, drawn.legend.get(&symbol));
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
            scene.lines.push(Line { from: (from_x, from_y), to: (to_x, to_y), colour, seen });
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
    let kind = legend.and_then(|legend| KINDS.into_iter().find(|kind| kind.name() == legend.kind));
    let colour = legend.map_or(Colour::Plain, |legend| colour(&legend.colour));
    Cell::new(kind.unwrap_or(Kind::Sign), symbol, colour)
}

fn colour(name: &str) -> Colour {
    match name {
        "dim" => Colour::Dim,
        "danger" => Colour::Danger,
        "bonus" => Colour::Bonus,
        _ => name
            .strip_prefix("seat-")
            .and_then(|seat| seat.parse().ok())
            .map_or(Colour::Plain, Colour::Seat),
    }
}

/// A thing that several seats see is drawn once for each.
fn seen(seats: Option<&[u8]>) -> Vec<VisibleTo> {
    match seats {
        None => vec![VisibleTo::All],
        Some([]) => vec![VisibleTo::Nobody],
        Some(seats) => seats.iter().map(|seat| VisibleTo::Seat(*seat)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_referee_s_picture_has_cells_marks_and_texts_with_who_sees_them() {
        let drawn = r#"{"layers":[{"rows":["o.", " #"],"seen":[1]}],
            "legend":{"o":{"kind":"disc","colour":"seat-1"}},
            "marks":[{"x":1,"y":0,"symbol":"o","label":"last"}],
            "lines":[{"from":[0,0],"to":[1,1],"colour":"danger","seen":[0]}],
            "texts":[{"text":"secret","colour":"danger","seen":[]}]}"#;
        let drawn: Drawn = serde_json::from_str(drawn).expect("it is a scene");
        let scene = scene(Some(&drawn), &Position::Unsaid);
        let disc = Cell::new(Kind::Disc, 'o', Colour::Seat(1));
        assert_eq!((scene.width, scene.height), (2, 2));
        assert_eq!(scene.layers[0].cells[0], Some(disc));
        assert_eq!(scene.layers[0].cells[2], None);
        assert_eq!(scene.layers[0].seen, VisibleTo::Seat(1));
        let line =
            Line { from: (0, 0), to: (1, 1), colour: Colour::Danger, seen: VisibleTo::Seat(0) };
        assert_eq!(scene.lines, [line]);
        assert_eq!((scene.marks[0].cell, &*scene.marks[0].label), (disc, "last"));
        assert_eq!(
            (scene.texts[0].colour, scene.texts[0].seen),
            (Colour::Danger, VisibleTo::Nobody)
        );
    }

    #[test]
    fn a_position_without_a_picture_is_its_text_for_onlookers() {
        let scene = scene(None, &Position::State("..x\n.o.".to_owned()));
        assert_eq!(scene.texts.len(), 2);
        assert_eq!((&*scene.texts[0].text, scene.texts[0].seen), ("..x", VisibleTo::Nobody));
    }

    #[test]
    fn a_picture_has_its_position_as_text_beside_it() {
        let svg = |svg: &str| Drawn { svg: Some(svg.to_owned()), ..Drawn::default() };
        let position = Position::State("..x".to_owned());
        let drawn = scene(Some(&svg("<svg onload='x'><g/></svg>")), &position);
        let picture = r#"<svg xmlns="http://www.w3.org/2000/svg"><g></g></svg>"#;
        assert_eq!((drawn.picture.as_deref(), &*drawn.texts[0].text), (Some(picture), "..x"));
        let broken = scene(Some(&svg("<svg>")), &position);
        assert_eq!(broken.picture, None);
        assert!(broken.texts[0].text.starts_with("the referee's picture cannot be drawn: "));
    }
}
