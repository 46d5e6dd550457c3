//! The report in Markdown, for a job's page or a comment.
//!
//! Whatever a bot or its author supplied stands in code spans and code blocks,
//! in which nothing is mark-up. What does not fit is left out whole, so that no
//! block stays open.

use std::fmt::Write;
use std::path::Path;

use super::gate::{Answer, GateReport};
use super::report::{
    BotReport, EventReport, Fault, LastFault, Outcome, Rating, Report, Table, Timing, Trial,
};
use crate::report::{Leaderboard, Look, Superiority, code_span, fenced, find};
use crate::standings::{Cell, Moved, Pairing, Stood};

/// The longest summary, bytes: below what a comment may have.
pub const LONGEST: usize = 60_000;
/// How many characters of a text of one line.
const LINE_WIDTH: usize = 400;
/// How many rows of a table.
const MOST_ROWS: usize = 60;

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
        page.add(&moved(event));
    }
    page.add(&gates(report));
    for event in &report.events {
        for bot in &event.bots {
            page.add(&details(bot));
        }
        page.add(&pairings(event));
    }
    for event in &report.events {
        page.add(&leaderboard(event));
    }
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

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments).expect("a text takes all that is written");
}

/// A stranger's text of one line.
fn span(text: &str) -> String {
    let short: String = text.chars().take(LINE_WIDTH).collect();
    code_span(&short)
}

fn file(path: &Path) -> String {
    span(&path.to_string_lossy())
}

/// Returns what is to become of the change, in a few words.
#[must_use]
pub fn verdict(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::InOrder => "in order",
        Outcome::Broken => "a bot is broken",
        Outcome::Weaker => "weaker than what it replaces",
        Outcome::Undecided => "not decided whether it is weaker",
        Outcome::Refused => "refused",
        Outcome::Unfinished => "not finished, bouts are missing",
        Outcome::Infrastructure => "the machine failed, not the bot",
    }
}

fn head(report: &Report) -> String {
    let mut text = format!("## Joust: {}\n\n", verdict(report.outcome));
    let by = report.author.as_deref().map(|login| format!(", proposed by {}", span(login)));
    let (base, by) = (span(&report.base), by.unwrap_or_default());
    push(&mut text, format_args!("Compared with {base}{by}.\n"));
    let changed = report.events.iter().map(|event| event.bots.len()).sum::<usize>();
    if changed == 0 && report.problems.is_empty() && report.refusals.is_empty() {
        text.push_str("No bot is new, changed or removed.\n");
    }
    for note in &report.notes {
        push(&mut text, format_args!("\n- {}\n", span(note)));
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
        push(&mut text, format_args!("- {}: {}\n", about.join(", "), span(&refusal.reason)));
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
        push(&mut text, format_args!("- {place}{line}: {}", span(&problem.message)));
        if let Some(hint) = &problem.hint {
            push(&mut text, format_args!(" ({})", span(hint)));
        }
        text.push('\n');
    }
    text
}

fn event_head(event: &EventReport) -> String {
    if event.bots.is_empty() && event.played == 0 {
        return String::new();
    }
    let mut text = format!("\n### {}\n\n", span(&event.event));
    if let Some(planned) = &event.planned {
        let (matches, bouts) = (planned.matches, planned.bouts);
        let time = planned.seconds;
        push(
            &mut text,
            format_args!(
                "{matches} matches with {bouts} bouts to play, thought to take {time} s; "
            ),
        );
    }
    push(&mut text, format_args!("{} played", counted(event.played, "bout")));
    if event.missing > 0 {
        push(&mut text, format_args!(", **{} bouts have no result yet**", event.missing));
    }
    text.push_str(".\n");
    text
}

/// `1 match`, `2 matches`, `3 bouts`.
fn counted(count: u64, what: &str) -> String {
    let end = match (count, what) {
        (1, _) => "",
        (_, "match") => "es",
        _ => "s",
    };
    format!("{count} {what}{end}")
}

fn bots(event: &EventReport) -> String {
    if event.bots.is_empty() {
        return String::new();
    }
    let mut text = "\n| bot | change | rank | bouts | faults | slowest turn | processor time |\n\
                    | :--- | :--- | :--- | ---: | ---: | ---: | ---: |\n"
        .to_owned();
    for bot in event.bots.iter().take(MOST_ROWS) {
        let stood = event.movement.bots.iter().find(|moved| moved.bot == bot.bot);
        let name = span(&bot.bot);
        let change = match &bot.change {
            super::Change::Renamed { from } => format!("renamed from {}", span(from)),
            other => other.word().to_owned(),
        };
        let rank = rank(bot, stood);
        push(&mut text, format_args!("| {name} | {change} | {rank} | {} |\n", figures(bot)));
    }
    text
}

