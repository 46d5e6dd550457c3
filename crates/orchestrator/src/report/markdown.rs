//! Markdown tables, as pull requests and wikis show them.

use std::fmt::Write;

use super::escape::code_span;
use super::{Format, columns};
use crate::standings::{Row, Standings};

/// Markdown tables.
pub(super) struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn standings(&self, standings: &Standings) -> String {
        let mut text = heading(standings);
        leaderboard(&mut text, standings);
        if standings.playing().len() > 1 {
            cross(&mut text, standings);
        }
        if columns::is_unfinished(standings) {
            push(&mut text, format_args!("\n\\{}\n", columns::MARK));
        }
        others(&mut text, standings);
        if let Some(head) = &standings.head {
            let hash = head.hash;
            push(&mut text, format_args!("\nchain: {} links, head `{hash}`\n", head.links));
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

fn leaderboard(text: &mut String, standings: &Standings) {
    let columns = columns::all(standings);
    let headers: Vec<_> = columns.iter().map(|column| column.header(standings)).collect();
    push(text, format_args!("| # | bot | {} |\n", headers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(headers.len())));
    for row in standings.playing() {
        let values: Vec<_> = columns.iter().map(|column| column.value(row)).collect();
        let values = values.join(" | ").replace('*', "\\*");
        let (rank, name) = (columns::rank(row), code_span(&row.bot.name));
        push(text, format_args!("| {rank} | {name} | {values} |\n"));
    }
}

fn cross(text: &mut String, standings: &Standings) {
    let bots = standings.playing().len();
    let numbers: Vec<_> = (1..=bots).map(|number| number.to_string()).collect();
    push(text, format_args!("\n|  | won-drawn-lost | {} |\n", numbers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(bots)));
    for (place, (row, cells)) in standings.playing().iter().zip(&standings.cross).enumerate() {
        push(text, format_args!("| {} | {} |", place + 1, code_span(&row.bot.name)));
        for (other, cell) in cells.iter().enumerate() {
            let shown = if other == place { "·".to_owned() } else { columns::cell(cell) };
            push(text, format_args!(" {} |", shown.replace('*', "\\*")));
        }
        text.push('\n');
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

fn other(row: &Row) -> String {
    let (status, reason) = columns::status(&row.status);
    let date = columns::date(&row.status).map(|date| format!(" on {date}")).unwrap_or_default();
    let reason: Vec<_> = reason.lines().filter(|line| !line.is_empty()).map(code_span).collect();
    format!("{status}{date}: {}: {}", code_span(&row.bot.name), reason.join(" "))
}
