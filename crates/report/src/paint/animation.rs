//! Animation: a recorded bout as a GIF, for places that show only pictures.

use std::borrow::Cow;
use std::io::Write;

use gif::{DisposalMethod, Encoder, EncodingError, Frame, Repeat};
use joust_model::{FoldError, Round, StoredBout, escaped};
use joust_referee::Catalogue;
use tiny_skia::Pixmap;

use super::board::BoardPainter;
use super::canvas::{Align, Area, Canvas, Point, StrokeStyle};
use super::colours::{Palette, Theme, opaque};
use super::layout::Layout;
use super::positions::{Position, StillPicture, positions};

/// Largest board, pixels.
const LARGEST: f32 = 480.0;

/// The largest square, pixels.
const LARGEST_TILE: f32 = 40.0;

/// The least width, so that names can be read.
const NARROWEST: f32 = 240.0;

/// Height of the lines above and below the board.
const LINE: f32 = 28.0;

/// The most positions; of more, this many are chosen evenly.
const MOST: usize = 240;

/// Hundredths of a second for which a position is shown: for few positions, and for many.
const DELAYS: [u16; 2] = [50, 12];

/// Number of positions below which each is shown longer.
const FEW: usize = 60;

/// Hundredths of a second for which the last position is shown.
const REST: u16 = 400;

/// Speed of the choice of colours: 1 is best, 30 is fastest.
const SPEED: i32 = 10;

/// Reason why a bout cannot be an animation.
#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    /// It cannot be judged again.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// The game has no board.
    #[error(
        "the referee of this game shows no board that could be drawn; `--html` makes a page with \
         what it shows"
    )]
    NoBoard,
    /// The board is too large for a picture.
    #[error("the board cannot be drawn as a picture: it has {width} columns and {height} rows")]
    Size {
        /// Columns.
        width: u16,
        /// Rows.
        height: u16,
    },
    /// It cannot be written.
    #[error("the animation cannot be written")]
    Write(#[from] EncodingError),
}

/// Writes a recorded bout as a GIF that repeats for ever.
///
/// # Errors
///
/// [`AnimationError`].
pub fn write(
    games: &Catalogue,
    stored: &StoredBout,
    out: &mut dyn Write,
) -> Result<(), AnimationError> {
    let count = stored.result.rounds as usize + 1;
    let all = positions(games, stored, |number| is_chosen(number, count))?;
    let unit = if stored.plan.clock.is_some() { "tick" } else { "round" };
    let names: Vec<_> = stored.plan.seats.iter().map(|seat| escaped(&seat.bot)).collect();
    let film = Animation::of(&all, names, unit)?;
    let mut encoder = Encoder::new(out, film.width, film.height, &[])?;
    encoder.set_repeat(Repeat::Infinite)?;
    let mut before: Option<Pixmap> = None;
    for (number, position) in all.iter().enumerate() {
        let picture = film.picture(position);
        let is_last = number + 1 == all.len();
        let delay = if is_last { REST } else { DELAYS[usize::from(all.len() > FEW)] };
        encoder.write_frame(&frame(&picture, before.as_ref(), delay))?;
        before = Some(picture);
    }
    Ok(())
}

/// Returns a position of a bout, after a round, as a PNG file in a theme; `None` when it is too
/// large to draw.
pub fn picture(still: &StillPicture, round: Round, theme: Theme) -> Option<Vec<u8>> {
    let position = Position { round: Some(round), scene: still.scene.clone() };
    let positions = [position];
    let film = Animation::of(&positions, still.names.clone(), "round").ok()?;
    let film = Animation { colours: theme.colours(), ..film };
    film.picture(&positions[0]).encode_png().ok()
}

/// Returns whether a position after the first, of `count` in all, is one of at most [`MOST`].
fn is_chosen(number: usize, count: usize) -> bool {
    let place = |number: usize| number * (MOST - 1) / (count - 1);
    number < count && (count <= MOST || place(number) != place(number - 1))
}

/// Properties that all pictures of a bout share.
struct Animation {
    layout: Layout,
    tile: f32,
    left: f32,
    width: u16,
    height: u16,
    names: Vec<String>,
    unit: &'static str,
    colours: &'static Palette,
}

impl Animation {
    fn of(
        positions: &[Position],
        names: Vec<String>,
        unit: &'static str,
    ) -> Result<Self, AnimationError> {
        let scene = &positions[0].scene;
        let layout = Layout::of(scene);
        if scene.width == 0 || scene.height == 0 {
            return Err(AnimationError::NoBoard);
        }
        let tile = (LARGEST / layout.width.max(layout.height)).floor().min(LARGEST_TILE);
        if tile < 2.0 {
            return Err(AnimationError::Size { width: scene.width, height: scene.height });
        }
        let board = layout.width * tile;
        let (width, height) =
            (board.max(NARROWEST).ceil(), (layout.height * tile + 2.0 * LINE).ceil());
        let left = ((width - board) / 2.0).floor();
        // Both are at most a thousand.
        let [width, height] = [width, height].map(|length| length as u16);
        let colours = Theme::Light.colours();
        Ok(Self { layout, tile, left, width, height, names, unit, colours })
    }

