//! Sentences on a bot of the change, and on the bouts that it lost.

use super::text::{push, span};
use crate::ci::change::Change;
use crate::ci::report::{BotReport, EventReport, Met, Timing};
use joust_model::counted;
use joust_tables::standings::{Row, Standings};

/// Lost bouts that are named.
const NAMED: usize = 10;

/// A sentence for each bot of the change that one can be said of.
pub(super) fn sentences(event: &EventReport) -> String {
    event.bots.iter().filter_map(|bot| sentence_of(event, bot)).map(|text| text + "\n\n").collect()
}

fn sentence_of(event: &EventReport, bot: &BotReport) -> Option<String> {
    let name = span(&bot.bot);
    if let Some(fault) = &bot.not_built {
        return Some(format!("{name} has no build ({}), so it plays no bout.", fault.word));
    }
    let standings = &event.table.as_ref()?.standings;
    let row = standings.playing().iter().find(|row| row.bot.name == bot.bot)?;
    let mut text = format!("{name} {}", place(event, bot, row));
    push(&mut text, format_args!(": {}", record(row)));
    if let Some(trial) = &bot.trial {
        if let Some(share) = share_of_limit(trial.timing) {
            push(&mut text, format_args!("; slowest turn {share:.0} % of the limit"));
        }
        if let Some(win) = best_win(standings, &trial.won) {
            let (against, bout) = (span(&win.opponents.join(", ")), span(short(&win.bout)));
            push(&mut text, format_args!("; best win against {against} (bout {bout})"));
        }
    }
    Some(text + ".")
}

/// `enters at 10 of 21`, `rises from 5 to 3 of 21`, `stays at 2 of 3`.
fn place(event: &EventReport, bot: &BotReport, row: &Row) -> String {
    let now = row.rank.unwrap_or_default();
    let all = event.table.as_ref().map_or(0, |table| table.standings.playing().len());
    let stood = event.movement.bots.iter().find(|moved| moved.bot == bot.bot);
    let before = stood.and_then(|moved| moved.before).filter(|_| !event.is_first());
    match before.map(|stood| stood.rank) {
        None if bot.change == Change::New => format!("enters at {now} of {all}"),
        None => format!("is at {now} of {all}"),
        Some(before) if before > now => format!("rises from {before} to {now} of {all}"),
        Some(before) if before < now => format!("falls from {before} to {now} of {all}"),
        Some(_) => format!("stays at {now} of {all}"),
    }
}

fn record(row: &Row) -> String {
    let (won, drawn, lost) = (row.matches.won, row.matches.drawn, row.matches.lost);
    if won + drawn + lost == 0 {
        return "no match of it is finished".to_owned();
    }
    let parts = [("beat", won), ("lost to", lost), ("drew with", drawn)];
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    parts.map(|(word, count)| format!("{word} {count}")).collect::<Vec<_>>().join(", ")
}

fn share_of_limit(timing: Timing) -> Option<f64> {
    let limit = timing.limit_ms.filter(|limit| *limit > 0.0)?;
    Some(100.0 * timing.slowest_ms / limit)
}

/// The win whose opponent stands highest.
fn best_win<'a>(standings: &Standings, won: &'a [Met]) -> Option<&'a Met> {
    let rank = |name: &String| {
        standings.playing().iter().find(|row| row.bot.name == *name).and_then(|row| row.rank)
    };
    won.iter().min_by_key(|met| met.opponents.iter().filter_map(rank).min().unwrap_or(u32::MAX))
}

/// The bouts that a bot lost, with the pages that play them.
pub(super) fn lost(bot: &BotReport) -> String {
    let Some(trial) = bot.trial.as_ref().filter(|trial| !trial.lost.is_empty()) else {
        return String::new();
    };
    let mut text = format!("\n{} lost {}:\n\n", span(&bot.bot), counted(trial.lost.len(), "bout"));
    for met in trial.lost.iter().take(NAMED) {
        let against = span(&met.opponents.join(", "));
        push(&mut text, format_args!("- against {against}: bout {}", span(short(&met.bout))));
        let page = trial.replays.iter().find(|page| page.bout == met.bout);
        if let Some(page) = page {
            push(&mut text, format_args!(", played by `replays/{}`", page.name));
        }
        text.push('\n');
    }
    if trial.lost.len() > NAMED {
        push(&mut text, format_args!("- and {} more\n", trial.lost.len() - NAMED));
    }
    text
}

/// As many digits as find it.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}
