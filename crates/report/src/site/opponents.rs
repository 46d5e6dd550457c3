//! A bot against each other: the table of its page.

use std::collections::HashSet;

use serde::Serialize;

use super::{EventSite, names};
use joust_standings::standings::{CrossEntry, PairRecord};

/// With more opponents than these the table scrolls by itself.
const MANY: usize = 15;

/// Everybody a bot has met.
#[derive(Debug, Serialize)]
pub(super) struct Opponents {
    /// The best placed first.
    all: Vec<Opponent>,
    are_many: bool,
}

/// The record against one other bot.
#[derive(Debug, Serialize)]
struct Opponent {
    rank: u32,
    name: String,
    #[serde(flatten)]
    record: PairRecord,
    match_page: Option<String>,
    superiority: Option<String>,
}

/// Returns whom the bot at `place` of the standings has met.
pub(super) fn of(event: &EventSite, place: usize) -> Opponents {
    let all = records(event, place);
    Opponents { are_many: all.len() > MANY, all }
}

/// Returns the record against each opponent, the best placed first.
fn records(event: &EventSite, place: usize) -> Vec<Opponent> {
    let rows = event.standings.playing();
    let Some(own) = rows.get(place).map(|row| &row.bot.name) else { return Vec::new() };
    let pages = pages_of(event, own);
    let met = event.standings.cross.met(place);
    let met = met.filter(|entry| entry.cell.bouts() > 0);
    met.map(|CrossEntry { opponent: other, cell: record }| {
        let name = &rows[other].bot.name;
        Opponent {
            rank: rows[other].rank.unwrap_or_default(),
            name: name.clone(),
            record,
            match_page: pages.contains(name.as_str()).then(|| names::match_file(&[own, name])),
            superiority: event.ratings.superiority(place, other),
        }
    })
    .collect()
}

/// Opponents with whom there is a match of two that has a page.
fn pages_of<'a>(event: &'a EventSite, own: &str) -> HashSet<&'a str> {
    let of_two = event.meetings_of(own).filter(|meeting| meeting.bots.len() == 2);
    of_two.flat_map(|meeting| meeting.bots.iter().map(|bot| &**bot)).collect()
}
