//! Wire form of a [`Scene`], for remote spectators.
//!
//! | what | fields |
//! |---|---|
//! | scene | width, height, layers, marks, texts, panels, lines, 0 or 1, then if 1: picture |
//! | layer | name, seen, number of cells, per cell 0 for none, or 1 and the cell |
//! | mark | column, row, cell, label, seen |
//! | text | colour, text, seen |
//! | panel | left, width, owner plus 1 or 0 for none, rows (0 downwards, 1 upwards) |
//! | line | column and row where it begins, column and row where it ends, colour, seen |
//! | cell | kind, symbol, colour, count plus 1 or 0 for none |
//! | kind | its place in [`Kind::NAMED`]; 26 for a bullet, 27 for a missile, 28 for the head and 29 for the body of a snake, then its direction (0 north, clockwise) |
//! | colour | 0 plain, 1 dim, 2 danger, 3 bonus, 4 plus the seat |
//! | seen | 0 everybody, 1 nobody, 2 plus the seat |
//!
//! Layers, marks, texts, panels and lines are their number, then each of them. Numbers and texts
//! are those of inputs and outputs.

use std::sync::Arc;

use super::WireError;
use crate::log::columns::{Cursor, push_number, push_sized};
use crate::log::fields::Fields;
use crate::log::{LogError, LogProblem};
use crate::{
    Cell, Colour, Direction, Kind, Layer, Mark, Panel, Rows, Scene, SceneLine, Text, VisibleTo,
};

/// The first code of the kinds with a direction, after the codes of [`Kind::NAMED`].
const HEADED: usize = Kind::NAMED.len();

/// Colours at their codes; the codes of seats follow.
const COLOURS: [Colour; 4] = [Colour::Plain, Colour::Dim, Colour::Danger, Colour::Bonus];
const SEEN: [VisibleTo; 2] = [VisibleTo::All, VisibleTo::Nobody];

/// Appends a scene.
pub fn push_scene(out: &mut Vec<u8>, scene: &Scene) {
    push_number(out, scene.width.into());
    push_number(out, scene.height.into());
    push_list(out, &scene.layers, push_layer);
    push_list(out, &scene.marks, push_mark);
    push_list(out, &scene.texts, push_text);
    push_list(out, &scene.panels, push_panel);
    push_list(out, &scene.lines, push_line);
    push_number(out, scene.picture.is_some().into());
    if let Some(picture) = &scene.picture {
        push_sized(out, picture.as_bytes());
    }
}

/// Reads a scene that is all there is.
///
/// Never panics, and needs memory in proportion to `bytes` only.
///
/// # Errors
///
/// [`WireError`] says what is wrong and where. So it does of a layer with another number of
/// cells than the board has.
pub fn scene(bytes: &[u8]) -> Result<Scene, WireError> {
    let mut fields = Fields::new(Cursor::new(bytes));
    let scene = read_scene(&mut fields).map_err(WireError)?;
    if fields.cursor.is_at_end() {
        return Ok(scene);
    }
    Err(WireError(LogError { offset: fields.cursor.offset(), problem: LogProblem::LeftOver }))
}

fn push_list<T>(out: &mut Vec<u8>, all: &[T], push: impl Fn(&mut Vec<u8>, &T)) {
    push_number(out, all.len() as u64);
    all.iter().for_each(|one| push(out, one));
}

fn push_layer(out: &mut Vec<u8>, layer: &Layer) {
    push_sized(out, layer.name.as_bytes());
    push_seen(out, layer.seen);
    push_list(out, &layer.cells, |out, cell| {
        push_number(out, cell.is_some().into());
        cell.iter().for_each(|cell| push_cell(out, *cell));
    });
}

fn push_mark(out: &mut Vec<u8>, mark: &Mark) {
    push_number(out, mark.x.into());
    push_number(out, mark.y.into());
    push_cell(out, mark.cell);
    push_sized(out, mark.label.as_bytes());
    push_seen(out, mark.seen);
}

fn push_text(out: &mut Vec<u8>, text: &Text) {
    push_colour(out, text.colour);
    push_sized(out, text.text.as_bytes());
    push_seen(out, text.seen);
}

fn push_panel(out: &mut Vec<u8>, panel: &Panel) {
    push_number(out, panel.left.into());
    push_number(out, panel.width.into());
    push_number(out, panel.owner.map_or(0, |owner| u64::from(owner) + 1));
    push_number(out, (panel.rows == Rows::Upwards).into());
}

