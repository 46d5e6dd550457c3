//! A replay's document read back, as the viewer reads it.

use std::io::Read;

use data_encoding::BASE64;
use joust_referee::{Cell, Colour, Scene, VisibleTo};
use serde_json::Value;

/// A position reduced to the parts that a viewer draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plain {
    cells: Vec<Option<String>>,
    marks: Vec<(u64, String, String, u64)>,
    texts: Vec<(u64, String, u64)>,
}

/// Returns the parts of a scene that a viewer must know.
pub(crate) fn plain(scene: &Scene) -> Plain {
    let square = |x: u16, y: u16| u64::from(y) * u64::from(scene.width) + u64::from(x);
    Plain {
        cells: scene
            .layers
            .iter()
            .flat_map(|layer| &layer.cells)
            .map(|cell| cell.map(name))
            .collect(),
        marks: scene
            .marks
            .iter()
            .map(|mark| {
                (square(mark.x, mark.y), name(mark.cell), mark.label.to_string(), seen(mark.seen))
            })
            .collect(),
        texts: scene
            .texts
            .iter()
            .map(|line| (colour(line.colour), line.text.clone(), seen(line.seen)))
            .collect(),
    }
}

fn name(cell: Cell) -> String {
    let facing = cell.facing.map(joust_referee::Direction::name);
    serde_json::json!([cell.kind.name(), cell.symbol, colour(cell.colour), cell.count, facing])
        .to_string()
}

fn seen(seen: VisibleTo) -> u64 {
    match seen {
        VisibleTo::All => 0,
        VisibleTo::Nobody => 1,
        VisibleTo::Seat(seat) => u64::from(seat) + 2,
    }
}

fn colour(colour: Colour) -> u64 {
    match colour {
        Colour::Plain => 0,
        Colour::Dim => 1,
        Colour::Danger => 2,
        Colour::Bonus => 3,
        Colour::Seat(seat) => u64::from(seat) + 4,
    }
}

/// Returns every position of a document.
pub(crate) fn scenes(document: &Value) -> Vec<Plain> {
    let numbers = |name: &str| document[name].as_u64().expect("a number") as usize;
    let layers = document["layers"].as_array().expect("layers").len();
    let cells = vec![None; numbers("width") * numbers("height") * layers];
    let mut position = Plain { cells, ..Plain::default() };
    let deltas = document["deltas"].as_array().expect("differences").iter();
    let next = deltas.map(|delta| {
        put_cells(&mut position, &list(&delta[0]), document);
        put_marks(&mut position, &list(&delta[1]), document);
        put_texts(&mut position, &list(&delta[2]), document);
        position.clone()
    });
    next.collect()
}

fn list(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .expect("a list")
        .iter()
        .map(|number| number.as_u64().expect("a number"))
        .collect()
}

fn put_cells(position: &mut Plain, delta: &[u64], document: &Value) {
    for pair in delta.chunks(2) {
        let code = pair[1].checked_sub(1);
        position.cells[pair[0] as usize] =
            code.map(|code| document["palette"][code as usize].to_string());
    }
}

fn put_marks(position: &mut Plain, delta: &[u64], document: &Value) {
    let mut before = std::mem::take(&mut position.marks).into_iter();
    let mut steps = delta.iter().copied();
    while let (Some(stay), Some(gone), Some(come)) = (steps.next(), steps.next(), steps.next()) {
        position.marks.extend(before.by_ref().take(stay as usize));
        before.by_ref().take(gone as usize).for_each(drop);
        for _ in 0..come {
            let mut next = || steps.next().expect("a mark has four numbers");
            let (square, code, label, seen) = (next(), next(), next(), next());
            let cell = document["palette"][code as usize].to_string();
            position.marks.push((square, cell, word(document, label), seen));
        }
    }
    position.marks.extend(before);
}

fn put_texts(position: &mut Plain, delta: &[u64], document: &Value) {
    let Some((count, changed)) = delta.split_first() else { return };
    position.texts.resize(*count as usize, (0, String::new(), 0));
    for line in changed.chunks(4) {
        position.texts[line[0] as usize] = (line[1], word(document, line[2]), line[3]);
    }
}

fn word(document: &Value, number: u64) -> String {
    document["words"][number as usize].as_str().expect("a word").to_owned()
}

/// Returns the inflated content of base64 text.
pub(crate) fn inflate(text: &str) -> Vec<u8> {
    let bytes = BASE64.decode(text.as_bytes()).expect("it is base64");
    let mut plain = Vec::new();
    flate2::read::ZlibDecoder::new(&bytes[..]).read_to_end(&mut plain).expect("it is deflated");
    plain
}
