//! The report in Markdown, for a job's page or a comment.
//!
//! The template `summary.md.j2` formats the report. Text that a bot or its author supplied is put
//! into code spans and code blocks, where it is no mark-up: every text that the template does not
//! mark as safe becomes a code span. Blocks that do not fit are left out whole, so that none stays
//! open.

use std::collections::BTreeMap;
use std::fmt::Write;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, UndefinedBehavior, context};
use serde::Serialize;

use super::report::{
    BotReport, BotTrial, BoutAgainst, ChangeReport, CheckOutcome, EventChangeReport, EventTable,
    RatingMoved,
};
use joust_model::{code_span, counted, fenced};
use joust_report::{Leaderboard, Superiority, TextStyle, find};
use joust_standings::standings::{BotMovement, Standings, StandingsRow, TableRank};

#[cfg(test)]
mod tests;

/// The longest summary, bytes: below the limit of a comment.
pub const LONGEST: usize = 60_000;

/// Characters of a text of one line.
const LINE_WIDTH: usize = 400;

/// Rows of a table.
const MOST_ROWS: usize = 60;

/// Lost bouts of a bot that are named.
const NAMED: usize = 10;

/// End of a block in the template's output; escaped text never contains it.
const END_OF_BLOCK: char = '\u{c}';

const TEMPLATE: &str = include_str!("summary.md.j2");

/// Returns the report in Markdown, at most [`LONGEST`] bytes.
pub fn markdown(report: &ChangeReport) -> String {
    let events: Vec<EventView<'_>> = report.events.iter().map(EventView::of).collect();
    let dry = report.dry_run && report.outcome.allows_playing();
    let verdict = if dry { "a dry run, nothing was played" } else { verdict(report.outcome) };
    let values = context! {
        verdict => Value::from_safe_string(verdict.to_owned()),
        block => Value::from_safe_string(END_OF_BLOCK.to_string()),
        most => MOST_ROWS,
        named => NAMED,
        events => Value::from(Serde(&events)),
        ..Value::from(Serde(report))
    };
    let whole = environment().render_named_str("summary.md", TEMPLATE, values);
    fitting(&whole.expect("the template fits the report"))
}

/// Returns the blocks that fit into [`LONGEST`], with a note on the missing ones.
fn fitting(whole: &str) -> String {
    let mut text = String::new();
    let mut is_cut = false;
    for block in whole.split(END_OF_BLOCK) {
        let block = block.strip_prefix('\n').unwrap_or(block);
        // The last line names the missing part.
        if text.len() + block.len() > LONGEST - 200 {
            is_cut = true;
        } else {
            text.push_str(block);
        }
    }
    if is_cut {
        text.push_str("\nThis summary is cut short; `summary.json` has everything.\n");
    }
    text
}

/// Returns the verdict on the change, in a few words.
pub fn verdict(outcome: CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Ok => "OK",
        CheckOutcome::Broken => "a bot is broken",
        CheckOutcome::PlaysWithFaults => "a bot plays with faults",
        CheckOutcome::Weaker => "weaker than what it replaces",
        CheckOutcome::Undecided => "not decided whether it is weaker",
        CheckOutcome::Refused => "refused",
        CheckOutcome::Unfinished => "not finished, bouts are missing",
        CheckOutcome::Infrastructure => "the machine failed, not the bot",
    }
}

/// Event with values computed from its tables.
#[derive(Serialize)]
struct EventView<'a> {
    #[serde(flatten)]
    report: &'a EventChangeReport,
    bots: Vec<BotView<'a>>,
    /// True when there are no results from before the change.
    is_first: bool,
    /// Number of bots that play.
    playing: usize,
    /// Bots whose rank has changed, with their ratings.
    changed: Vec<(&'a BotMovement, Option<&'a RatingMoved>)>,
    /// The table in Markdown.
    leaderboard: Option<String>,
}

/// Bot of the change with values computed from its event's tables.
#[derive(Serialize)]
struct BotView<'a> {
    #[serde(flatten)]
    report: &'a BotReport,
    change_word: &'static str,
    moved: Option<&'a BotMovement>,
    rating: Option<&'a RatingMoved>,
    /// Rank before the change.
    before: Option<u32>,
    /// Rank in the table; `None` when it is not in it.
    rank: Option<u32>,
    /// Matches that it won, lost and drew, in words.
    record: String,
    faults: u32,
    /// Count of each verdict, in words.
    verdicts: String,
    /// The win against the highest ranked opponent.
    best_win: Option<&'a BoutAgainst>,
    /// Names of the pages that play bouts, by the bouts' ids.
    pages: BTreeMap<&'a str, &'a str>,
}

impl<'a> EventView<'a> {
    fn of(report: &'a EventChangeReport) -> Self {
        let rank = |stood: Option<TableRank>| stood.map(|stood| stood.rank);
        let changed =
            report.movement.bots.iter().filter(|moved| rank(moved.before) != rank(moved.after));
        let changed = changed.map(|moved| (moved, rating(report, &moved.bot)));
        Self {
            bots: report.bots.iter().map(|bot| BotView::of(report, bot)).collect(),
            is_first: report.is_first(),
            playing: report.table.as_ref().map_or(0, |table| table.standings.playing().len()),
            changed: changed.collect(),
            leaderboard: report.table.as_ref().map(leaderboard),
            report,
        }
    }
}

