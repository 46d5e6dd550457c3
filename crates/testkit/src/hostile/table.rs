//! The table as text, for the documentation.

use std::fmt::Write;

use joust_referee::Limit;

use super::catalogue::{elsewhere, lines};
use super::row::{Command, Partial};
use super::{Row, Turn, rows};

/// Returns the whole table as Markdown: every line of the catalogue with its
/// rows, or where it is tested.
pub fn table() -> String {
    let rows = rows::all();
    let mut text = String::from(
        "| row | modes | the bot | program | must earn | limits | not enforced in |\n\
         |---|---|---|---|---|---|---|\n",
    );
    for line in lines() {
        match elsewhere(line.id) {
            Some(reason) => {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | | elsewhere: {reason} | | |",
                    line.id, line.modes, line.bot
                );
            }
            None => rows.iter().filter(|row| row.line() == line.id).for_each(|row| {
                let _ = writeln!(
                    text,
                    "| {} | {} | {} | {} |",
                    row.id,
                    line.modes,
                    line.bot,
                    cells(row)
                );
            }),
        }
    }
    text
}

fn cells(row: &Row) -> String {
    let each = |cell: fn(&Turn) -> String| {
        let cells: Vec<_> = row.turns.iter().map(cell).collect();
        cells.join("; then ")
    };
    let tiers: Vec<_> = row.partial.iter().map(tier).collect();
    format!("{} | {} | {} | {}", each(program), each(verdicts), each(limits), tiers.join(", "))
}

fn tier(partial: &Partial) -> String {
    format!("{} ({}: {})", partial.tier, partial.instead, partial.why)
}

fn program(turn: &Turn) -> String {
    match &turn.command {
        Command::Behaviour(name, _) => format!("`{name}`"),
        Command::Script(name, _) | Command::Shell(name) | Command::File(name) => {
            format!("`{name}`")
        }
    }
}

fn verdicts(turn: &Turn) -> String {
    let names: Vec<_> = turn.verdicts.iter().map(|verdict| verdict.name()).collect();
    let special = turn.check.map(|(words, _)| format!(", {words}")).unwrap_or_default();
    let each: Vec<_> =
        turn.talk.iter().flat_map(|talk| &talk.answers).map(|one| one.name()).collect();
    let each = if each.is_empty() { String::new() } else { format!(" ({})", each.join(", ")) };
    format!("{}{each}{special}", names.join(" or "))
}

fn limits(turn: &Turn) -> String {
    let names = |limits: &[Limit]| limits.iter().map(|limit| limit.name()).collect::<Vec<_>>();
    let mut words = names(&turn.hits);
    let may: Vec<_> = names(&turn.may_hit).iter().map(|name| format!("({name})")).collect();
    words.extend(may.iter().map(String::as_str));
    words.join(" ")
}
