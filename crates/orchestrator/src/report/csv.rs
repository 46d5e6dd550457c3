//! Comma-separated values for spreadsheets and scripts, the cross table in the
//! last columns.

use super::escape::cell;
use super::{Format, columns};
use crate::model::Verdict;
use crate::standings::{Record, Row, Standings};

/// Comma-separated values: a header, then a line for each bot.
pub(super) struct Csv;

impl Format for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn standings(&self, standings: &Standings) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let mut write = |line: Vec<String>| {
            writer.write_record(line).expect("every line has the same number of cells");
        };
        write(header(standings));
        for (place, row) in standings.rows.iter().enumerate() {
            write(line(standings, place, row));
        }
        let bytes = writer.into_inner().expect("memory takes all that is written");
        String::from_utf8(bytes).expect("cells are text")
    }
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

fn header(standings: &Standings) -> Vec<String> {
    let faults = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok()).map(Verdict::name);
    let tie_breaks = standings.tie_breaks.iter().map(|criterion| criterion.name());
    let names = faults.chain(tie_breaks).map(|name| name.replace('-', "_"));
    let mut header: Vec<_> = FIRST.iter().chain(&NUMBERS).map(|name| (*name).to_owned()).collect();
    header.extend(tagged(names));
    header.extend(standings.playing().iter().map(|row| cell(&format!("vs {}", row.bot.name))));
    header
}

/// A tie-break may be called like a column that is there already.
fn tagged(names: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    names.enumerate().map(|(index, name)| {
        let faults = Verdict::ALL.len() - 1;
        if index < faults { name } else { format!("tie_break_{}_{name}", index - faults + 1) }
    })
}

fn line(standings: &Standings, place: usize, row: &Row) -> Vec<String> {
    let (status, reason) = columns::status(&row.status);
    let bot = &row.bot;
    let mut line = vec![columns::rank(row), cell(&bot.name), cell(&bot.author), cell(&bot.owner)];
    line.extend([cell(&bot.language), status.to_owned(), cell(reason)]);
    line.extend(record(&row.matches));
    line.push(row.matches.unfinished.to_string());
    line.extend(record(&row.bouts));
    line.extend([row.bouts.played().to_string(), row.points.to_string(), row.score.to_string()]);
    line.push(row.verdicts.faults().to_string());
    let faults = Verdict::ALL.into_iter().filter(|verdict| !verdict.is_ok());
    line.extend(faults.map(|verdict| row.verdicts.of(verdict).to_string()));
    line.extend(tie_breaks(standings, row));
    line.extend(against(standings, place));
    line
}

fn record(record: &Record) -> [String; 3] {
    [record.won, record.drawn, record.lost].map(|number| number.to_string())
}

fn tie_breaks(standings: &Standings, row: &Row) -> impl Iterator<Item = String> {
    let value = |index: usize| row.tie_breaks.get(index).copied().flatten();
    (0..standings.tie_breaks.len())
        .map(move |index| value(index).map(|value| value.to_string()).unwrap_or_default())
}

/// `w3 d1 l0`: three numbers with dashes would be read as a date.
fn against(standings: &Standings, place: usize) -> Vec<String> {
    let Some(cells) = standings.cross.get(place) else {
        return vec![String::new(); standings.cross.len()];
    };
    let shown = cells.iter().map(|cell| match cell.bouts() {
        0 => String::new(),
        _ => format!("w{} d{} l{}", cell.won, cell.drawn, cell.lost),
    });
    shown.collect()
}