impl<'a> BotView<'a> {
    fn of(event: &'a EventChangeReport, report: &'a BotReport) -> Self {
        let moved = event.movement.bots.iter().find(|moved| moved.bot == report.bot);
        let standings = event.table.as_ref().map(|table| &table.standings);
        let row = standings.and_then(|table| row_of(table, &report.bot));
        let trial = report.trial.as_ref();
        let replays = trial.map(|trial| &trial.replays[..]).unwrap_or_default();
        let before = moved.and_then(|moved| moved.before).filter(|_| !event.is_first());
        Self {
            change_word: report.change.word(),
            moved,
            rating: rating(event, &report.bot),
            before: before.map(|stood| stood.rank),
            rank: row.map(|row| row.rank.unwrap_or_default()),
            record: row.map(record).unwrap_or_default(),
            faults: trial.map_or(0, |trial| trial.verdicts.faults()),
            verdicts: trial.map(verdicts).unwrap_or_default(),
            best_win: standings.zip(trial).and_then(|(table, trial)| best_win(table, &trial.won)),
            pages: replays.iter().map(|page| (page.bout.as_str(), page.name.as_str())).collect(),
            report,
        }
    }
}

fn rating<'a>(event: &'a EventChangeReport, bot: &str) -> Option<&'a RatingMoved> {
    event.ratings.iter().find(|one| one.bot == bot)
}

fn row_of<'a>(standings: &'a Standings, bot: &str) -> Option<&'a StandingsRow> {
    standings.playing().iter().find(|row| row.bot.name == bot)
}

fn record(row: &StandingsRow) -> String {
    let (won, drawn, lost) = (row.matches.won, row.matches.drawn, row.matches.lost);
    if won + drawn + lost == 0 {
        return "no match of it is finished".to_owned();
    }
    let parts = [("beat", won), ("lost to", lost), ("drew with", drawn)];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    parts.map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
}

fn verdicts(trial: &BotTrial) -> String {
    let earned = trial.verdicts.iter().map(|(verdict, count)| format!("{count} {verdict}"));
    earned.collect::<Vec<_>>().join(", ")
}

fn best_win<'a>(standings: &Standings, won: &'a [BoutAgainst]) -> Option<&'a BoutAgainst> {
    let rank = |name: &String| row_of(standings, name).and_then(|row| row.rank);
    won.iter().min_by_key(|met| met.opponents.iter().filter_map(rank).min().unwrap_or(u32::MAX))
}

fn leaderboard(table: &EventTable) -> String {
    let EventTable { standings, ratings, .. } = table;
    let superiority = Superiority::default();
    let board =
        Leaderboard { game: None, standings, ratings: Some(ratings), superiority, bouts: None };
    find("markdown", TextStyle::default())
        .map(|format| format.leaderboard(&board))
        .unwrap_or_default()
}

/// Returns the environment of the template, in which every text is a code span unless it is safe.
fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    let tidy = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
    environment.set_syntax(tidy.expect("the delimiters are the usual ones"));
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::Custom("markdown".into()));
    environment.set_formatter(|output, _, value| {
        match value.as_str() {
            Some(text) if value.is_safe() => output.write_str(text)?,
            None if value.is_number() => write!(output, "{value}")?,
            _ => output.write_str(&span(&value.to_string()))?,
        }
        Ok(())
    });
    let safe = Value::from_safe_string;
    environment.add_filter("sentence", move |text: &str| safe(sentence(text)));
    environment.add_filter("plain", move |name: &str| safe(plain(name)));
    environment.add_filter("joined", move |names: Vec<String>| safe(span(&names.join(", "))));
    environment.add_filter("fenced", move |lines: Vec<String>| safe(fenced(&lines)));
    environment
        .add_filter("lines", |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>());
    environment.add_filter("counted", move |count: usize, noun: &str| safe(counted(count, noun)));
    environment
        .add_filter("fixed", move |value: f64, digits: usize| safe(format!("{value:.digits$}")));
    environment.add_filter("signed", move |value: f64| safe(format!("{value:+.0}")));
    environment.add_filter("number", move |value: f64| safe(value.to_string()));
    environment.add_filter("whole", move |value: f64| safe(whole(value)));
    environment.add_filter("time", move |seconds: u64| safe(time(seconds)));
    environment.add_filter("scores", move |classes: Vec<u64>| safe(scores(&classes)));
    environment
}

/// Returns a stranger's text of one line.
fn span(text: &str) -> String {
    let short: String = text.chars().take(LINE_WIDTH).collect();
    code_span(&short)
}

/// Returns a sentence of ours that contains strangers' names. Backticks become quotes, because
/// within a code span they would be visible.
fn sentence(text: &str) -> String {
    span(&text.replace('`', "'"))
}

/// Returns a stranger's name where Markdown is not read.
fn plain(name: &str) -> String {
    let name = joust_model::escaped(name);
    let mut shown = String::new();
    for one in name.chars() {
        match one {
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '@' => shown.push_str("&#64;"),
            '#' => shown.push_str("&#35;"),
            '`' | '*' | '_' | '[' | ']' | '!' | '|' | '~' | '\\' | '"' | '\'' | ':' | '/' => {
                _ = write!(shown, "&#{};", u32::from(one));
            }
            other => shown.push(other),
        }
    }
    format!("<code>{shown}</code>")
}

/// With its sign; no number is minus nothing.
fn whole(value: f64) -> String {
    if value.abs() < 0.5 { "0".to_owned() } else { format!("{value:+.0}") }
}

fn time(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{} s", seconds.max(1)),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}

/// Returns how many mirror pairs had each score.
fn scores(classes: &[u64]) -> String {
    let classes = classes.iter().zip(["0", "¼", "½", "¾", "1"]);
    let classes = classes.filter(|(count, _)| **count > 0);
    let classes: Vec<_> = classes.map(|(count, score)| format!("{count} × {score}")).collect();
    if classes.is_empty() { "nothing".to_owned() } else { classes.join(", ") }
}
