//! Viewer hints of a game whose referee is a program of its own: how its positions are
//! drawn. They decide nothing, and are no part of its rules.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Colour, Kind};

/// How positions of a game are drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewerSpec {
    /// What of a position's text is a board.
    pub board: BoardText,
    /// What characters of a board stand for, where a picture does not say it itself.
    pub legend: BTreeMap<char, Glyph>,
    /// Whether seats are shown the board of a position's text, too: it hides nothing.
    pub is_open: bool,
    /// What seats are called, in their order; those beyond have no name.
    pub seats: Vec<String>,
    /// How long a position stands in a replay, where nobody says.
    pub pace: Option<Duration>,
}

/// What of a position's text is a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardText {
    /// Nothing.
    #[default]
    None,
    /// The lines that it begins with, as far as they are as long as the first: a square a
    /// character.
    State,
}

impl BoardText {
    /// All, by the words of a game's file.
    pub const WORDS: [(&'static str, Self); 2] = [("none", Self::None), ("state", Self::State)];
}

/// What a character of a board stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// What it is.
    pub kind: Kind,
    /// Its colour.
    pub colour: Colour,
}
