//! Comma-separated values for spreadsheets and scripts, the cross table in the
//! last columns.

use super::{Format, Leaderboard, Superiority, columns, ratings};
use joust_model::{BoutSummary, Verdict, spreadsheet_cell as cell};
use joust_standings::standings::{Record, Standings, StandingsRow};

/// Comma-separated values: a header, then a line for each bot.
pub(super) struct Csv;

impl Format for Csv {
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let matrix = board.matrix();
        let line = |(place, row)| {
            let mut cells = line(board, place, row);
            cells.extend(matrix.iter().flat_map(|matrix| superiority(matrix, place)));
            cells
        };
        let lines = board.standings.rows.iter().enumerate().map(line);
        written(std::iter::once(header(board)).chain(lines))
    }
}

/// A cell of [`csv_lines`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Text of a stranger: never a formula.
    Text(String),
    /// A number that is written unchanged, or nothing.
    Number(String),
}

impl Cell {
    /// Makes the cell of a number.
    pub fn number(value: &impl ToString) -> Self {
        Self::Number(value.to_string())
    }

    fn shown(&self) -> String {
        match self {
            Self::Text(text) => cell(text),
            Self::Number(number) => number.clone(),
        }
    }
}

/// Returns lines of cells as comma-separated values, no text of them a formula.
pub fn csv_lines(lines: impl IntoIterator<Item = Vec<Cell>>) -> String {
    written(lines.into_iter().map(|line| line.iter().map(Cell::shown).collect()))
}

/// Returns the header of [`bout_cells`].
pub fn bout_columns() -> Vec<Cell> {
    let names = "bout event match number rounds seat bot rank score faults";
    names.split(' ').map(|name| Cell::Text(name.to_owned())).collect()
}

/// Returns a line for each seat of a bout; without points, rank and score are empty.
pub fn bout_cells<'a>(
    event: &'a str,
    bout: &'a BoutSummary,
    has_points: bool,
) -> impl Iterator<Item = Vec<Cell>> + 'a {
    let points = move |text: String| Cell::Number(if has_points { text } else { String::new() });
    bout.seats.iter().enumerate().map(move |(number, seat)| {
        vec![
            Cell::Text(bout.bout.to_string()),
            Cell::Text(event.to_owned()),
            Cell::number(&(bout.match_number + 1)),
            Cell::number(&(bout.number + 1)),
            Cell::number(&bout.rounds),
            Cell::number(&number),
            Cell::Text(seat.bot.to_string()),
            points(seat.rank.to_string()),
            points(seat.score.to_string()),
            Cell::number(&seat.verdicts.faults()),
        ]
    })
}

fn written(lines: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    for line in lines {
        writer.write_record(line).expect("memory takes all that is written");
    }
    let bytes = writer.into_inner().expect("memory takes all that is written");
    String::from_utf8(bytes).expect("cells are text")
}

const FIRST: [&str; 7] = ["rank", "bot", "author", "owner", "language", "status", "reason"];

const NUMBERS: [&str; 11] = [
    "matches_won",
    "matches_drawn",
    "matches_lost",
    "matches_unfinished",
    "bouts_won",
    "bouts_drawn",
    "bouts_lost",
    "bouts",
    "points",
    "score",
    "faults",
];

const RATING: [&str; 5] = ["rating_model", "rating", "rating_low", "rating_high", "rating_se"];

fn header(board: &Leaderboard<'_>) -> Vec<String> {
    let standings = board.standings;
    let faults = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok()).map(Verdict::name);
    let tie_breaks = standings.tie_breaks.iter().map(|criterion| criterion.name());
    let names = faults.chain(tie_breaks).map(|name| name.replace('-', "_"));
    let mut header: Vec<_> = FIRST.iter().chain(&NUMBERS).map(|name| (*name).to_owned()).collect();
    header.extend(tagged(names));
    header.extend(marks(standings).map(|(name, _)| name.to_owned()));
    header.extend(board.ratings.iter().flat_map(|_| RATING.map(str::to_owned)));
    let against = |word: &str| -> Vec<String> {
        let shown = &standings.playing()[..standings.cross.shown()];
        shown.iter().map(|row| cell(&format!("{word} {}", row.bot.name))).collect()
    };
    header.extend(against("vs"));
    if board.ratings.is_some() && board.superiority == Superiority::Shown {
        header.extend(against("stronger than"));
    }
    header
}

