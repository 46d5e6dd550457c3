//! A bot against each other: the table of its page, its best wins and its worst
//! losses.

use std::collections::HashSet;

use serde::Serialize;

use super::{EventSite, cross, formatting, names};
use joust_standings::standings::CrossEntry;

/// With more opponents than these the page names the best wins and the worst
/// losses, and the table of all scrolls by itself.
const MANY: usize = 15;

/// Most wins and losses that are named.
const NAMED: usize = 5;

/// Everybody a bot has met.
#[derive(Debug, Serialize)]
pub(super) struct Opponents {
    /// The best placed first.
    all: Vec<Opponent>,
    are_many: bool,
    /// Places in the list.
    wins: Vec<usize>,
    losses: Vec<usize>,
}

/// The record against one other bot.
#[derive(Debug, Serialize)]
struct Opponent {
    rank: u32,
    name: String,
    page: String,
    record: String,
    percent: u32,
    class: String,
    match_page: Option<String>,
    superiority: Option<String>,
    unfinished: bool,
}

/// Returns whom the bot at `place` of the standings has met.
pub(super) fn of(event: &EventSite, place: usize) -> Opponents {
    let all = records(event, place);
    let are_many = all.len() > MANY;
    let own = event.standings.rows[place].rank.unwrap_or_default();
    let (wins, losses) = if are_many { extremes(own, &all) } else { Default::default() };
    Opponents { all, are_many, wins, losses }
}

/// Returns the record against each opponent, the best placed first.
fn records(event: &EventSite, place: usize) -> Vec<Opponent> {
    let rows = event.standings.playing();
    let Some(own) = rows.get(place).map(|row| &row.bot.name) else { return Vec::new() };
    let pages = pages_of(event, own);
    let met = event.standings.cross.met(place);
    met.filter_map(|CrossEntry { opponent: other, cell }| {
        let percent = cross::percent(&cell)?;
        let name = &rows[other].bot.name;
        Some(Opponent {
            rank: rows[other].rank.unwrap_or_default(),
            name: name.clone(),
            page: names::bot_beside(name),
            record: formatting::record(cell.won, cell.drawn, cell.lost),
            percent,
            class: cross::class(percent),
            match_page: pages.contains(name.as_str()).then(|| names::match_file(&[own, name])),
            superiority: event.ratings.superiority(place, other),
            unfinished: cell.unfinished,
        })
    })
    .collect()
}

/// The wins over those placed before it, best placed first, and the losses to
/// those placed behind it, last placed first.
fn extremes(own: u32, opponents: &[Opponent]) -> (Vec<usize>, Vec<usize>) {
    let all = || opponents.iter().enumerate();
    let wins = all().filter(|(_, one)| one.percent > 50 && one.rank < own);
    let losses = all().rev().filter(|(_, one)| one.percent < 50 && one.rank > own);
    let place = |(place, _): (usize, &Opponent)| place;
    (wins.take(NAMED).map(place).collect(), losses.take(NAMED).map(place).collect())
}

/// Opponents with whom there is a match of two that has a page.
fn pages_of<'a>(event: &'a EventSite, own: &str) -> HashSet<&'a str> {
    let of_two = event.meetings_of(own).filter(|meeting| meeting.bots.len() == 2);
    of_two.flat_map(|meeting| meeting.bots.iter().map(|bot| &**bot)).collect()
}