    fn picture(&self, position: &Position) -> Pixmap {
        let mut pixels = Pixmap::new(self.width.into(), self.height.into()).expect("not empty");
        let colours = self.colours;
        pixels.fill(opaque(colours.of("bg")));
        let (scene, layout, names) = (&position.scene, &self.layout, &self.names[..]);
        let board =
            BoardPainter { scene, layout, names, x: self.left, y: LINE, tile: self.tile, colours };
        board.draw(&mut pixels);
        let mut canvas = Canvas::whole(&mut pixels, colours);
        self.write_names(&mut canvas);
        self.write_round(&mut canvas, position);
        pixels
    }

    /// Writes the names of the seats beside one another, each in its colour.
    fn write_names(&self, canvas: &mut Canvas<'_>) {
        let count = u16::try_from(self.names.len().max(1)).unwrap_or(u16::MAX);
        let part = f32::from(self.width) / f32::from(count);
        for (seat, name) in (0_u8..).zip(&self.names) {
            let x = part * f32::from(seat);
            let colour = self.colours.seat(seat);
            canvas.box_of(Area::new(x + 8.0, 8.0, 12.0, 12.0), 3.0, colour);
            let style = StrokeStyle { height: 14.0, colour, align: Align::Left, most: part - 32.0 };
            canvas.write(name, Point { x: x + 25.0, y: 14.0 }, style);
        }
    }

    fn write_round(&self, canvas: &mut Canvas<'_>, position: &Position) {
        let said = match position.round {
            Some(round) => format!("{} {round}", self.unit),
            None => "start".to_owned(),
        };
        let colour = self.colours.of("muted");
        let style = StrokeStyle { height: 13.0, colour, align: Align::Left, most: 200.0 };
        canvas.write(&said, Point { x: 8.0, y: f32::from(self.height) - 14.0 }, style);
    }
}

/// Returns the part of a picture that differs from the one before.
fn frame(picture: &Pixmap, before: Option<&Pixmap>, delay: u16) -> Frame<'static> {
    let whole = PixelBox { left: 0, top: 0, right: picture.width(), bottom: picture.height() };
    let area = before.map_or(whole, |before| differing(picture, before));
    let mut bytes = area.cut(picture);
    let length = |length: u32| u16::try_from(length).unwrap_or(u16::MAX);
    let (width, height) = (length(area.right - area.left), length(area.bottom - area.top));
    let mut frame = Frame::from_rgba_speed(width, height, &mut bytes, SPEED);
    frame.left = length(area.left);
    frame.top = length(area.top);
    frame.delay = delay;
    frame.dispose = DisposalMethod::Keep;
    frame.buffer = Cow::Owned(frame.buffer.into_owned());
    frame
}

/// Pixels from `left` and `top` up to `right` and `bottom`, at least one.
#[derive(Clone, Copy)]
struct PixelBox {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl PixelBox {
    fn cut(self, picture: &Pixmap) -> Vec<u8> {
        let mut bytes = Vec::new();
        for y in self.top..self.bottom {
            let at = |x: u32| (y * picture.width() + x) as usize * 4;
            bytes.extend_from_slice(&picture.data()[at(self.left)..at(self.right)]);
        }
        bytes
    }
}

fn differing(one: &Pixmap, other: &Pixmap) -> PixelBox {
    let width = one.width();
    let differ = |(index, (one, other)): (u32, (&[u8], &[u8]))| {
        (one != other).then_some((index % width, index / width))
    };
    let pairs = one.data().chunks_exact(4).zip(other.data().chunks_exact(4));
    let mut points = (0..).zip(pairs).filter_map(differ);
    let Some((x, y)) = points.next() else {
        return PixelBox { left: 0, top: 0, right: 1, bottom: 1 };
    };
    let first = PixelBox { left: x, top: y, right: x + 1, bottom: y + 1 };
    points.fold(first, |area, (x, y)| PixelBox {
        left: area.left.min(x),
        top: area.top.min(y),
        right: area.right.max(x + 1),
        bottom: area.bottom.max(y + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_positions_the_last_and_some_before_it_are_shown() {
        let chosen: Vec<_> = (1..2000).filter(|number| is_chosen(*number, 1000)).collect();
        assert_eq!((chosen.len(), chosen.last()), (MOST - 1, Some(&999)));
        assert_eq!((1..2000).filter(|number| is_chosen(*number, 10)).count(), 9);
    }

    #[test]
    fn only_what_differs_is_drawn_again() {
        let one = Pixmap::new(8, 8).expect("a picture");
        let mut other = one.clone();
        for (x, y) in [(2, 3), (5, 4)] {
            other.pixels_mut()[y * 8 + x] = opaque(0xff_ff_ff).premultiply().to_color_u8();
        }
        let area = differing(&other, &one);
        assert_eq!((area.left, area.top, area.right, area.bottom), (2, 3, 6, 5));
        assert_eq!(area.cut(&other).len(), 4 * 2 * 4);
    }
}
