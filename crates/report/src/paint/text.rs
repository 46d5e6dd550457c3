//! Text of a picture as shapes, in a font of the program's own: Latin, Greek and Cyrillic letters
//! of DejaVu Sans Bold (`font/LICENSE.txt`).

use std::sync::LazyLock;

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

static FONT: LazyLock<Face<'static>> = LazyLock::new(|| {
    Face::parse(include_bytes!("font/joust-sans-bold.ttf"), 0).expect("our own font is a font")
});

/// Character that replaces those that the font lacks.
const UNKNOWN: char = '?';

/// A text as a shape: its base line begins at the origin.
pub(super) struct TypesetText {
    pub(super) path: Option<Path>,
    pub(super) width: f32,
}

/// Sets a text in letters so high; one that is wider than `most` is cut, with an ellipsis.
pub(super) fn set(text: &str, height: f32, most: f32) -> TypesetText {
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
        let [one, two] = ["n", "nn"].map(|text| set(text, 10.0, 1000.0).width);
        assert!((two - 2.0 * one).abs() < 0.01 && one > 5.0);
        assert!(set(&"wide ".repeat(99), 10.0, 100.0).width <= 100.0);
    }

    #[test]
    fn what_the_font_has_not_is_a_question_mark() {
        assert_eq!(set("\u{4e2d}", 10.0, 99.0).width, set("?", 10.0, 99.0).width);
        assert!(set("", 10.0, 99.0).path.is_none());
    }
}
