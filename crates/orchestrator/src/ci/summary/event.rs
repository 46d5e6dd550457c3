//! An event: its bots of the change, what moved, the table.

use super::text::{MOST_ROWS, folded, more, plain, push, span};
use crate::ci::change::Change;
use crate::ci::report::{
    BotReport, BotState, EventReport, Planned, Rating, Rebuilt, Table, Timing, Trial,
};
use joust_model::counted;
use joust_report::{Leaderboard, Look, Superiority, find};
use joust_tables::standings::{Cell, Moved, Pairing, Stood};

/// Planned, played and missing bouts.
pub(super) fn event_head(event: &EventReport) -> String {
    if event.bots.is_empty() && event.rebuilt.is_empty() && event.played == 0 {
        return String::new();
    }
    let mut text = format!("\n### {}\n", span(&event.event));
    let Some(planned) = &event.planned else { return text };
    push(&mut text, format_args!("\n{}", plan(planned, event.played)));
    if event.missing > 0 {
        let (count, have) =
            (counted(event.missing, "bout"), if event.missing == 1 { "has" } else { "have" });
        push(&mut text, format_args!(", **{count} {have} no result yet**"));
    }
    text.push_str(".\n");
    if event.left > 0 {
        push(&mut text, format_args!("\n{}", left(event.left)));
    }
    if event.is_first() {
        text.push_str(
            "\nThere are no results from before the change with the tournament's seed: everything is \
             played, and nothing can have moved.\n",
        );
    }
    text
}

/// Bouts of others that the schedule has moved.
fn left(bouts: u64) -> String {
    let (bouts, have) = (counted(bouts, "bout"), if bouts == 1 { "has" } else { "have" });
    format!(
        "{bouts} between other bots {have} no result: the change has moved their matches, or the base \
         had not played them. The next run of the whole event does; the table below is without them.\n"
    )
}

fn plan(planned: &Planned, played: u64) -> String {
    if planned.bouts == 0 {
        return "Nothing had to be played".to_owned();
    }
    let (matches, bouts) = (counted(planned.matches, "match"), counted(planned.bouts, "bout"));
    let time = match planned.seconds {
        seconds @ 0..120 => format!("{} s", seconds.max(1)),
        seconds => format!("{} min", seconds.div_ceil(60)),
    };
    let played = counted(played, "bout");
    format!("{matches} with {bouts} to play, estimated at {time}; {played} played")
}

/// The bots of the change: what became of them, how they stand, what they did.
pub(super) fn bots(event: &EventReport) -> String {
    if event.bots.is_empty() {
        return String::new();
    }
    let mut text =
        "\n| bot | change | rank | rating | bouts | faults | slowest turn | processor time |\n\
                    | :--- | :--- | :--- | :--- | ---: | ---: | ---: | ---: |\n"
            .to_owned();
    for bot in event.bots.iter().take(MOST_ROWS) {
        let stood = event.movement.bots.iter().find(|moved| moved.bot == bot.bot);
        let name = span(&bot.bot);
        let change = match &bot.change {
            Change::Renamed { from } => format!("renamed from {}", span(from)),
            other => other.word().to_owned(),
        };
        let (rank, rating) = (rank(bot, stood), rating(event, bot));
        let figures = figures(bot);
        push(&mut text, format_args!("| {name} | {change} | {rank} | {rating} | {figures} |\n"));
    }
    text
}

/// The bots that nobody changed and that are played again all the same.
pub(super) fn rebuilt(event: &EventReport) -> String {
    if event.rebuilt.is_empty() {
        return String::new();
    }
    let mut text = "\n**The same source, rebuilt with another tool.** A result belongs to the builds that \
                    played, so these bots' bouts are played again, although nobody changed them.\n\n"
        .to_owned();
    for Rebuilt { bot, before, after } in event.rebuilt.iter().take(MOST_ROWS) {
        let tool = |version: &Option<String>| {
            version.as_deref().map_or_else(|| "unknown".to_owned(), |version| span(version.trim()))
        };
        let tools = match before == after {
            true => "another recipe of its language".to_owned(),
            false => format!("{} before, {} now", tool(before), tool(after)),
        };
        push(&mut text, format_args!("- {}: {tools}\n", span(bot)));
    }
    more(&mut text, event.rebuilt.len());
    text
}

