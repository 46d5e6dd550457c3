//! Tables for terminals: leaderboard, then cross table.

use std::fmt::Write;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement};
use textwrap::{Options, WordSplitter, fill};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::columns::{self, Column};
use super::grid::{Grid, GridCell};
use super::{Colours, Format, Leaderboard, Superiority, TextStyle, ratings};
use joust_model::{escaped, on_one_line};
use joust_standings::standings::{Standings, StandingsRow};

/// The most bots of a cross table where no terminal limits it.
const MOST_BOTS: usize = 40;

/// The part of a terminal that names may have where a table is too wide for it.
const NAMES_SHARE: usize = 4;

/// Tables for terminals.
pub(super) struct TextTable(pub(super) TextStyle);

impl Format for TextTable {
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let standings = board.standings;
        let mut text = heading(standings);
        let (table, shown) = self.best_fit(board);
        push(&mut text, &table);
        push(&mut text, &wrapped(&explained(board, &shown), self.0.width));
        let cross = self.cross(standings);
        push(&mut text, &if cross.is_empty() { cross } else { format!("\n{cross}") });
        push(&mut text, &self.superiority(board));
        if columns::is_unfinished(standings) {
            push(&mut text, columns::MARK);
        }
        for row in standings.others() {
            push(&mut text, &other(row));
        }
        if let Some(head) = &standings.head {
            push(&mut text, &format!("\nchain: {head}"));
        }
        text
    }
}

fn push(text: &mut String, part: &str) {
    if !part.is_empty() {
        writeln!(text, "{part}").expect("a text takes all that is written");
    }
}

fn heading(standings: &Standings) -> String {
    let (event, game) = (escaped(&standings.event), escaped(&standings.game));
    let rules = escaped(&standings.rules);
    format!("{event}: {game}, {rules} rules, {}\n", columns::progress(standings))
}

/// Explains the ranks and the ratings, and names the columns that are left out.
fn explained(board: &Leaderboard<'_>, shown: &[Column]) -> String {
    let mut lines = vec![columns::ranked(board.standings)];
    if let Some(all) = board.ratings.filter(|_| shown.contains(&Column::Rating)) {
        let note = |note| format!("note: {}", ratings::note(note, escaped));
        lines.push(ratings::heading(all));
        lines.extend(all.notes.iter().map(note));
    }
    let left_out = left_out(board, shown);
    if !left_out.is_empty() {
        let left_out = left_out.join(", ");
        lines.push(format!("left out for width: {left_out}; `--format csv` has them"));
    }
    lines.join("\n")
}