fn rank(bot: &BotReport, stood: Option<&Moved>) -> String {
    if let Some(fault) = &bot.not_built {
        return format!("**{}**", fault.word);
    }
    let shown =
        |place: Option<Stood>| place.map_or_else(|| "-".to_owned(), |stood| stood.rank.to_string());
    stood.map_or_else(String::new, |moved| {
        format!("{} → {}", shown(moved.before), shown(moved.after))
    })
}

fn figures(bot: &BotReport) -> String {
    let Some(trial) = &bot.trial else { return " | | |".to_owned() };
    let Timing { slowest_ms, limit_ms, cpu_ms, cpu_limit_ms, .. } = trial.timing;
    let (wall, cpu) = (against(slowest_ms, limit_ms), against(cpu_ms, cpu_limit_ms));
    format!("{} | {} | {wall} | {cpu}", trial.bouts, faults(trial, bot.broken))
}

fn faults(trial: &Trial, broken: bool) -> String {
    let count = trial.verdicts.faults();
    if count == 0 {
        return "0".to_owned();
    }
    let mark = if broken { "**" } else { "" };
    format!("{mark}{count} ({:.1} %){mark}", trial.faults_percent)
}

/// `12 ms of 2034 ms (1 %)`.
fn against(value: f64, limit: Option<f64>) -> String {
    match limit.filter(|limit| *limit > 0.0) {
        Some(limit) => format!("{value:.0} ms of {limit:.0} ms ({:.0} %)", 100.0 * value / limit),
        None => format!("{value:.0} ms"),
    }
}

fn moved(event: &EventReport) -> String {
    let changed: Vec<_> = event.movement.bots.iter().filter(|moved| moved.is_change()).collect();
    if changed.is_empty() {
        return String::new();
    }
    let mut text =
        "\n**What moved**\n\n| bot | rank before | rank now | points before | points now | rating before | rating now |\n\
                    | :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for one in changed.iter().take(MOST_ROWS) {
        let (rank, points) = (
            |stood: Option<Stood>| stood.map_or("-".to_owned(), |stood| stood.rank.to_string()),
            |stood: Option<Stood>| stood.map_or("-".to_owned(), |stood| stood.points.to_string()),
        );
        push(
            &mut text,
            format_args!(
                "| {} | {} | {} | {} | {} | {} |\n",
                span(&one.bot),
                rank(one.before),
                rank(one.after),
                points(one.before),
                points(one.after),
                ratings(event, &one.bot)
            ),
        );
    }
    more(&mut text, changed.len());
    text
}

/// `1480 | 1512 [1440, 1590]`.
fn ratings(event: &EventReport, bot: &str) -> String {
    let moved = event.ratings.iter().find(|one| one.bot == bot);
    let shown = |rating: Option<Rating>| match rating {
        None => "-".to_owned(),
        Some(Rating { rating, low: Some(low), high: Some(high) }) => {
            format!("{rating:.0} [{low:.0}, {high:.0}]")
        }
        Some(Rating { rating, .. }) => format!("{rating:.0}"),
    };
    let (before, after) = moved.map_or((None, None), |one| (one.before, one.after));
    format!("{} | {}", shown(before), shown(after))
}

fn more(text: &mut String, rows: usize) {
    if rows > MOST_ROWS {
        push(text, format_args!("\nand {} more; `summary.json` has all\n", rows - MOST_ROWS));
    }
}

fn gates(report: &Report) -> String {
    let mut text = String::new();
    if !report.gates.is_empty() {
        text.push_str("\n### Is it stronger than what it replaces?\n\n");
    }
    for gate in report.gates.iter().take(MOST_ROWS) {
        push(&mut text, format_args!("- {} in {}: ", span(&gate.bot), span(&gate.event)));
        let [zero, one] = gate.elo;
        text.push_str(&match gate.answer {
            Answer::NotAsked => {
                format!("not asked: {}\n", span(gate.reason.as_deref().unwrap_or_default()))
            }
            Answer::Stronger => format!("**yes** (H1, {one} normalised Elo, accepted); "),
            Answer::Weaker => format!("**no** (H0, {zero} normalised Elo, accepted); "),
            Answer::Undecided => format!("**not decided** between {zero} and {one}; "),
        });
        if gate.answer != Answer::NotAsked {
            text.push_str(&figures_of_gate(gate));
        }
    }
    text
}

