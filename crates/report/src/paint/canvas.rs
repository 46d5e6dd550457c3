//! Canvas: shapes in a unit square that is put anywhere on a picture, and texts.
//!
//! Texts are shapes, too, in a font of the program's own: Latin, Greek and Cyrillic letters of
//! DejaVu Sans Bold (`font/LICENSE.txt`).

use std::sync::LazyLock;

use tiny_skia::{FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Rect, Stroke, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::colours::{self, Palette};

/// A part of a picture whose squares are `size` pixels wide, with its origin at `x`, `y`.
pub(super) struct Canvas<'a> {
    pub(super) pixels: &'a mut Pixmap,
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    /// Opacity, from 0 (invisible) to 1.
    pub(super) alpha: f32,
    pub(super) colours: &'static Palette,
}

/// A rectangle in units of a canvas.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// A point in units of a canvas.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub(super) x: f32,
    pub(super) y: f32,
}

impl Area {
    pub(super) const fn new(x: f32, y: f32, width: f32, height: f32) -> Self {
        Self { x, y, width, height }
    }
}

impl<'a> Canvas<'a> {
    /// Returns the whole of a picture.
    pub(super) fn whole(pixels: &'a mut Pixmap, colours: &'static Palette) -> Self {
        Self { pixels, x: 0.0, y: 0.0, size: 1.0, alpha: 1.0, colours }
    }
}

impl Canvas<'_> {
    /// Returns the part of the picture whose unit square lies at `x`, `y`.
    pub(super) fn at(&mut self, x: f32, y: f32) -> Canvas<'_> {
        Canvas {
            x: self.x + x * self.size,
            y: self.y + y * self.size,
            size: self.size,
            alpha: self.alpha,
            colours: self.colours,
            pixels: self.pixels,
        }
    }

    fn transform(&self) -> Transform {
        Transform::from_row(self.size, 0.0, 0.0, self.size, self.x, self.y)
    }

    fn paint(&self, colour: u32) -> Paint<'static> {
        let mut color = colours::opaque(colour);
        color.apply_opacity(self.alpha);
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color(color);
        paint
    }

    /// Fills a shape.
    pub(super) fn fill(&mut self, path: Option<Path>, colour: u32) {
        let Some(path) = path else { return };
        let (paint, transform) = (self.paint(colour), self.transform());
        self.pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
    }

    /// Draws the outline of a shape.
    pub(super) fn draw(&mut self, path: Option<Path>, colour: u32, width: f32) {
        let Some(path) = path else { return };
        let stroke = Stroke { width, line_cap: LineCap::Round, ..Stroke::default() };
        let (paint, transform) = (self.paint(colour), self.transform());
        self.pixels.stroke_path(&path, &paint, &stroke, transform, None);
    }

    /// Fills a rectangle.
    pub(super) fn rect(&mut self, area: Area, colour: u32) {
        let rect = Rect::from_xywh(area.x, area.y, area.width, area.height);
        self.fill(rect.map(PathBuilder::from_rect), colour);
    }

    /// Fills a rectangle with round corners.
    pub(super) fn box_of(&mut self, area: Area, radius: f32, colour: u32) {
        self.fill(rounded(area, radius), colour);
    }

    /// Fills a disc.
    pub(super) fn disc(&mut self, at: Point, radius: f32, colour: u32) {
        self.fill(PathBuilder::from_circle(at.x, at.y, radius), colour);
    }

    /// Draws a circle.
    pub(super) fn ring(&mut self, at: Point, radius: f32, colour: u32) {
        self.draw(PathBuilder::from_circle(at.x, at.y, radius), colour, 0.06);
    }

    /// Fills a polygon.
    pub(super) fn corners(&mut self, corners: &[(f32, f32)], colour: u32) {
        self.fill(polygon(corners), colour);
    }

    /// Draws a line from point to point.
    pub(super) fn line(&mut self, from: Point, to: Point, colour: u32) {
        let mut path = PathBuilder::new();
        path.move_to(from.x, from.y);
        path.line_to(to.x, to.y);
        self.draw(path.finish(), colour, 0.08);
    }

    /// Writes a text in a style, with its anchor at a point; it is narrowed when it would be wider
    /// than `most`.
    pub(super) fn write(&mut self, said: &str, at: Point, style: StrokeStyle) {
        let set = typeset(said, style.height, style.most);
        let x = match style.align {
            Align::Middle => at.x - set.width / 2.0,
            Align::Left => at.x,
        };
        let transform = Transform::from_translate(x, at.y + style.height * 0.36);
        self.fill(set.path.and_then(|path| path.transform(transform)), style.colour);
    }
}

