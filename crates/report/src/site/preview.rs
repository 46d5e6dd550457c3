//! Preview of a link: contents of the picture that chats show beside it.

use super::{EventSite, Notes, Site, formatting};
use crate::paint::card::Card;
use joust_model::public_text;

/// Most bots that a picture names.
const NAMED: usize = 4;

/// Returns the picture of an event.
pub(super) fn of_event(event: &EventSite, site: &Site, notes: &Notes) -> Card {
    Card {
        above: site.tournament.title(),
        title: public_text(&event.title),
        lines: leaders(event),
        still: notes.still.clone(),
    }
}

/// Returns the picture of the whole tournament: the picture of its first event that has a board,
/// under another title.
pub(super) fn of_tournament(site: &Site, cards: &[Card]) -> Card {
    let first = cards.iter().find(|card| card.still.is_some()).or(cards.first());
    let events: Vec<_> = cards.iter().map(|card| card.title.clone()).collect();
    Card {
        above: String::new(),
        title: site.tournament.title(),
        lines: match (first, &events[..]) {
            (Some(only), [_]) => only.lines.clone(),
            _ => events,
        },
        still: first.and_then(|card| card.still.clone()),
    }
}

/// Returns the leaders of the standings, with their results.
fn leaders(event: &EventSite) -> Vec<String> {
    let rows = event.standings.playing().iter().filter(|row| row.bouts.won > 0);
    let line = |row: &joust_standings::standings::StandingsRow| {
        let record = formatting::record(row.matches.won, row.matches.drawn, row.matches.lost);
        format!("{}. {}  {record}", row.rank.unwrap_or_default(), public_text(&row.bot.name))
    };
    rows.take(NAMED).map(line).collect()
}
