//! The report in Markdown, for a job's page or a comment.
//!
//! Whatever a bot or its author supplied stands in code spans and code blocks,
//! in which nothing is mark-up. What does not fit is left out whole, so that no
//! block stays open.

mod details;
mod event;
mod gate;
mod sentence;
mod text;

use super::report::{BotFiles, Outcome, Report};
use details::details;
use event::{bots, event_head, leaderboard, moved, pairings, rebuilt};
use gate::gates;
use text::{MOST_ROWS, file, folded, more, push, sentence, span};

/// The longest summary, bytes: below what a comment may have.
pub const LONGEST: usize = 60_000;

/// Returns the report in Markdown, at most [`LONGEST`] bytes.
#[must_use]
pub fn markdown(report: &Report) -> String {
    let mut page = Page::default();
    page.add(&head(report));
    page.add(&refusals(report));
    page.add(&problems(report));
    for event in &report.events {
        page.add(&event_head(event));
        page.add(&bots(event));
        page.add(&rebuilt(event));
        page.add(&moved(event));
    }
    page.add(&gates(report));
    for event in &report.events {
        for bot in &event.bots {
            page.add(&sentence::lost(bot));
            page.add(&details(bot));
        }
        page.add(&pairings(event));
    }
    for event in &report.events {
        page.add(&leaderboard(event));
    }
    page.add(&bot_files(report));
    page.add(&other_files(report));
    page.finish()
}

/// Blocks of text, of which those are kept that fit.
#[derive(Default)]
struct Page {
    text: String,
    is_cut: bool,
}

impl Page {
    fn add(&mut self, block: &str) {
        // The last line says what is missing.
        if self.text.len() + block.len() > LONGEST - 200 {
            self.is_cut = true;
        } else {
            self.text.push_str(block);
        }
    }

    fn finish(mut self) -> String {
        if self.is_cut {
            self.text.push_str("\nThis summary is cut short; `summary.json` has everything.\n");
        }
        self.text
    }
}

/// Returns what is to become of the change, in a few words.
#[must_use]
pub fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::InOrder => "in order",
        Outcome::Broken => "a bot is broken",
        Outcome::PlaysWithFaults => "a bot plays with faults",
        Outcome::Weaker => "weaker than what it replaces",
        Outcome::Undecided => "not decided whether it is weaker",
        Outcome::Refused => "refused",
        Outcome::Unfinished => "not finished, bouts are missing",
        Outcome::Infrastructure => "the machine failed, not the bot",
    }
}

fn head(report: &Report) -> String {
    let dry = report.dry_run && report.outcome.goes_on();
    let verdict = if dry { "a dry run, nothing was played" } else { verdict(report.outcome) };
    let mut text = format!("## Joust: {verdict}\n\n");
    text.extend(report.events.iter().map(sentence::sentences));
    let by = report.author.as_deref().map(|login| format!(", proposed by {}", span(login)));
    let (base, by) = (span(&report.base), by.unwrap_or_default());
    push(&mut text, format_args!("Compared with {base}{by}.\n"));
    let changed = report.events.iter().map(|event| event.bots.len()).sum::<usize>();
    if changed == 0 && report.problems.is_empty() && report.refusals.is_empty() {
        text.push_str("No bot is new, changed or removed.\n");
    }
    for note in &report.notes {
        push(&mut text, format_args!("\n- {}\n", sentence(note)));
    }
    text
}

fn refusals(report: &Report) -> String {
    let mut text = String::new();
    if !report.refusals.is_empty() {
        text.push_str("\n### Refused\n\nNothing was built or played.\n\n");
    }
    for refusal in report.refusals.iter().take(MOST_ROWS) {
        let about = [refusal.bot.as_deref().map(span), refusal.file.as_deref().map(file)];
        let about: Vec<_> = about.into_iter().flatten().collect();
        push(&mut text, format_args!("- {}: {}\n", about.join(", "), sentence(&refusal.reason)));
    }
    text
}

fn problems(report: &Report) -> String {
    let mut text = String::new();
    if !report.problems.is_empty() {
        text.push_str("\n### What cannot be read\n\n");
    }
    for problem in report.problems.iter().take(MOST_ROWS) {
        let line = problem.line.map(|line| format!(", line {line}")).unwrap_or_default();
        let place = file(&problem.file);
        push(&mut text, format_args!("- {place}{line}: {}", sentence(&problem.message)));
        if let Some(hint) = &problem.hint {
            push(&mut text, format_args!(" ({})", sentence(hint)));
        }
        text.push('\n');
    }
    text
}

fn bot_files(report: &Report) -> String {
    if report.bot_files.is_empty() {
        return String::new();
    }
    let mut text = folded("Files of each bot");
    for BotFiles { bot, files } in report.bot_files.iter().take(MOST_ROWS) {
        let names = files.iter().take(MOST_ROWS).map(|path| file(path));
        let names = names.collect::<Vec<_>>().join(", ");
        let left_out = match files.len().saturating_sub(MOST_ROWS) {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        push(&mut text, format_args!("- {}: {names}{left_out}\n", span(bot)));
    }
    more(&mut text, report.bot_files.len());
    text.push_str("\n</details>\n");
    text
}

fn other_files(report: &Report) -> String {
    let mut text = String::new();
    if !report.other_files.is_empty() {
        text.push_str("\n### Other files that are touched\n\nThey belong to no bot, and settings change how everybody plays.\n\n");
    }
    for path in report.other_files.iter().take(MOST_ROWS) {
        push(&mut text, format_args!("- {}\n", file(path)));
    }
    more(&mut text, report.other_files.len());
    text
}
