//! Board of a scene: its cells from the ground up, its marks, its labels.

use joust_referee::{Cell, Kind, Scene};
use tiny_skia::Pixmap;

use super::canvas::{Align, Canvas, Point, StrokeStyle};
use super::colours::Palette;
use super::layout::Layout;
use super::things;

/// A board on a picture: where its top left corner is, and pixels of a square.
pub(super) struct BoardPainter<'a> {
    pub(super) scene: &'a Scene,
    pub(super) layout: &'a Layout,
    pub(super) names: &'a [String],
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) tile: f32,
    pub(super) colours: &'static Palette,
}

/// Something on a square.
struct BoardItem {
    x: u16,
    y: u16,
    cell: Cell,
}

impl BoardPainter<'_> {
    /// Draws it.
    pub(super) fn draw(&self, pixels: &mut Pixmap) {
        let colours = self.colours;
        let (x, y, size) = (self.x, self.y, self.tile);
        let mut canvas = Canvas { x, y, size, ..Canvas::whole(pixels, colours) };
        let mut things = self.things();
        things.sort_by_key(|thing| order(thing.cell.kind));
        for thing in things {
            if let Some((x, y)) = self.layout.place(thing.x, thing.y) {
                things::draw(&mut canvas.at(x, y), thing.cell, (thing.x + thing.y) % 2 == 1);
            }
        }
        for label in self.layout.labels(self.names) {
            let colour = label.seat.map_or(colours.of("fg"), |seat| colours.seat(seat));
            let style = StrokeStyle {
                height: label.height,
                colour,
                align: Align::Middle,
                most: label.most,
            };
            canvas.write(&label.text, Point { x: label.x, y: label.y }, style);
        }
    }

    fn things(&self) -> Vec<BoardItem> {
        let width = usize::from(self.scene.width.max(1));
        let place = |index: usize| u16::try_from(index).unwrap_or(u16::MAX);
        let cells = self.scene.layers.iter().flat_map(|layer| {
            let cells = layer.cells.iter().enumerate();
            cells.filter_map(|(index, cell)| {
                Some(BoardItem { x: place(index % width), y: place(index / width), cell: (*cell)? })
            })
        });
        let marks = self.scene.marks.iter();
        cells.chain(marks.map(|mark| BoardItem { x: mark.x, y: mark.y, cell: mark.cell })).collect()
    }
}

/// Order of what covers what, from the ground up.
fn order(kind: Kind) -> u8 {
    match kind {
        Kind::Floor | Kind::Water => 0,
        Kind::Wall | Kind::Brick | Kind::Crate | Kind::Ore | Kind::Ship | Kind::Sign => 1,
        Kind::Hazard | Kind::SpentMine | Kind::Mine => 2,
        Kind::Treasure | Kind::Ammo | Kind::BombBag | Kind::BlastRadius | Kind::SuperPower => 3,
        Kind::Shield | Kind::Miss | Kind::Hit | Kind::ShieldHit | Kind::Disc | Kind::Food => 4,
        Kind::Fallen | Kind::SnakeBody => 5,
        Kind::Bomb => 6,
        Kind::Player | Kind::SnakeHead => 7,
        Kind::Bullet | Kind::Missile | Kind::Blast => 8,
    }
}
