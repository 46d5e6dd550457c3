//! Wire form of a [`Scene`], for remote spectators: the fields of a record in their order.
//!
//! | what | form |
//! |---|---|
//! | number, character | unsigned LEB128 without superfluous bytes |
//! | text | its length in bytes, and UTF-8 |
//! | optional value | 0 for none, or 1 and the value |
//! | list | its length, and the values |
//! | direction | 0 north, clockwise |
//! | kind | its place in [`Kind::ALL`] |
//! | colour | 0 plain, 1 dim, 2 danger, 3 bonus, 4 plus the seat |
//! | seen | 0 everybody, 1 nobody, 2 plus the seat |
//! | rows | 0 downwards, 1 upwards |

use std::borrow::Cow;
use std::sync::Arc;

use crate::log::codec::{Cursor, push_number, push_sized};
use crate::{
    Cell, Colour, Direction, Kind, Layer, Mark, Panel, Rows, Scene, SceneLine, Text, VisibleTo,
};

/// Appends a scene.
pub fn push_scene(out: &mut Vec<u8>, scene: &Scene) {
    scene.write(out);
}

/// Reads a scene that is all there is; `None` for other bytes, and for a layer with another number
/// of cells than the board has.
///
/// Never panics, and needs memory in proportion to `bytes` only.
pub fn scene(bytes: &[u8]) -> Option<Scene> {
    let mut cursor = Cursor::new(bytes);
    let scene = Scene::read(&mut cursor)?;
    let squares = usize::from(scene.width) * usize::from(scene.height);
    let is_whole = scene.layers.iter().all(|layer| layer.cells.len() == squares);
    (is_whole && cursor.is_at_end()).then_some(scene)
}

/// A value with a wire form.
trait Wire: Sized {
    fn write(&self, out: &mut Vec<u8>);

    fn read(cursor: &mut Cursor<'_>) -> Option<Self>;
}

/// Implements [`Wire`] for records: their fields in this order.
macro_rules! records {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Wire for $type {
            fn write(&self, out: &mut Vec<u8>) {
                $(self.$field.write(out);)*
            }

            fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
                Some(Self { $($field: Wire::read(cursor)?),* })
            }
        }
    )*};
}

records! {
    Scene { width, height, layers, marks, texts, panels, lines, picture }
    Layer { name, seen, cells }
    Mark { x, y, cell, label, seen }
    Text { colour, text, seen }
    Panel { left, width, owner, rows }
    SceneLine { from, to, colour, seen }
    Cell { kind, symbol, colour, count, facing }
}

/// Implements [`Wire`] for values that have the form of others.
macro_rules! values {
    ($($type:ty: |$value:ident, $out:ident| $push:expr, |$cursor:ident| $read:expr;)*) => {$(
        impl Wire for $type {
            fn write(&self, $out: &mut Vec<u8>) {
                let $value = self;
                $push;
            }

            fn read($cursor: &mut Cursor<'_>) -> Option<Self> {
                $read
            }
        }
    )*};
}

values! {
    u8: |value, out| push_number(out, (*value).into()), |cursor| cursor.number().ok();
    u16: |value, out| push_number(out, (*value).into()), |cursor| cursor.number().ok();
    u32: |value, out| push_number(out, (*value).into()), |cursor| cursor.number().ok();
    char: |value, out| u32::from(*value).write(out), |cursor| char::from_u32(u32::read(cursor)?);
    String: |text, out| push_sized(out, text.as_bytes()), |cursor| read_text(cursor);
    Cow<'static, str>: |text, out| push_sized(out, text.as_bytes()),
        |cursor| read_text(cursor).map(Cow::Owned);
    Arc<str>: |text, out| push_sized(out, text.as_bytes()),
        |cursor| read_text(cursor).map(Self::from);
    Kind: |value, out| push_place(out, &Self::ALL, *value),
        |cursor| Self::ALL.get(read_place(cursor)?).copied();
    Direction: |value, out| push_place(out, &Self::ALL, *value),
        |cursor| Self::ALL.get(read_place(cursor)?).copied();
    Rows: |value, out| push_place(out, &ROWS, *value),
        |cursor| ROWS.get(read_place(cursor)?).copied();
    Colour: |value, out| match *value {
        Self::Seat(seat) => push_number(out, COLOURS.len() as u64 + u64::from(seat)),
        colour => push_place(out, &COLOURS, colour),
    }, |cursor| one_or_seat(&COLOURS, cursor).map(|found| found.unwrap_or_else(Self::Seat));
    VisibleTo: |value, out| match *value {
        Self::Seat(seat) => push_number(out, SEEN.len() as u64 + u64::from(seat)),
        seen => push_place(out, &SEEN, seen),
    }, |cursor| one_or_seat(&SEEN, cursor).map(|found| found.unwrap_or_else(Self::Seat));
}

