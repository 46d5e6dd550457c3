//! Viewer hints of a game whose referee is a program of its own: how its positions are
//! drawn. They decide nothing, and are no part of its rules.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::{Colour, Kind};

/// Rules for drawing positions of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ViewerSpec {
    /// Part of a position's text that is a board.
    pub board: BoardText,
    /// Meaning of characters of a board, where a picture does not say it itself.
    pub legend: BTreeMap<char, Glyph>,
    /// True if seats are shown the board of a position's text, too: it hides nothing.
    pub is_open: bool,
    /// Names of seats, in their order; those beyond have no name.
    pub seats: Vec<String>,
    /// Time for which a replay shows a position by default.
    pub pace: Option<Duration>,
}

/// Part of a position's text that is a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BoardText {
    /// Nothing.
    #[default]
    None,
    /// The first line and those after it of the same length; each character is a square.
    State,
}

impl BoardText {
    /// All, by the words of a game's file.
    pub const WORDS: [(&'static str, Self); 2] = [("none", Self::None), ("state", Self::State)];
}

/// Meaning of a character of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph {
    /// Its kind.
    pub kind: Kind,
    /// Its colour.
    pub colour: Colour,
}
