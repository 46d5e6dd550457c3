//! Standings and bouts as texts for people and programs: one file per format.
//!
//! Names and reasons come from strangers. Each format writes them as text: never
//! as mark-up, a formula, or something a terminal obeys.
#![forbid(unsafe_code)]

mod classic;
mod columns;
mod csv;
mod grid;
pub mod json;
mod machines;
mod markdown;
mod original;
pub mod paint;
mod pair_bouts;
pub mod progress;
mod ratings;
pub mod site;
mod table;
mod timestamp;

pub use csv::{Cell, bout_cells, bout_columns, csv_lines};
pub use machines::{WorkerBouts, WorkerLine, calibrations, workers};
pub use original::{
    OriginalRecording, OriginalReplay, RecordedInputs, ReplayUnavailable, WriteFile, bot_type,
};
pub use pair_bouts::PairBouts;
pub use table::{cut, wrapped};
pub use timestamp::format_timestamp;

use std::io;

use joust_referee::Game;
use joust_standings::ratings::event::EventRatings;
use joust_standings::standings::Standings;

/// Permission to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colours {
    /// Never.
    #[default]
    Off,
    /// Colours where they help.
    On,
}

/// Abilities of the place where a text is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStyle {
    /// Columns of the terminal; `None` when it is not shown in one.
    pub width: Option<u16>,
    /// True if colours are wanted.
    pub colours: Colours,
}

/// A way to write standings.
pub trait Format {
    /// Returns standings with ratings as a text that ends with a line break.
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String;

    /// Writes the text of [`Format::leaderboard`], a part at a time if it may be large.
    ///
    /// # Errors
    ///
    /// Those of `to`.
    fn write(&self, board: &Leaderboard<'_>, to: &mut dyn io::Write) -> io::Result<()> {
        to.write_all(self.leaderboard(board).as_bytes())
    }
}

/// Choice to show how likely each bot is stronger than each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Superiority {
    /// No.
    #[default]
    Hidden,
    /// As a matrix.
    Shown,
}

/// Contents of a leaderboard.
#[derive(Clone, Copy, Debug)]
pub struct Leaderboard<'a> {
    /// The game, where it is known.
    pub game: Option<&'a Game>,
    /// Points and ranks.
    pub standings: &'a Standings,
    /// Ratings of the bots that play, in the order of the standings' rows.
    pub ratings: Option<&'a EventRatings>,
    /// Choice to show the matrix.
    pub superiority: Superiority,
    /// The bouts of each pair, for programs; none where they are not requested.
    pub bouts: Option<&'a PairBouts>,
}

impl Leaderboard<'_> {
    /// Returns the matrix when it is requested and there are ratings; of a large field, the matrix
    /// of the best bots.
    fn matrix(&self) -> Option<Vec<Vec<Option<f64>>>> {
        let is_shown = self.superiority == Superiority::Shown;
        let rows = self.standings.cross.shown();
        self.ratings.filter(|_| is_shown).map(|all| all.superiority_matrix(rows))
    }
}

/// Returns every format with its name, in the order people are shown them.
pub fn formats(look: TextStyle) -> [(&'static str, Box<dyn Format>); 5] {
    [
        ("text", Box::new(table::TextTable(look))),
        ("markdown", Box::new(markdown::Markdown)),
        ("json", Box::new(json::Json)),
        ("csv", Box::new(csv::Csv)),
        ("classic", Box::new(classic::Classic)),
    ]
}

/// Returns the format called `name`.
pub fn find(name: &str, look: TextStyle) -> Option<Box<dyn Format>> {
    let mut all = formats(look).into_iter();
    all.find(|(known, _)| *known == name).map(|(_, format)| format)
}
