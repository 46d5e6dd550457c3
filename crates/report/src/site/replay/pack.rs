//! Positions as their differences.

use std::borrow::Cow;
use std::collections::HashMap;

use joust_referee::{Cell, Colour, Layer, Mark, Panel, Scene, Text, VisibleTo};

use super::words::StringTable;

/// Difference of one position from the one before: flat lists of numbers.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Delta {
    /// Per changed cell: its number among the cells of all layers; its code in
    /// the palette plus 1, or 0 for none.
    pub(super) cells: Vec<u32>,
    /// Steps through the earlier marks: how many stay, how many are removed, how many are inserted,
    /// and for each inserted one its square, code, label and the seats that see it. Marks after the
    /// last step stay.
    pub(super) marks: Vec<u32>,
    /// Number of lines, then per changed line: its number, colour, word and the seats that see it.
    /// Empty when none has changed.
    pub(super) texts: Vec<u32>,
    /// Empty unless a line has changed: otherwise one more than their number, then for each the
    /// squares of its ends, its colour and the seats that see it.
    pub(super) lines: Vec<u32>,
    /// Word of a changed picture plus 1, or 0 for none. Else empty.
    pub(super) picture: Vec<u32>,
}

impl Delta {
    /// Returns the memory that it takes, bytes.
    fn size(&self) -> usize {
        let lists = [&self.cells, &self.marks, &self.texts, &self.lines, &self.picture];
        size_of_val(self) + lists.map(|list| size_of_val(&list[..])).iter().sum::<usize>()
    }
}

/// All positions of a bout.
#[derive(Debug)]
pub(super) struct Packed {
    pub(super) width: u16,
    pub(super) height: u16,
    /// Per layer its name and the seats that see it.
    pub(super) layers: Vec<(Cow<'static, str>, u32)>,
    /// Parts of the board with coordinates of their own.
    pub(super) panels: Vec<Panel>,
    /// Every cell there is, by code.
    pub(super) palette: Vec<Cell>,
    /// The first difference is from an empty board.
    pub(super) deltas: Vec<Delta>,
}

/// Takes positions one by one. The newest waits, as it may still be amended.
#[derive(Debug)]
pub(super) struct Packer {
    packed: Packed,
    codes: HashMap<Cell, u32>,
    before: Scene,
    newest: Scene,
    /// Memory that the differences take, bytes.
    size: usize,
}

impl Packer {
    /// Starts with the first position.
    pub(super) fn start(first: Scene) -> Self {
        let layers =
            first.layers.iter().map(|layer| (layer.name.clone(), seen(layer.seen))).collect();
        let packed = Packed {
            width: first.width,
            height: first.height,
            layers,
            panels: first.panels.clone(),
            palette: Vec::new(),
            deltas: Vec::new(),
        };
        Self { packed, codes: HashMap::new(), before: empty_like(&first), newest: first, size: 0 }
    }

    /// Returns the memory that the differences take, bytes.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Adds the position after a round.
    pub(super) fn push(&mut self, scene: Scene, words: &mut StringTable) {
        self.write_newest(words);
        self.before = std::mem::replace(&mut self.newest, scene);
    }

    /// Replaces the newest position by `scene`.
    pub(super) fn amend(&mut self, scene: Scene) {
        self.newest = scene;
    }

    /// Returns all positions.
    pub(super) fn finish(mut self, words: &mut StringTable) -> Packed {
        self.write_newest(words);
        self.packed
    }

    fn write_newest(&mut self, words: &mut StringTable) {
        let mut codes = Codes { codes: &mut self.codes, palette: &mut self.packed.palette };
        let (before, after) = (&self.before, &self.newest);
        let delta = Delta {
            cells: cells(&before.layers, &after.layers, &mut codes),
            marks: marks(before, after, |mark, out| {
                let square = u32::from(mark.y) * u32::from(after.width) + u32::from(mark.x);
                let label = words.number(&mark.label);
                out.extend([square, codes.of(mark.cell), label, seen(mark.seen)]);
            }),
            texts: texts(&before.texts, &after.texts, words),
            lines: lines(before, after),
            picture: picture(before, after, words),
        };
        self.size += delta.size();
        self.packed.deltas.push(delta);
    }
}

/// The codes of cells.
struct Codes<'a> {
    codes: &'a mut HashMap<Cell, u32>,
    palette: &'a mut Vec<Cell>,
}