const ROWS: [Rows; 2] = [Rows::Downwards, Rows::Upwards];

/// Colours and spectators at their codes; the codes of seats follow.
const COLOURS: [Colour; 4] = [Colour::Plain, Colour::Dim, Colour::Danger, Colour::Bonus];
const SEEN: [VisibleTo; 2] = [VisibleTo::All, VisibleTo::Nobody];

fn push_place<T: PartialEq>(out: &mut Vec<u8>, all: &[T], value: T) {
    let place = all.iter().position(|one| *one == value);
    push_number(out, place.expect("the list has every value") as u64);
}

fn read_place(cursor: &mut Cursor<'_>) -> Option<usize> {
    cursor.number().ok()
}

fn read_text(cursor: &mut Cursor<'_>) -> Option<String> {
    cursor.text().ok().map(str::to_owned)
}

/// Reads the place of one of `all`, or a seat after them.
fn one_or_seat<T: Copy>(all: &[T], cursor: &mut Cursor<'_>) -> Option<Result<T, u8>> {
    let code = read_place(cursor)?;
    match all.get(code) {
        Some(one) => Some(Ok(*one)),
        None => u8::try_from(code - all.len()).ok().map(Err),
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, out: &mut Vec<u8>) {
        out.push(self.is_some().into());
        self.iter().for_each(|value| value.write(out));
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        match cursor.byte().ok()? {
            0 => Some(None),
            1 => T::read(cursor).map(Some),
            _ => None,
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, out: &mut Vec<u8>) {
        push_number(out, self.len() as u64);
        self.iter().for_each(|value| value.write(out));
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        // It grows with what is really there, never with what the length claims.
        (0..read_place(cursor)?).map(|_| T::read(cursor)).collect()
    }
}

impl Wire for (u16, u16) {
    fn write(&self, out: &mut Vec<u8>) {
        self.0.write(out);
        self.1.write(out);
    }

    fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        Some((Wire::read(cursor)?, Wire::read(cursor)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scene that has one of everything.
    fn everything() -> Scene {
        let cell = |kind| Cell::new(kind, 'Ж', Colour::Seat(255)).with_count(u32::MAX);
        let heading = Direction::ALL.map(|facing| cell(Kind::Bullet).headed(facing));
        let cells = Kind::ALL.map(cell).into_iter().chain(heading);
        let mut cells: Vec<Option<Cell>> = cells.map(Some).collect();
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
            assert_eq!(scene(&bytes_of(&one)), Some(one));
        }
    }

    #[test]
    fn bytes_that_are_changed_or_cut_off_are_a_scene_or_an_error() {
        let bytes = bytes_of(&everything());
        for length in 0..bytes.len() {
            assert_eq!(scene(&bytes[..length]), None, "cut off after {length}");
        }
        for place in 0..bytes.len() {
            for other in 0..=255 {
                let mut changed = bytes.clone();
                changed[place] = other;
                if let Some(read) = scene(&changed) {
                    assert_eq!(bytes_of(&read), changed, "byte {place} as {other}");
                }
            }
        }
    }

    #[test]
    fn a_layer_of_another_size_than_the_board_is_refused() {
        let layer = Layer::new("ground", vec![None; 3]);
        let wrong = Scene { width: 2, height: 2, layers: vec![layer], ..Scene::default() };
        assert_eq!(scene(&bytes_of(&wrong)), None);
    }

    #[test]
    fn bytes_after_a_scene_are_refused() {
        let mut bytes = bytes_of(&Scene::default());
        bytes.push(0);
        assert_eq!(scene(&bytes), None);
    }
}
