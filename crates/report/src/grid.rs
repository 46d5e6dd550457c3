//! Grid: a table of the standings before a format writes it.

use super::columns::{self, Column};
use super::{Leaderboard, ratings};
use joust_standings::standings::{Standings, StandingsRow};

/// A table with a number and a bot at the left of each line.
pub(super) struct Grid {
    pub(super) headers: Vec<String>,
    /// Columns whose texts begin at the left.
    pub(super) left: Vec<usize>,
    pub(super) lines: Vec<Vec<GridCell>>,
}

/// A cell of a grid.
pub(super) enum GridCell {
    /// A bot, which may be the leader. Its name needs escaping.
    Bot {
        /// Its name.
        name: String,
        /// True if it is first.
        leads: bool,
    },
    /// A text that needs no more escaping.
    Text(String),
    /// Faults of a bot that has some.
    Faults(String),
}

impl Grid {
    /// Makes the leaderboard with these columns.
    pub(super) fn leaderboard(board: &Leaderboard<'_>, columns: &[Column]) -> Self {
        let headers = columns.iter().map(|column| column.header(board.standings).to_owned());
        let cell = |column: &Column, row: &StandingsRow, place: usize| {
            let is_faults = matches!(column, Column::Faults | Column::FaultsByVerdict);
            let text = column.rated(row, place, board.ratings);
            match is_faults && row.verdicts.faults() > 0 {
                true => GridCell::Faults(text),
                false => GridCell::Text(text),
            }
        };
        let lines = board.standings.playing().iter().enumerate().map(|(place, row)| {
            let cells = columns.iter().map(|column| cell(column, row, place));
            line(columns::rank(row), row, cells)
        });
        let is_left = |(_, column): &(usize, &Column)| **column == Column::FaultsByVerdict;
        let left = (2..).zip(columns).filter(is_left).map(|(place, _)| place);
        Self {
            headers: ["#", "bot"].map(str::to_owned).into_iter().chain(headers).collect(),
            left: [1].into_iter().chain(left).collect(),
            lines: lines.collect(),
        }
    }

    /// Makes the cross table of the best bots.
    pub(super) fn cross(standings: &Standings, bots: usize) -> Self {
        Self::of_pairs(standings, "won-drawn-lost", bots, |place| {
            standings.cross.line(place, bots).map(|cell| columns::cell(&cell)).collect()
        })
    }

    /// Makes the table of the probability that the bot of a line is stronger than the bot of a
    /// column, in percent.
    pub(super) fn superiority(standings: &Standings, matrix: &[Vec<Option<f64>>]) -> Self {
        Self::of_pairs(standings, "stronger, in %", matrix.len(), |place| {
            matrix[place].iter().map(|chance| ratings::percent(*chance)).collect()
        })
    }

    fn of_pairs(
        standings: &Standings,
        title: &str,
        bots: usize,
        texts: impl Fn(usize) -> Vec<String>,
    ) -> Self {
        let numbers = (1..=bots).map(|number| number.to_string());
        let lines = standings.playing()[..bots].iter().enumerate().map(|(place, row)| {
            let texts = texts(place).into_iter().enumerate();
            let cells = texts.map(|(other, text)| match other == place {
                true => GridCell::Text("·".to_owned()),
                false => GridCell::Text(text),
            });
            line((place + 1).to_string(), row, cells)
        });
        Self {
            headers: [String::new(), title.to_owned()].into_iter().chain(numbers).collect(),
            left: vec![1],
            lines: lines.collect(),
        }
    }
}

fn line(
    number: String,
    row: &StandingsRow,
    cells: impl Iterator<Item = GridCell>,
) -> Vec<GridCell> {
    let bot = GridCell::Bot { name: row.bot.name.clone(), leads: row.rank == Some(1) };
    [GridCell::Text(number), bot].into_iter().chain(cells).collect()
}
