//! Markdown tables, as pull requests and wikis show them.

use std::fmt::Write;

use super::escape::code_span;
use super::{Format, Leaderboard, columns, ratings};
use joust_model::counted;
use joust_tables::standings::{Row, Standings};

/// Markdown tables.
pub(super) struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn leaderboard(&self, board: &Leaderboard<'_>) -> String {
        let standings = board.standings;
        let mut text = heading(standings);
        leaderboard(&mut text, board);
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

fn leaderboard(text: &mut String, board: &Leaderboard<'_>) {
    let standings = board.standings;
    let columns = columns::all(board);
    let headers: Vec<_> = columns.iter().map(|column| column.header(standings)).collect();
    push(text, format_args!("| # | bot | {} |\n", headers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(headers.len())));
    for (place, row) in standings.playing().iter().enumerate() {
        let value = |column: &columns::Column| column.rated(row, place, board.ratings);
        let values: Vec<_> = columns.iter().map(value).collect();
        let values = values.join(" | ").replace('*', "\\*");
        let (rank, name) = (columns::rank(row), code_span(&row.bot.name));
        push(text, format_args!("| {rank} | {name} | {values} |\n"));
    }
}

/// Words on what ranks, on the ratings and on what a reader must know of them.
fn explain(text: &mut String, board: &Leaderboard<'_>) {
    push(text, format_args!("\n{}\n", columns::ranked(board.standings)));
    let Some(all) = board.ratings else { return };
    push(text, format_args!("\n{}\n", ratings::heading(all)));
    for note in &all.notes {
        push(text, format_args!("\nNote: {}\n", ratings::note(note, code_span)));
    }
}

fn superiority(text: &mut String, board: &Leaderboard<'_>) {
    let Some(matrix) = board.matrix() else { return };
    let rows = &board.standings.playing()[..matrix.len()];
    let numbers: Vec<_> = (1..=rows.len()).map(|number| number.to_string()).collect();
    push(text, format_args!("\n|  | stronger, in % | {} |\n", numbers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(rows.len())));
    for (place, (row, chances)) in rows.iter().zip(matrix).enumerate() {
        push(text, format_args!("| {} | {} |", place + 1, code_span(&row.bot.name)));
        for (other, chance) in chances.into_iter().enumerate() {
            let shown = if other == place { "·".to_owned() } else { ratings::percent(chance) };
            push(text, format_args!(" {shown} |"));
        }
        text.push('\n');
    }
}

fn cross(text: &mut String, standings: &Standings) {
    let bots = standings.cross.shown();
    let rows = &standings.playing()[..bots];
    let numbers: Vec<_> = (1..=bots).map(|number| number.to_string()).collect();
    push(text, format_args!("\n|  | won-drawn-lost | {} |\n", numbers.join(" | ")));
    push(text, format_args!("| ---: | :--- |{}\n", " ---: |".repeat(bots)));
    for (place, row) in rows.iter().enumerate() {
        push(text, format_args!("| {} | {} |", place + 1, code_span(&row.bot.name)));
        for (other, cell) in standings.cross.line(place, bots).enumerate() {
            let shown = if other == place { "·".to_owned() } else { columns::cell(&cell) };
            push(text, format_args!(" {} |", shown.replace('*', "\\*")));
        }
        text.push('\n');
    }
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

fn other(row: &Row) -> String {
    let (status, reason) = columns::status(&row.status);
    let date = columns::date(&row.status).map(|date| format!(" on {date}")).unwrap_or_default();
    let reason: Vec<_> = reason.lines().filter(|line| !line.is_empty()).map(code_span).collect();
    format!("{status}{date}: {}: {}", code_span(&row.bot.name), reason.join(" "))
}