/// Style of a text; lengths are in units of the canvas.
#[derive(Clone, Copy)]
pub(super) struct StrokeStyle {
    pub(super) height: f32,
    pub(super) colour: u32,
    pub(super) align: Align,
    /// Its greatest width.
    pub(super) most: f32,
}

/// Part of a text that is at its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Middle,
    Left,
}

fn polygon(corners: &[(f32, f32)]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (number, (x, y)) in corners.iter().enumerate() {
        match number {
            0 => path.move_to(*x, *y),
            _ => path.line_to(*x, *y),
        }
    }
    path.close();
    path.finish()
}

fn rounded(area: Area, radius: f32) -> Option<Path> {
    let Area { x, y, width, height } = area;
    let (right, bottom) = (x + width, y + height);
    let r = radius.min(width / 2.0).min(height / 2.0);
    let mut path = PathBuilder::new();
    path.move_to(x + r, y);
    path.line_to(right - r, y);
    path.quad_to(right, y, right, y + r);
    path.line_to(right, bottom - r);
    path.quad_to(right, bottom, right - r, bottom);
    path.line_to(x + r, bottom);
    path.quad_to(x, bottom, x, bottom - r);
    path.line_to(x, y + r);
    path.quad_to(x, y, x + r, y);
    path.close();
    path.finish()
}

static FONT: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("font/joust-sans-bold.ttf"), 0).expect("our own font is a font")
});

/// Character that replaces those that the font lacks.
const UNKNOWN: char = '?';

/// A text as a shape: its base line begins at the origin.
struct TypesetText {
    path: Option<Path>,
    width: f32,
}

/// Sets a text in letters so high; one that is wider than `most` is cut, with an ellipsis.
fn typeset(text: &str, height: f32, most: f32) -> TypesetText {
    let scale = height / f32::from(FONT.units_per_em());
    let width = |glyphs: &[GlyphId]| glyphs.iter().map(|one| advance(*one)).sum::<f32>() * scale;
    let mut glyphs: Vec<GlyphId> = text.chars().filter_map(glyph).collect();
    if width(&glyphs) > most {
        let ellipsis = glyph('…');
        while !glyphs.is_empty() && width(&glyphs) + ellipsis.map_or(0.0, advance) * scale > most {
            glyphs.pop();
        }
        glyphs.extend(ellipsis);
    }
    let mut outline = Outline { path: PathBuilder::new(), at: 0.0 };
    for one in &glyphs {
        let _ = FONT.outline_glyph(*one, &mut outline);
        outline.at += advance(*one);
    }
    let path =
        outline.path.finish().and_then(|path| path.transform(Transform::from_scale(scale, scale)));
    TypesetText { path, width: width(&glyphs) }
}

fn glyph(character: char) -> Option<GlyphId> {
    FONT.glyph_index(character).or_else(|| FONT.glyph_index(UNKNOWN))
}

fn advance(glyph: GlyphId) -> f32 {
    f32::from(FONT.glyph_hor_advance(glyph).unwrap_or_default())
}

/// Outlines of letters one after the other; fonts count upwards, pictures downwards.
struct Outline {
    path: PathBuilder,
    at: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.at + x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.at + x, -y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.at + x1, -y1, self.at + x, -y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.at + x1, -y1, self.at + x2, -y2, self.at + x, -y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_wide_as_its_letters_and_never_wider_than_asked() {
        let [one, two] = ["n", "nn"].map(|text| typeset(text, 10.0, 1000.0).width);
        assert!((two - 2.0 * one).abs() < 0.01 && one > 5.0);
        assert!(typeset(&"wide ".repeat(99), 10.0, 100.0).width <= 100.0);
    }

    #[test]
    fn what_the_font_has_not_is_a_question_mark() {
        assert_eq!(typeset("\u{4e2d}", 10.0, 99.0).width, typeset("?", 10.0, 99.0).width);
        assert!(typeset("", 10.0, 99.0).path.is_none());
    }
}