impl Codes<'_> {
    fn of(&mut self, cell: Cell) -> u32 {
        *self.codes.entry(cell).or_insert_with(|| {
            self.palette.push(cell);
            u32::try_from(self.palette.len() - 1).unwrap_or(u32::MAX)
        })
    }
}

fn empty_like(scene: &Scene) -> Scene {
    let blank = |layer: &Layer| Layer { cells: vec![None; layer.cells.len()], ..layer.clone() };
    Scene {
        layers: scene.layers.iter().map(blank).collect(),
        width: scene.width,
        height: scene.height,
        ..Scene::default()
    }
}

/// Returns the seats that see something as a number: 0 all, 1 none, else the seat plus 2.
fn seen(seen: VisibleTo) -> u32 {
    match seen {
        VisibleTo::All => 0,
        VisibleTo::Nobody => 1,
        VisibleTo::Seat(seat) => u32::from(seat) + 2,
    }
}

/// Returns a colour as a number: a seat is its own plus 4.
pub(super) fn colour(colour: Colour) -> u32 {
    match colour {
        Colour::Plain => 0,
        Colour::Dim => 1,
        Colour::Danger => 2,
        Colour::Bonus => 3,
        Colour::Seat(seat) => u32::from(seat) + 4,
    }
}

fn cells(before: &[Layer], after: &[Layer], codes: &mut Codes<'_>) -> Vec<u32> {
    let mut delta = Vec::new();
    let mut first = 0;
    for (old, new) in before.iter().zip(after) {
        if old.cells != new.cells {
            let changed = (first..).zip(old.cells.iter().zip(&new.cells));
            for (number, (_, cell)) in changed.filter(|(_, (old, new))| old != new) {
                delta.extend([number, cell.map_or(0, |cell| codes.of(cell) + 1)]);
            }
        }
        first += u32::try_from(new.cells.len()).unwrap_or(u32::MAX);
    }
    delta
}

/// Walks through both lists. A mark that is found further on in the old list has
/// stayed, and those passed over have gone; one that is not found has come.
fn marks(before: &Scene, after: &Scene, mut write: impl FnMut(&Mark, &mut Vec<u32>)) -> Vec<u32> {
    let (old, new) = (&before.marks, &after.marks);
    let mut delta = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    loop {
        let same = old[at_old..].iter().zip(&new[at_new..]).take_while(|(old, new)| old == new);
        let stay = same.count();
        (at_old, at_new) = (at_old + stay, at_new + stay);
        if at_old == old.len() && at_new == new.len() {
            return delta;
        }
        let (gone, come) = change(&old[at_old..], &new[at_new..]);
        delta.extend([stay, gone, come].map(|count| u32::try_from(count).unwrap_or(u32::MAX)));
        new[at_new..at_new + come].iter().for_each(|mark| write(mark, &mut delta));
        (at_old, at_new) = (at_old + gone, at_new + come);
    }
}

/// Returns how many marks are removed from the front of `old`, and how many are inserted at the
/// front of `new`, before both continue with the same mark.
fn change(old: &[Mark], new: &[Mark]) -> (usize, usize) {
    for (come, mark) in new.iter().enumerate() {
        if let Some(gone) = old.iter().position(|old| old == mark) {
            return (gone, come);
        }
    }
    (old.len(), new.len())
}

fn texts(before: &[Text], after: &[Text], words: &mut StringTable) -> Vec<u32> {
    if before == after {
        return Vec::new();
    }
    let mut delta = vec![u32::try_from(after.len()).unwrap_or(u32::MAX)];
    for (number, line) in (0..).zip(after) {
        if before.get(number as usize) != Some(line) {
            delta.extend([number, colour(line.colour), words.number(&line.text), seen(line.seen)]);
        }
    }
    delta
}

fn lines(before: &Scene, after: &Scene) -> Vec<u32> {
    if before.lines == after.lines {
        return Vec::new();
    }
    let square = |(x, y): (u16, u16)| u32::from(y) * u32::from(after.width) + u32::from(x);
    let mut delta = vec![u32::try_from(after.lines.len()).unwrap_or(u32::MAX).saturating_add(1)];
    for line in &after.lines {
        delta.extend([square(line.from), square(line.to), colour(line.colour), seen(line.seen)]);
    }
    delta
}

fn picture(before: &Scene, after: &Scene, words: &mut StringTable) -> Vec<u32> {
    if before.picture == after.picture {
        return Vec::new();
    }
    vec![after.picture.as_ref().map_or(0, |svg| words.number(svg) + 1)]
}
