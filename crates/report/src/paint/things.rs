//! Things on a square, each drawn into the unit square.

use joust_referee::{Cell, Colour, Direction, Kind};

use super::canvas::{Align, Area, Canvas, Point, StrokeStyle};
use super::colours::Palette;

const MIDDLE: Point = Point { x: 0.5, y: 0.5 };
const WHITE: u32 = 0xff_ff_ff;
const FIRE: u32 = 0xe8_59_0c;
const SPARK: u32 = 0xff_d4_3b;
const VISOR: u32 = 0x10_14_1f;

/// Draws a cell; every other square of a ground is darker.
pub(super) fn draw(canvas: &mut Canvas<'_>, cell: Cell, is_odd: bool) {
    let colours = canvas.colours;
    let own = colour(cell, colours);
    let facing = cell.facing.unwrap_or(Direction::N);
    match cell.kind {
        Kind::Floor => ground(canvas, colours.of(if is_odd { "rv-floor-b" } else { "rv-floor-a" })),
        Kind::Water => ground(canvas, colours.of(if is_odd { "rv-water-b" } else { "rv-water-a" })),
        Kind::Wall => wall(canvas),
        Kind::Brick => brick(canvas),
        Kind::Crate => crate_(canvas),
        Kind::Ore => ore(canvas),
        Kind::Player => player(canvas, own, cell.symbol),
        Kind::Fallen => fallen(canvas, own),
        Kind::Bomb => bomb(canvas, cell),
        Kind::Mine => mine(canvas, colours.of("iron")),
        Kind::SpentMine => mine(canvas, colours.of("spent")),
        Kind::Bullet => canvas.disc(MIDDLE, 0.16, colours.of("shot")),
        Kind::Missile => missile(canvas),
        Kind::Blast => blast(canvas),
        Kind::Treasure => canvas.corners(
            &[(0.5, 0.85), (0.15, 0.42), (0.3, 0.2), (0.7, 0.2), (0.85, 0.42)],
            colours.of("treasure"),
        ),
        Kind::Ammo => canvas.disc(MIDDLE, 0.24, colours.of("iron")),
        Kind::BombBag | Kind::BlastRadius | Kind::SuperPower => badge(canvas, cell.symbol),
        Kind::Ship => ship(canvas, own, cell.symbol),
        Kind::Hit => blast(canvas),
        Kind::Miss => miss(canvas),
        Kind::Shield => canvas.ring(MIDDLE, 0.38, own),
        Kind::ShieldHit => canvas.ring(MIDDLE, 0.38, colours.of("spoilt")),
        Kind::Disc => disc(canvas, own, cell.symbol),
        Kind::Food => canvas.disc(MIDDLE, 0.28, FIRE),
        Kind::Hazard => hazard(canvas, cell.count.unwrap_or(1)),
        Kind::SnakeHead => snake_head(canvas, own, facing),
        Kind::SnakeBody => snake_body(canvas, own, facing),
        Kind::Sign => letter(canvas, cell.symbol, own, 0.6),
    }
}

fn colour(cell: Cell, colours: &Palette) -> u32 {
    match cell.colour {
        Colour::Seat(seat) => colours.seat(seat),
        Colour::Plain => colours.of("fg"),
        Colour::Dim => colours.of("muted"),
        Colour::Danger => FIRE,
        Colour::Bonus => colours.of("rv-bonus"),
    }
}

fn ground(canvas: &mut Canvas<'_>, colour: u32) {
    // A hair wider, so that no line is left between squares.
    canvas.rect(Area::new(0.0, 0.0, 1.02, 1.02), colour);
}

fn letter(canvas: &mut Canvas<'_>, symbol: char, colour: u32, height: f32) {
    let style = StrokeStyle { height, colour, align: Align::Middle, most: 1.0 };
    canvas.write(&symbol.to_string(), MIDDLE, style);
}

fn wall(canvas: &mut Canvas<'_>) {
    let colours = canvas.colours;
    ground(canvas, colours.of("rv-wall-side"));
    canvas.box_of(Area::new(0.03, 0.02, 0.94, 0.84), 0.12, colours.of("rv-wall-top"));
}