/// A tie-break may be called like a column that is there already.
fn tagged(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    names.enumerate().map(|(index, name)| {
        let faults = Verdict::ALL.len() - 1;
        if index < faults { name } else { format!("tie_break_{}_{name}", index - faults + 1) }
    })
}

fn line(board: &Leaderboard<'_>, place: usize, row: &StandingsRow) -> Vec<String> {
    let standings = board.standings;
    let (status, reason) = columns::status(&row.status);
    let bot = &row.bot;
    let mut line = vec![columns::rank(row), cell(&bot.name), cell(&bot.author), cell(&bot.owner)];
    line.extend([cell(&bot.language), status.to_owned(), cell(&reason)]);
    line.extend(record(&row.matches));
    line.push(row.matches.unfinished.to_string());
    line.extend(record(&row.bouts));
    line.extend([row.bouts.played().to_string(), row.points.to_string(), row.score.to_string()]);
    line.push(row.verdicts.faults().to_string());
    let faults = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok());
    line.extend(faults.map(|verdict| row.verdicts.of(verdict).to_string()));
    line.extend(tie_breaks(standings, row));
    line.extend(marks(standings).map(|(_, value)| value));
    line.extend(rating(board, place));
    line.extend(against(standings, place));
    line
}

/// Remarks on an event, the same in every line; most have none.
fn marks(standings: &Standings) -> impl Iterator<Item = (&'static str, String)> {
    let errors = standings.referee_errors;
    let errors = (errors > 0).then(|| ("event_referee_errors", errors.to_string()));
    let unrepeatable = standings.unrepeatable.then(|| ("event_rejudgeable", "no".to_owned()));
    errors.into_iter().chain(unrepeatable)
}

fn rating(board: &Leaderboard<'_>, place: usize) -> Vec<String> {
    let Some(all) = board.ratings else { return Vec::new() };
    let number = |value: Option<f64>| {
        value.map(|value| ratings::rounded(value).to_string()).unwrap_or_default()
    };
    let Some(own) = all.rows.get(place) else { return vec![String::new(); RATING.len()] };
    let numbers = [own.rating, own.low, own.high, own.se].map(number);
    std::iter::once(all.model.name().to_owned()).chain(numbers).collect()
}

/// From 0 to 1; nothing for the bot itself and for bots that do not play.
fn superiority(matrix: &[Vec<Option<f64>>], place: usize) -> Vec<String> {
    let Some(chances) = matrix.get(place) else { return vec![String::new(); matrix.len()] };
    let shown = |chance: &Option<f64>| {
        chance.map(|chance| ratings::rounded(chance).to_string()).unwrap_or_default()
    };
    chances.iter().map(shown).collect()
}

fn record(record: &Record) -> [String; 3] {
    [record.won, record.drawn, record.lost].map(|number| number.to_string())
}

fn tie_breaks(standings: &Standings, row: &StandingsRow) -> impl Iterator<Item = String> {
    let value = |index: usize| row.tie_breaks.get(index).copied().flatten();
    (0..standings.tie_breaks.len())
        .map(move |index| value(index).map(|value| value.to_string()).unwrap_or_default())
}

/// `w3 d1 l0`: three numbers with dashes would be read as a date.
fn against(standings: &Standings, place: usize) -> Vec<String> {
    let shown = standings.cross.shown();
    if place >= standings.playing().len() {
        return vec![String::new(); shown];
    }
    let cells = standings.cross.line(place, shown).map(|cell| match cell.bouts() {
        0 => String::new(),
        _ => format!("w{} d{} l{}", cell.won, cell.drawn, cell.lost),
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_below_zero_is_a_number_and_a_text_no_formula() {
        let line =
            vec![Cell::Text("-1".to_owned()), Cell::number(&-1), Cell::Number(String::new())];
        assert_eq!(csv_lines([line]), "'-1,-1,\n");
    }
}
