//! Markdown tables, as pull requests and wikis show them.

use std::fmt::Write;

use super::grid::{Grid, GridCell};
use super::{Format, Leaderboard, columns, ratings};
use joust_model::{code_span, counted};
use joust_standings::standings::{Standings, StandingsRow};

/// Markdown tables.
pub(super) struct Markdown;

impl Format for Markdown {
    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let standings = board.standings;
        let mut text = heading(standings);
        write_grid(&mut text, &Grid::leaderboard(board, &columns::all(board)));
        explain(&mut text, board);
        if standings.playing().len() > 1 {
            cross(&mut text, standings);
            superiority(&mut text, board);
        }
        if columns::is_unfinished(standings) {
            push(&mut text, format_args!("\n\\{}\n", columns::MARK));
        }
        others(&mut text, standings);
        if let Some(head) = &standings.head {
            let hash = head.hash;
            push(
                &mut text,
                format_args!("\nchain: {}, head `{hash}`\n", counted(head.links, "link")),
            );
        }
        text
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a text takes all that is written");
}

fn heading(standings: &Standings) -> String {
    let (event, game) = (code_span(&standings.event), code_span(&standings.game));
    let (rules, progress) = (code_span(&standings.rules), columns::progress(standings));
    format!("### {event}\n\n{game}, rules {rules}, {progress}\n\n")
}

fn write_grid(text: &mut String, grid: &Grid) {
    push(text, format_args!("| {} |\n", grid.headers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(grid.headers.len() - 2)));
    for line in &grid.lines {
        let cell = |cell: &GridCell| match cell {
            GridCell::Bot { name, .. } => code_span(name),
            GridCell::Text(text) | GridCell::Faults(text) => text.replace('*', "\\*"),
        };
        let cells: Vec<_> = line.iter().map(cell).collect();
        push(text, format_args!("| {} |\n", cells.join(" | ")));
    }
}

/// Adds notes on the ranking criteria and on the ratings.
fn explain(text: &mut String, board: &Leaderboard<'_>) {
    push(text, format_args!("\n{}\n", columns::ranked(board.standings)));
    let Some(all) = board.ratings else { return };
    push(text, format_args!("\n{}\n", ratings::heading(all)));
    for note in &all.notes {
        push(text, format_args!("\nNote: {}\n", ratings::note(note, code_span)));
    }
}

fn superiority(text: &mut String, board: &Leaderboard<'_>) {
    if let Some(matrix) = board.matrix() {
        text.push('\n');
        write_grid(text, &Grid::superiority(board.standings, &matrix));
    }
}

fn cross(text: &mut String, standings: &Standings) {
    let bots = standings.cross.shown();
    text.push('\n');
    write_grid(text, &Grid::cross(standings, bots));
    if bots < standings.playing().len() {
        let all = counted(standings.playing().len() as u64, "bot");
        push(text, format_args!("\nThis table is of the best {bots} of {all}.\n"));
    }
}

fn others(text: &mut String, standings: &Standings) {
    if !standings.others().is_empty() {
        text.push('\n');
    }
    for row in standings.others() {
        push(text, format_args!("- {}\n", other(row)));
    }
}

fn other(row: &StandingsRow) -> String {
    let (status, reason) = columns::status(&row.status);
    let date = columns::date(&row.status).map(|date| format!(" on {date}")).unwrap_or_default();
    let reason: Vec<_> = reason.lines().filter(|line| !line.is_empty()).map(code_span).collect();
    format!("{status}{date}: {}: {}", code_span(&row.bot.name), reason.join(" "))
}