fn brick(canvas: &mut Canvas<'_>) {
    let [one, other] = ["rv-brick-a", "rv-brick-b"].map(|name| canvas.colours.of(name));
    ground(canvas, canvas.colours.of("rv-mortar"));
    for row in [0.0, 1.0, 2.0] {
        let shift = if row == 1.0 { 0.25 } else { 0.0 };
        let y = row / 3.0 + 0.03;
        canvas.rect(Area::new(0.02, y, 0.46 - shift, 0.28), other);
        canvas.rect(Area::new(0.52 - shift, y, 0.46, 0.28), one);
        canvas.rect(Area::new(1.02 - shift, y, shift, 0.28), other);
    }
}

fn crate_(canvas: &mut Canvas<'_>) {
    let [edge, side] = ["rv-wood-c", "rv-wood-b"].map(|name| canvas.colours.of(name));
    canvas.box_of(Area::new(0.05, 0.05, 0.9, 0.9), 0.08, edge);
    canvas.box_of(Area::new(0.15, 0.15, 0.7, 0.7), 0.03, side);
    canvas.line(Point { x: 0.2, y: 0.8 }, Point { x: 0.8, y: 0.2 }, edge);
}

fn ore(canvas: &mut Canvas<'_>) {
    let rock = [(0.18, 0.1), (0.72, 0.05), (0.96, 0.44), (0.8, 0.9), (0.2, 0.92), (0.04, 0.5)];
    canvas.corners(&rock, canvas.colours.of("rv-rock-a"));
    for at in [Point { x: 0.32, y: 0.6 }, Point { x: 0.64, y: 0.46 }] {
        canvas.disc(at, 0.1, canvas.colours.of("rv-ore-gem"));
    }
}

fn player(canvas: &mut Canvas<'_>, own: u32, symbol: char) {
    let [iron, on_seat] = ["iron", "on-seat"].map(|name| canvas.colours.of(name));
    canvas.box_of(Area::new(0.27, 0.76, 0.17, 0.14), 0.05, iron);
    canvas.box_of(Area::new(0.56, 0.76, 0.17, 0.14), 0.05, iron);
    canvas.line(Point { x: 0.5, y: 0.2 }, Point { x: 0.5, y: 0.1 }, own);
    canvas.disc(Point { x: 0.5, y: 0.09 }, 0.06, own);
    canvas.box_of(Area::new(0.16, 0.17, 0.68, 0.67), 0.2, own);
    canvas.box_of(Area::new(0.25, 0.28, 0.5, 0.23), 0.1, VISOR);
    for x in [0.39, 0.61] {
        canvas.disc(Point { x, y: 0.395 }, 0.06, WHITE);
    }
    let style = StrokeStyle { height: 0.28, colour: on_seat, align: Align::Middle, most: 1.0 };
    canvas.write(&symbol.to_string(), Point { x: 0.5, y: 0.68 }, style);
}

fn fallen(canvas: &mut Canvas<'_>, own: u32) {
    canvas.box_of(Area::new(0.16, 0.25, 0.68, 0.6), 0.2, canvas.colours.of("rv-wall-top"));
    canvas.line(Point { x: 0.35, y: 0.4 }, Point { x: 0.65, y: 0.7 }, own);
    canvas.line(Point { x: 0.65, y: 0.4 }, Point { x: 0.35, y: 0.7 }, own);
}

fn bomb(canvas: &mut Canvas<'_>, cell: Cell) {
    let [fuse, iron, on_iron] = ["rv-fuse", "iron", "on-iron"].map(|name| canvas.colours.of(name));
    canvas.line(Point { x: 0.62, y: 0.3 }, Point { x: 0.76, y: 0.14 }, fuse);
    canvas.disc(Point { x: 0.48, y: 0.56 }, 0.32, iron);
    canvas.disc(Point { x: 0.78, y: 0.13 }, 0.07, SPARK);
    let style = StrokeStyle { height: 0.36, colour: on_iron, align: Align::Middle, most: 0.6 };
    if let Some(count) = cell.count {
        canvas.write(&count.to_string(), Point { x: 0.48, y: 0.57 }, style);
    }
}

fn mine(canvas: &mut Canvas<'_>, colour: u32) {
    for (x, y) in [(0.5, 0.2), (0.8, 0.5), (0.5, 0.8), (0.2, 0.5)] {
        canvas.line(MIDDLE, Point { x, y }, colour);
    }
    canvas.disc(MIDDLE, 0.22, colour);
}