/// The columns for which there was no room. Faults in one number are faults.
fn left_out(board: &Leaderboard<'_>, shown: &[Column]) -> Vec<&'static str> {
    let header = |column: &Column| column.header(board.standings);
    let shown: Vec<_> = shown.iter().map(header).collect();
    let all = columns::all(board);
    all.iter().map(header).filter(|name| !shown.contains(name)).collect()
}

/// Returns a text without colours in at most `width` columns, with an ellipsis where it is cut.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut wide = 0;
    let fits = |character: &char| {
        wide += character.width().unwrap_or(0);
        wide < width
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

/// No line begins with a stranger's text: a service that reads logs might obey it.
fn other(row: &StandingsRow) -> String {
    let (status, reason) = columns::status(&row.status);
    let date = columns::date(&row.status).map(|date| format!(" on {date}")).unwrap_or_default();
    format!("{status}{date}: {}: {}", escaped(&row.bot.name), on_one_line(&reason))
}

impl TextTable {
    /// The widest leaderboard that fits, and its columns. Where not all of it does, long names
    /// are shortened before columns are left out; the narrowest has its names wrapped when none
    /// does.
    fn best_fit(&self, board: &Leaderboard<'_>) -> (String, Vec<Column>) {
        let mut choices = vec![columns::all(board)];
        choices.extend(columns::narrower(board));
        let whole = self.lay_out(&Grid::leaderboard(board, &choices[0]), usize::MAX);
        if self.fits(&whole) {
            return (whole.trim_fmt(), choices.swap_remove(0));
        }
        let (longest, last) = (self.longest_name(), choices.last().cloned().unwrap_or_default());
        for columns in choices {
            let table = self.lay_out(&Grid::leaderboard(board, &columns), longest);
            if self.fits(&table) {
                return (table.trim_fmt(), columns);
            }
        }
        let mut narrowest = self.lay_out(&Grid::leaderboard(board, &last), usize::MAX);
        narrowest.set_content_arrangement(ContentArrangement::Dynamic);
        narrowest.set_width(self.0.width.unwrap_or(u16::MAX).saturating_sub(1));
        (narrowest.trim_fmt(), last)
    }

    /// Columns of a name where there is little room.
    fn longest_name(&self) -> usize {
        self.0.width.map_or(usize::MAX, |width| usize::from(width) / NAMES_SHARE)
    }

    fn fits(&self, table: &comfy_table::Table) -> bool {
        self.0.width.is_none_or(|limit| width(&table.trim_fmt()) <= usize::from(limit))
    }

    /// Formats a grid, with names of at most `longest_name` columns.
    fn lay_out(&self, grid: &Grid, longest_name: usize) -> comfy_table::Table {
        let mut table = empty(self.0);
        let is_coloured = self.0.colours == Colours::On;
        let aligned = |column: usize, cell: Cell| match grid.left.contains(&column) {
            true => cell,
            false => cell.set_alignment(CellAlignment::Right),
        };
        let header = |(column, text): (usize, &String)| {
            let cell = if column < 2 { Cell::new(text) } else { aligned(column, Cell::new(text)) };
            if is_coloured { cell.add_attribute(Attribute::Bold) } else { cell }
        };
        table.set_header(grid.headers.iter().enumerate().map(header));
        for line in &grid.lines {
            let cell = |(column, cell): (usize, &GridCell)| match cell {
                GridCell::Bot { name, leads } => {
                    let cell = Cell::new(cut(&escaped(name), longest_name));
                    let is_marked = *leads && is_coloured;
                    if is_marked {
                        cell.add_attribute(Attribute::Bold).fg(Color::Green)
                    } else {
                        cell
                    }
                }
                GridCell::Text(text) => aligned(column, Cell::new(text)),
                GridCell::Faults(text) => {
                    let cell = aligned(column, Cell::new(text));
                    if is_coloured { cell.fg(Color::Yellow) } else { cell }
                }
            };
            table.add_row(line.iter().enumerate().map(cell));
        }
        table
    }

    /// Returns the cross table; when it is too wide, a line on where to find it.
    fn cross(&self, standings: &Standings) -> String {
        let bots = standings.playing().len();
        if bots < 2 {
            return String::new();
        }
        if bots > MOST_BOTS {
            return too_wide("cross table: too many bots");
        }
        self.of_pairs("cross table", &Grid::cross(standings, bots))
    }

    /// Returns the table of superiority, if it is requested.
    fn superiority(&self, board: &Leaderboard<'_>) -> String {
        let is_wanted = board.superiority == Superiority::Shown && board.ratings.is_some();
        if is_wanted && board.standings.playing().len() > MOST_BOTS {
            return format!("\n{}", too_wide("superiority: too many bots"));
        }
        let Some(matrix) = board.matrix() else { return String::new() };
        let grid = Grid::superiority(board.standings, &matrix);
        format!("\n{}", self.of_pairs("superiority", &grid))
    }

    fn of_pairs(&self, name: &str, grid: &Grid) -> String {
        let table = self.lay_out(grid, self.longest_name());
        if self.fits(&table) {
            return table.trim_fmt();
        }
        too_wide(&format!("{name}: needs {} columns", width(&table.trim_fmt())))
    }
}

/// A table without lines yet.
pub(super) fn empty(look: TextStyle) -> comfy_table::Table {
    let mut table = comfy_table::Table::new();
    table.load_style(UTF8_FULL_CONDENSED);
    table.set_content_arrangement(ContentArrangement::Disabled);
    match look.colours {
        Colours::Off => table.force_no_tty(),
        Colours::On => table.enforce_styling(),
    };
    table
}

/// Columns of the widest line; colours take none.
fn width(text: &str) -> usize {
    text.lines().map(|line| uncoloured(line).width()).max().unwrap_or(0)
}

/// Leaves out the sequences that colours are made of: escape, `[`, numbers, `m`.
fn uncoloured(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    let shown = parts.map(|part| part.split_once('m').map_or(part, |(_, after)| after));
    shown.fold(first, |line, part| line + part)
}

pub(super) fn right(value: impl ToString) -> Cell {
    Cell::new(value.to_string()).set_alignment(CellAlignment::Right)
}

fn too_wide(reason: &str) -> String {
    format!("{reason}; `--format csv`, `json` and `markdown` have it")
}

/// Returns a text whose lines are broken at words where a terminal of `width` columns ends;
/// continued lines are indented.
pub fn wrapped(text: &str, width: Option<u16>) -> String {
    let Some(width) = width.map(usize::from) else { return text.to_owned() };
    let options = Options::new(width)
        .subsequent_indent("  ")
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    let lines: Vec<_> = text.lines().map(|line| fill(line, &options)).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_at_words_and_go_on_indented() {
        let text = "next: joust report --out site\nbye";
        assert_eq!(wrapped(text, Some(20)), "next: joust report\n  --out site\nbye");
        assert_eq!(wrapped(text, None), text);
    }

    #[test]
    fn a_word_that_is_too_long_stays_whole() {
        let text = "see https://contest.example/a-long-way";
        assert_eq!(wrapped(text, Some(10)), "see\n  https://contest.example/a-long-way");
    }

    #[test]
    fn a_text_that_is_too_wide_is_cut() {
        assert_eq!((cut("abcd", 4), cut("abcdef", 4)), ("abcd".to_owned(), "abc…".to_owned()));
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(uncoloured("a \u{1b}[38;5;10m\u{1b}[1mmum\u{1b}[0m b"), "a mum b");
        assert_eq!(width("\u{1b}[1mbot\u{1b}[0m\nmore"), 4);
    }
}