fn figures_of_gate(gate: &GateReport) -> String {
    let ([lower, upper], [alpha, beta]) = (gate.bounds, gate.rates);
    let pairs: u64 = gate.classes.iter().sum();
    let classes = gate.classes.map(|count| count.to_string()).join(", ");
    let mut text = format!(
        "LLR {:.2} [{lower:.2}, {upper:.2}] at error rates {alpha} and {beta} after {pairs} mirror \
         pairs (score 0, ¼, ½, ¾, 1: {classes})",
        gate.llr
    );
    if let Some([elo, low, high]) = gate.difference {
        push(&mut text, format_args!(", about {elo:+.0} Elo [{low:+.0}, {high:+.0}]"));
    }
    if let Some(superiority) = gate.superiority {
        push(&mut text, format_args!(", {:.1} % likely stronger", 100.0 * superiority));
    }
    push(
        &mut text,
        format_args!(
            ". {} recorded in `gate.db` as {}.\n",
            counted(gate.recorded, "bout"),
            span(&gate.gate_event)
        ),
    );
    text
}

fn pairings(event: &EventReport) -> String {
    let changed = &event.movement.pairings;
    if changed.is_empty() {
        return String::new();
    }
    let mut text = folded(&format!("Pairings of {} that changed", plain(&event.event)));
    text.push_str(
        "| bot | opponent | won-drawn-lost before | now |\n| :--- | :--- | ---: | ---: |\n",
    );
    for Pairing { bot, opponent, before, after } in changed.iter().take(MOST_ROWS) {
        let (bot, opponent) = (span(bot), span(opponent));
        let before = before.filter(|cell| cell.bouts() > 0);
        let before = before.map_or_else(|| "-".to_owned(), record);
        push(&mut text, format_args!("| {bot} | {opponent} | {before} | {} |\n", record(*after)));
    }
    more(&mut text, changed.len());
    text.push_str("\n</details>\n");
    text
}

fn record(cell: Cell) -> String {
    format!("{}-{}-{}", cell.won, cell.drawn, cell.lost)
}

fn details(bot: &BotReport) -> String {
    let mut text = String::new();
    if let Some(fault) = &bot.not_built {
        text.push_str(&build_log(bot, fault));
    }
    let trial = bot.trial.as_ref().filter(|trial| trial.verdicts.faults() > 0);
    if let Some(trial) = trial {
        text.push_str(&last_words(bot, trial));
    }
    text
}

fn build_log(bot: &BotReport, fault: &Fault) -> String {
    let mut text = folded(&format!("Why {} has no build", plain(&bot.bot)));
    let mut lines: Vec<&str> = fault.reason.lines().collect();
    if !fault.log.is_empty() {
        lines.push("the end of the build's log:");
    }
    lines.extend(fault.log.iter().map(String::as_str));
    text.push_str(&fenced(&lines));
    text.push_str("\n</details>\n");
    text
}

fn last_words(bot: &BotReport, trial: &Trial) -> String {
    let mut text = folded(&format!("Faults of {}", plain(&bot.bot)));
    let earned = trial.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
    push(
        &mut text,
        format_args!("{} turns: {}.\n\n", trial.turns, earned.collect::<Vec<_>>().join(", ")),
    );
    if let Some(LastFault { bout, round, verdict, reason, stderr }) = &trial.last_fault {
        push(
            &mut text,
            format_args!("The last: {verdict} in round {round} of bout {}", span(bout)),
        );
        if !reason.is_empty() {
            push(&mut text, format_args!(", {}", span(reason)));
        }
        text.push_str(".\n\n");
        if !stderr.is_empty() {
            text.push_str("The last it wrote to standard error:\n\n");
            text.push_str(&fenced(stderr));
        }
    }
    text.push_str("\n</details>\n");
    text
}

/// The beginning of a block that is closed at first. Its title is HTML.
fn folded(title: &str) -> String {
    format!("\n<details><summary>{title}</summary>\n\n")
}

/// A stranger's name where Markdown is not read.
fn plain(name: &str) -> String {
    let name = crate::model::escaped(name);
    let mut shown = String::new();
    for one in name.chars() {
        match one {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '@' => shown.push_str("&#64;"),
            '#' => shown.push_str("&#35;"),
            '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '\\' | '"' | '\'' | ':' | '/' => {
                push(&mut shown, format_args!("&#{};", u32::from(one)));
            }
            other => shown.push(other),
        }
    }
    format!("<code>{shown}</code>")
}

fn leaderboard(event: &EventReport) -> String {
    let Some(Table { standings, ratings }) = &event.table else { return String::new() };
    let superiority = Superiority::default();
    let board = Leaderboard { standings, ratings: Some(ratings), superiority };
    let table = find("markdown", Look::default()).map(|format| format.leaderboard(&board));
    let title = format!("Leaderboard of {}", plain(&event.event));
    format!("{}{}\n</details>\n", folded(&title), table.unwrap_or_default())
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