fn missile(canvas: &mut Canvas<'_>) {
    canvas.disc(MIDDLE, 0.24, canvas.colours.of("missile"));
    canvas.disc(MIDDLE, 0.12, WHITE);
}

fn blast(canvas: &mut Canvas<'_>) {
    let star = |reach: f32| {
        let corner = |number: u8| {
            let angle = f32::from(number) * std::f32::consts::PI / 8.0;
            let reach = if number.is_multiple_of(2) { reach } else { reach * 0.6 };
            (0.5 + angle.sin() * reach, 0.5 - angle.cos() * reach)
        };
        (0..16).map(corner).collect::<Vec<_>>()
    };
    canvas.corners(&star(0.46), FIRE);
    canvas.corners(&star(0.26), SPARK);
}

fn badge(canvas: &mut Canvas<'_>, symbol: char) {
    canvas.disc(MIDDLE, 0.36, canvas.colours.of("rv-bonus"));
    letter(canvas, symbol, WHITE, 0.42);
}

fn ship(canvas: &mut Canvas<'_>, own: u32, symbol: char) {
    canvas.box_of(Area::new(0.03, 0.03, 0.94, 0.94), 0.2, own);
    let on_seat = canvas.colours.of("on-seat");
    letter(canvas, symbol, on_seat, 0.4);
}

fn miss(canvas: &mut Canvas<'_>) {
    let ripple = canvas.colours.of("rv-ripple");
    canvas.ring(MIDDLE, 0.24, ripple);
    canvas.disc(MIDDLE, 0.09, ripple);
}

fn disc(canvas: &mut Canvas<'_>, own: u32, symbol: char) {
    canvas.disc(MIDDLE, 0.43, own);
    let on_seat = canvas.colours.of("on-seat");
    canvas.ring(MIDDLE, 0.32, on_seat);
    letter(canvas, symbol, on_seat, 0.36);
}

/// Draws a hazard, darker the more layers it has.
fn hazard(canvas: &mut Canvas<'_>, layers: u32) {
    let strength = u8::try_from(layers.min(4)).unwrap_or(4);
    canvas.alpha *= 0.15 + 0.15 * f32::from(strength);
    canvas.rect(Area::new(0.0, 0.0, 1.0, 1.0), FIRE);
}

/// Draws a piece of a snake, joined to the next one towards the head.
fn snake_body(canvas: &mut Canvas<'_>, own: u32, facing: Direction) {
    const SIDE: f32 = 0.76;
    let area = |x: f32, y: f32| Area::new(x, y, SIDE, SIDE);
    let margin = (1.0 - SIDE) / 2.0;
    canvas.box_of(area(margin, margin), 0.16, own);
    let (x, y) = toward(facing, 0.5);
    canvas.rect(area(margin + x, margin + y), own);
}

fn snake_head(canvas: &mut Canvas<'_>, own: u32, facing: Direction) {
    canvas.box_of(Area::new(0.06, 0.06, 0.88, 0.88), 0.3, own);
    let ((x, y), (aside_x, aside_y)) = (toward(facing, 0.16), toward(facing, 0.2));
    for side in [-1.0, 1.0] {
        let eye = Point { x: 0.5 + x + aside_y * side, y: 0.5 + y + aside_x * side };
        canvas.disc(eye, 0.12, WHITE);
        canvas.disc(eye, 0.06, VISOR);
    }
}

/// Returns the way to a point in this direction.
fn toward(direction: Direction, distance: f32) -> (f32, f32) {
    let (x, y) = direction.delta();
    (x as f32 * distance, y as f32 * distance)
}

#[cfg(test)]
mod tests {
    use tiny_skia::Pixmap;

    use super::super::colours::Theme;
    use super::*;

    #[test]
    fn every_kind_is_drawn_in_both_themes() {
        for theme in [Theme::Light, Theme::Dark] {
            for kind in Kind::ALL {
                let mut pixels = Pixmap::new(20, 20).expect("not empty");
                let canvas = Canvas::whole(&mut pixels, theme.colours());
                let (symbol, count) = ('a', Some(1));
                let cell = Cell { kind, symbol, colour: Colour::Seat(3), count, facing: None };
                draw(&mut Canvas { size: 20.0, ..canvas }, cell, true);
                assert!(pixels.data().iter().any(|byte| *byte > 0), "{kind:?}");
            }
        }
    }
}