fn rank(bot: &BotReport, stood: Option<&Moved>) -> String {
    if let Some(fault) = &bot.not_built {
        return format!("**{}**", fault.word);
    }
    let shown =
        |place: Option<Stood>| place.map_or_else(|| "-".to_owned(), |stood| stood.rank.to_string());
    stood.map_or_else(String::new, |moved| arrow(&shown(moved.before), &shown(moved.after)))
}

fn rating(event: &EventReport, bot: &BotReport) -> String {
    let moved = event.ratings.iter().find(|one| one.bot == bot.bot);
    moved.map_or_else(String::new, |one| arrow(&rated(one.before), &rated(one.after)))
}

/// `2 → 1`, and `2` for what stayed.
fn arrow(before: &str, after: &str) -> String {
    if before == after { after.to_owned() } else { format!("{before} → {after}") }
}

fn figures(bot: &BotReport) -> String {
    let Some(trial) = &bot.trial else { return " | | |".to_owned() };
    let Timing { slowest_ms, limit_ms, cpu_ms, cpu_limit_ms, .. } = trial.timing;
    let wall = against(slowest_ms, limit_ms);
    let cpu = match cpu_limit_ms {
        None if trial.turns > 0 => format!("{cpu_ms:.0} ms in a bout"),
        _ => against(cpu_ms, cpu_limit_ms),
    };
    format!("{} | {} | {wall} | {cpu}", trial.bouts, faults(trial, bot.state))
}

fn faults(trial: &Trial, state: BotState) -> String {
    let count = trial.verdicts.faults();
    if count == 0 {
        return "0".to_owned();
    }
    let figures = format!("{count} ({:.1} %)", trial.faults_percent);
    match state {
        BotState::Broken => format!("**{figures}: broken**"),
        BotState::Fine | BotState::PlaysWithFaults => format!("{figures}: plays with faults"),
    }
}

/// `12 ms of 2034 ms (1 %)`.
fn against(value: f64, limit: Option<f64>) -> String {
    match limit.filter(|limit| *limit > 0.0) {
        Some(limit) => format!("{value:.0} ms of {limit:.0} ms ({:.0} %)", 100.0 * value / limit),
        None => format!("{value:.0} ms"),
    }
}

/// The bots whose rank or points are not what they were.
pub(super) fn moved(event: &EventReport) -> String {
    let changed: Vec<_> = event.movement.bots.iter().filter(|moved| moved.is_change()).collect();
    if changed.is_empty() || event.is_first() {
        let is_told = event.played > 0 && changed.is_empty();
        return if is_told { "\nNo rank and no points moved.\n".to_owned() } else { String::new() };
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

/// `+12 [-40, +64] | +80 [+20, +140]`.
fn ratings(event: &EventReport, bot: &str) -> String {
    let moved = event.ratings.iter().find(|one| one.bot == bot);
    let (before, after) = moved.map_or((None, None), |one| (one.before, one.after));
    format!("{} | {}", rated(before), rated(after))
}

/// A rating with its 95 % interval.
fn rated(rating: Option<Rating>) -> String {
    match rating {
        None => "-".to_owned(),
        Some(Rating { rating, low: Some(low), high: Some(high) }) => {
            format!("{} [{}, {}]", whole(rating), whole(low), whole(high))
        }
        Some(Rating { rating, .. }) => whole(rating),
    }
}

/// With its sign; no number is minus nothing.
fn whole(value: f64) -> String {
    if value.abs() < 0.5 { "0".to_owned() } else { format!("{value:+.0}") }
}

/// The pairings whose record is not what it was.
pub(super) fn pairings(event: &EventReport) -> String {
    let changed = &event.movement.pairings;
    if changed.is_empty() || event.is_first() {
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

/// The table as it is now.
pub(super) fn leaderboard(event: &EventReport) -> String {
    let Some(Table { standings, ratings, .. }) = &event.table else { return String::new() };
    let superiority = Superiority::default();
    let board =
        Leaderboard { game: None, standings, ratings: Some(ratings), superiority, bouts: None };
    let table = find("markdown", Look::default()).map(|format| format.leaderboard(&board));
    let title = format!("Leaderboard of {}", plain(&event.event));
    format!("{}{}\n</details>\n", folded(&title), table.unwrap_or_default())
}