fn push_line(out: &mut Vec<u8>, line: &SceneLine) {
    for place in [line.from.0, line.from.1, line.to.0, line.to.1] {
        push_number(out, place.into());
    }
    push_colour(out, line.colour);
    push_seen(out, line.seen);
}

fn push_cell(out: &mut Vec<u8>, cell: Cell) {
    let named = Kind::NAMED.iter().position(|kind| *kind == cell.kind);
    let headed = cell.kind.facing().and_then(|facing| {
        Kind::HEADED.iter().position(|kind| kind(facing) == cell.kind).map(|place| HEADED + place)
    });
    push_number(out, named.or(headed).expect("every kind is in one of the lists") as u64);
    if let Some(facing) = cell.kind.facing() {
        let place = Direction::ALL.iter().position(|direction| *direction == facing);
        push_number(out, place.expect("there are no other directions") as u64);
    }
    push_number(out, u32::from(cell.symbol).into());
    push_colour(out, cell.colour);
    push_number(out, cell.count.map_or(0, |count| u64::from(count) + 1));
}

fn push_colour(out: &mut Vec<u8>, colour: Colour) {
    let code = match colour {
        Colour::Seat(seat) => COLOURS.len() as u64 + u64::from(seat),
        Colour::Plain => 0,
        Colour::Dim => 1,
        Colour::Danger => 2,
        Colour::Bonus => 3,
    };
    push_number(out, code);
}

fn push_seen(out: &mut Vec<u8>, seen: VisibleTo) {
    let code = match seen {
        VisibleTo::All => 0,
        VisibleTo::Nobody => 1,
        VisibleTo::Seat(seat) => SEEN.len() as u64 + u64::from(seat),
    };
    push_number(out, code);
}

fn read_scene(fields: &mut Fields<'_>) -> Result<Scene, LogError> {
    let (width, height): (u16, u16) = (fields.cursor.number()?, fields.cursor.number()?);
    let squares = usize::from(width) * usize::from(height);
    Ok(Scene {
        width,
        height,
        layers: fields.list(|fields| read_layer(fields, squares))?,
        marks: fields.list(read_mark)?,
        texts: fields.list(read_text)?,
        panels: fields.list(read_panel)?,
        lines: fields.list(read_line)?,
        picture: match fields.one_of(&[false, true])? {
            true => Some(Arc::from(fields.cursor.text()?)),
            false => None,
        },
    })
}

fn read_layer(fields: &mut Fields<'_>, squares: usize) -> Result<Layer, LogError> {
    let name = fields.cursor.text()?.to_owned().into();
    let seen = read_seen(fields)?;
    let wrong = wrong_number(fields);
    let cells = fields.list(|fields| match fields.one_of(&[false, true])? {
        true => read_cell(fields).map(Some),
        false => Ok(None),
    })?;
    if cells.len() == squares { Ok(Layer { name, seen, cells }) } else { Err(wrong) }
}

fn read_mark(fields: &mut Fields<'_>) -> Result<Mark, LogError> {
    Ok(Mark {
        x: fields.cursor.number()?,
        y: fields.cursor.number()?,
        cell: read_cell(fields)?,
        label: fields.cursor.text()?.to_owned().into(),
        seen: read_seen(fields)?,
    })
}

fn read_text(fields: &mut Fields<'_>) -> Result<Text, LogError> {
    Ok(Text {
        colour: read_colour(fields)?,
        text: fields.cursor.text()?.to_owned(),
        seen: read_seen(fields)?,
    })
}

fn read_panel(fields: &mut Fields<'_>) -> Result<Panel, LogError> {
    let (left, width) = (fields.cursor.number()?, fields.cursor.number()?);
    let wrong = wrong_number(fields);
    let owner = match fields.cursor.number::<u16>()?.checked_sub(1) {
        None => None,
        Some(seat) => Some(u8::try_from(seat).map_err(|_| wrong)?),
    };
    let rows = *fields.one_of(&[Rows::Downwards, Rows::Upwards])?;
    Ok(Panel { left, width, owner, rows })
}

fn read_line(fields: &mut Fields<'_>) -> Result<SceneLine, LogError> {
    Ok(SceneLine {
        from: (fields.cursor.number()?, fields.cursor.number()?),
        to: (fields.cursor.number()?, fields.cursor.number()?),
        colour: read_colour(fields)?,
        seen: read_seen(fields)?,
    })
}

