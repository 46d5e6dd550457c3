//! `joust standings --watch`: the table as it moves.
//!
//! The database is asked whether anything was committed, which costs nothing; only
//! then is it read. On a terminal the table is redrawn in its place, cut at the
//! screen's height; elsewhere it is printed again when it has changed.

use std::io::{self, IsTerminal};
use std::time::Duration;

use joust_store::Store;

use super::standings::{StandingsOptions, text};
use crate::error::Failure;
use crate::exit_code::Status;
use crate::output::{Screen, terminal_height};
use crate::signals::Signals;

/// Prints the standings whenever they change, until Ctrl-C or until nobody reads.
pub(super) async fn watch(
    store: &Store,
    wanted: &StandingsOptions,
    interval: Duration,
    screen: Screen,
) -> Result<Status, Failure> {
    let mut signals = Signals::listen()?;
    tokio::select! {
        ended = show_changes(store, wanted, interval, screen) => ended,
        _ = signals.next() => Ok(Status::Done),
    }
}

async fn show_changes(
    store: &Store,
    wanted: &StandingsOptions,
    interval: Duration,
    screen: Screen,
) -> Result<Status, Failure> {
    let mut changes = store.changes().await?;
    let mut last = String::new();
    let mut warned = Vec::new();
    loop {
        if changes.has_news().await? {
            let mut shown = text(store, wanted, screen).await?;
            let text = io::read_to_string(&mut shown.text);
            let text = text.map_err(|error| Failure::from_error(Status::Machine, &error))?;
            let warnings = if io::stdout().is_terminal() {
                String::new()
            } else {
                new(&mut warned, shown.warnings)
            };
            screen.error(&warnings);
            if text != last && !show(&text, last.is_empty(), screen) {
                return Ok(Status::Done);
            }
            last = text;
        }
        tokio::time::sleep(interval).await;
    }
}

/// Returns the warnings that were not given before.
fn new(warned: &mut Vec<String>, warnings: Vec<String>) -> String {
    let fresh: Vec<_> = warnings.into_iter().filter(|warning| !warned.contains(warning)).collect();
    warned.extend(fresh.iter().cloned());
    fresh.concat()
}

/// Returns whether anybody is still there to see it.
pub(super) fn show(text: &str, is_first: bool, screen: Screen) -> bool {
    if !io::stdout().is_terminal() {
        let gap = if is_first { "" } else { "\n" };
        return screen.is_read(&format!("{gap}{text}"));
    }
    let cut = cut(text, terminal_height().map_or(usize::MAX, usize::from));
    // Home and clear below, so that tables replace one another.
    screen.is_read(&format!("\u{1b}[H\u{1b}[J{cut}"))
}

/// Leaves out what would push the first lines off a screen of so many lines.
fn cut(text: &str, height: usize) -> String {
    let lines: Vec<_> = text.lines().collect();
    let room = height.saturating_sub(2).max(1);
    if lines.len() <= room {
        return text.to_owned();
    }
    format!("{}\n… {} more lines\n", lines[..room].join("\n"), lines.len() - room)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_fits_is_shown_whole() {
        assert_eq!(cut("a\nb\nc\n", 5), "a\nb\nc\n");
    }

    #[test]
    fn a_table_that_is_too_long_keeps_its_top() {
        assert_eq!(cut("a\nb\nc\nd\n", 5), "a\nb\nc\n… 1 more lines\n");
        assert_eq!(cut("a\nb\n", 0), "a\n… 1 more lines\n");
    }

    #[test]
    fn a_warning_is_given_once() {
        let mut warned = Vec::new();
        assert_eq!(new(&mut warned, vec!["a".to_owned()]), "a");
        assert_eq!(new(&mut warned, vec!["a".to_owned(), "b".to_owned()]), "b");
    }
}
