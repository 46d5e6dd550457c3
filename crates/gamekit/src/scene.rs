//! Scene of a referee: a position as something to draw.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A position to draw: layers of cells with marks, lines and texts; or a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scene {
    /// Layers from bottom to top, all of the same size.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<PictureLayer>,
    /// Meaning of the characters of the layers; one that is missing is drawn as it is.
    #[serde(deserialize_with = "crate::unique::map", skip_serializing_if = "BTreeMap::is_empty")]
    pub legend: BTreeMap<char, Legend>,
    /// Single things on top.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<PictureMark>,
    /// Lines between squares.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<PictureLine>,
    /// Texts beside the board.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<PictureText>,
    /// A picture, SVG, in place of layers. What could run or load something is taken out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub svg: Option<String>,
}

/// A grid of characters; a space lets the layer below show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureLayer {
    /// Name of the layer's content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Rows from top to bottom, all of the same number of characters.
    pub rows: Vec<String>,
    /// The seats that are shown it; missing for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<u8>>,
}

/// Meaning of a character.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Legend {
    /// The shape: a kind of the viewer's, such as `disc`, `wall` or `player`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// `plain`, `dim`, `danger`, `bonus`, or `seat-0` for the colour of a seat.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub colour: String,
}

/// Something on a square.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureMark {
    /// Column, from 0 at the left.
    pub x: u16,
    /// Row, from 0 at the top.
    pub y: u16,
    /// The character, see [`Scene::legend`].
    pub symbol: char,
    /// Description for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// The seats that are shown it; missing for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<u8>>,
}

/// A line between the middles of two squares.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureLine {
    /// Column and row.
    pub from: [u16; 2],
    /// Column and row.
    pub to: [u16; 2],
    /// As in [`Legend::colour`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub colour: String,
    /// The seats that are shown it; missing for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<u8>>,
}

/// A text beside the board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureText {
    /// The text.
    pub text: String,
    /// As in [`Legend::colour`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub colour: String,
    /// The seats that are shown it; missing for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seen: Option<Vec<u8>>,
}

/// The most rows and columns of a board, and the most layers, marks, lines or texts.
const MOST: usize = 256;

/// The most squares, things and bytes of texts of a scene: what several seats are shown counts for
/// each of them, because viewers keep it so often.
const MOST_SHOWN: usize = 1 << 20;

impl Scene {
    /// Returns columns and rows of the board.
    pub fn size(&self) -> (usize, usize) {
        let rows = self.layers.first().map_or(&[][..], |layer| &layer.rows);
        (rows.first().map_or(0, |row| row.chars().count()), rows.len())
    }

    pub(crate) fn check(&self, seats: usize) -> Result<(), String> {
        let (width, height) = self.size();
        let lists = [self.layers.len(), self.marks.len(), self.lines.len(), self.texts.len()];
        if let Some(many) = lists.into_iter().chain([width, height]).find(|count| *count > MOST) {
            return Err(format!("`scene` has {many} of something, and {MOST} are allowed"));
        }
        self.layers.iter().enumerate().try_for_each(|(at, layer)| {
            let is_rectangle = layer.rows.len() == height
                && layer.rows.iter().all(|row| row.chars().count() == width);
            match is_rectangle {
                true => Ok(()),
                false => Err(format!(
                    "`scene.layers[{at}].rows` is no rectangle of {width} by {height} characters"
                )),
            }
        })?;
        self.check_squares(width, height)?;
        let shown = self.shown(width * height);
        if shown > MOST_SHOWN {
            return Err(format!(
                "`scene` has {shown} squares, things and bytes of texts, counted for each seat in `seen`, and {MOST_SHOWN} are allowed"
            ));
        }
        match self.seen().find(|seat| usize::from(*seat) >= seats) {
            Some(seat) => Err(format!("`scene` is shown to seat {seat}, and there are {seats}")),
            None => Ok(()),
        }
    }

    fn check_squares(&self, width: usize, height: usize) -> Result<(), String> {
        let marks = self.marks.iter().map(|mark| [mark.x, mark.y]);
        let lines = self.lines.iter().flat_map(|line| [line.from, line.to]);
        let is_outside = |[x, y]: &[u16; 2]| usize::from(*x) >= width || usize::from(*y) >= height;
        match marks.chain(lines).find(is_outside) {
            Some([x, y]) => {
                Err(format!("`scene` names the square {x}, {y} of {width} by {height}"))
            }
            None => Ok(()),
        }
    }

    /// Returns how many squares, things and bytes of texts a viewer keeps.
    fn shown(&self, squares: usize) -> usize {
        let layers = self.layers.iter().map(|one| (&one.seen, squares + one.name.len()));
        let marks = self.marks.iter().map(|one| (&one.seen, 1 + one.label.len()));
        let lines = self.lines.iter().map(|one| (&one.seen, 1));
        let texts = self.texts.iter().map(|one| (&one.seen, 1 + one.text.len()));
        let all = layers.chain(marks).chain(lines).chain(texts);
        all.map(|(seen, size)| seen.as_ref().map_or(1, Vec::len) * size).sum()
    }

    fn seen(&self) -> impl Iterator<Item = u8> + '_ {
        let layers = self.layers.iter().map(|layer| &layer.seen);
        let marks = self.marks.iter().map(|mark| &mark.seen);
        let lines = self.lines.iter().map(|line| &line.seen);
        let texts = self.texts.iter().map(|text| &text.seen);
        layers.chain(marks).chain(lines).chain(texts).flatten().flatten().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_scene_that_is_shown_often_is_refused() {
        let layer = PictureLayer {
            rows: vec!["x".repeat(MOST); MOST],
            seen: Some(vec![0; 16]),
            ..PictureLayer::default()
        };
        let mut scene = Scene { layers: vec![layer], ..Scene::default() };
        assert_eq!(scene.check(2), Ok(()));
        scene.texts.push(PictureText { text: String::new(), ..PictureText::default() });
        let why = scene.check(2).expect_err("it takes memory for every seat that is named");
        assert!(why.starts_with("`scene` has 1048577 squares"), "{why}");
    }
}