fn read_cell(fields: &mut Fields<'_>) -> Result<Cell, LogError> {
    let wrong = wrong_number(fields);
    let kind = match fields.cursor.number::<usize>()? {
        code if code < HEADED => Kind::NAMED[code],
        code => Kind::HEADED.get(code - HEADED).ok_or(wrong)?(*fields.one_of(&Direction::ALL)?),
    };
    let wrong = wrong_number(fields);
    let symbol = char::from_u32(fields.cursor.number()?).ok_or(wrong)?;
    let colour = read_colour(fields)?;
    let wrong = wrong_number(fields);
    let count = match fields.cursor.number::<u64>()?.checked_sub(1) {
        None => None,
        Some(count) => Some(u32::try_from(count).map_err(|_| wrong)?),
    };
    Ok(Cell { kind, symbol, colour, count })
}

fn read_colour(fields: &mut Fields<'_>) -> Result<Colour, LogError> {
    one_or_seat(fields, &COLOURS, Colour::Seat)
}

fn read_seen(fields: &mut Fields<'_>) -> Result<VisibleTo, LogError> {
    one_or_seat(fields, &SEEN, VisibleTo::Seat)
}

/// Reads the place of one of `all`, or of a seat after them.
fn one_or_seat<T: Copy>(
    fields: &mut Fields<'_>,
    all: &[T],
    of_seat: impl Fn(u8) -> T,
) -> Result<T, LogError> {
    let wrong = wrong_number(fields);
    let code = fields.cursor.number::<usize>()?;
    let seat = || u8::try_from(code - all.len()).map(&of_seat).map_err(|_| wrong);
    all.get(code).copied().map_or_else(seat, Ok)
}

/// Returns the error of an impossible number that comes next.
fn wrong_number(fields: &Fields<'_>) -> LogError {
    LogError { offset: fields.cursor.offset(), problem: LogProblem::Number }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scene that has one of everything.
    fn everything() -> Scene {
        let mut kinds = Kind::NAMED.to_vec();
        Kind::HEADED.iter().for_each(|kind| kinds.extend(Direction::ALL.map(kind)));
        let cell = |kind| Cell::new(kind, 'Ж', Colour::Seat(255)).with_count(u32::MAX);
        let mut cells: Vec<Option<Cell>> = kinds.into_iter().map(|kind| Some(cell(kind))).collect();
        cells.push(None);
        let mark = Mark::new((3, 65_535), Cell::new(Kind::Sign, '\0', Colour::Dim), "a mark");
        Scene {
            width: cells.len() as u16,
            height: 1,
            layers: vec![Layer { seen: VisibleTo::Seat(255), ..Layer::new("ground", cells) }],
            marks: vec![mark.seen(VisibleTo::Nobody)],
            texts: vec![Text::new(Colour::Danger, "ä text"), Text::new(Colour::Bonus, "")],
            panels: vec![
                Panel { left: 1, width: 2, owner: Some(255), rows: Rows::Upwards },
                Panel { left: 3, width: 4, owner: None, rows: Rows::Downwards },
            ],
            lines: vec![SceneLine {
                from: (0, 1),
                to: (2, 3),
                colour: Colour::Plain,
                seen: VisibleTo::All,
            }],
            picture: Some(Arc::from("<svg/>")),
        }
    }

    fn bytes_of(one: &Scene) -> Vec<u8> {
        let mut bytes = Vec::new();
        push_scene(&mut bytes, one);
        bytes
    }

    #[test]
    fn a_scene_comes_back() {
        for one in [everything(), Scene::default()] {
            assert_eq!(scene(&bytes_of(&one)), Ok(one));
        }
    }

    #[test]
    fn bytes_that_are_changed_or_cut_off_are_a_scene_or_an_error() {
        let bytes = bytes_of(&everything());
        for length in 0..bytes.len() {
            assert!(scene(&bytes[..length]).is_err(), "cut off after {length}");
        }
        for place in 0..bytes.len() {
            for other in 0..=255 {
                let mut changed = bytes.clone();
                changed[place] = other;
                if let Ok(read) = scene(&changed) {
                    assert_eq!(bytes_of(&read), changed, "byte {place} as {other}");
                }
            }
        }
    }

    #[test]
    fn a_layer_of_another_size_than_the_board_is_refused() {
        let layer = Layer::new("ground", vec![None; 3]);
        let wrong = Scene { width: 2, height: 2, layers: vec![layer], ..Scene::default() };
        assert!(scene(&bytes_of(&wrong)).is_err());
    }

    #[test]
    fn bytes_after_a_scene_are_refused() {
        let mut bytes = bytes_of(&Scene::default());
        bytes.push(0);
        assert_eq!(scene(&bytes).map_err(|error| error.offset()), Err(bytes.len() - 1));
    }
}
