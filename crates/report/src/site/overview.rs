//! First page: the best bout on a board, the standings, how to enter.

use serde::Serialize;

use super::leaderboard::{self, Heading, LeaderboardTable, heading};
use super::{EventSite, Notes, Site, formatting, names, preview};
use crate::paint::card::Card;
use joust_model::{BoutId, BoutSummary, PublicPart};
use joust_standings::standings::{Record, StandingsRow};

/// Bots in the table of the first page.
const IN_TABLE: usize = 10;

/// Bots that the card of an event names.
const ON_CARD: usize = 5;

#[derive(Debug, Serialize)]
pub(super) struct Overview {
    events: Vec<EventSummary>,
    bots: String,
    bouts: String,
    faults: Option<String>,
    last: Option<i64>,
    board: Option<OverviewBoard>,
    /// The standings, when there is one event.
    table: Option<LeaderboardTable>,
}

/// Card of an event on the first page.
#[derive(Debug)]
pub struct EventCard {
    shown: EventSummary,
    bots: usize,
    /// Bouts that count.
    pub(super) bouts: u64,
    faults: u64,
    last_at: Option<i64>,
    /// A bout of the event.
    pub(super) example: Option<BoutId>,
    board: Option<OverviewBoard>,
    table: LeaderboardTable,
    /// The bot that leads alone, once anything was played.
    pub(super) leader: Option<String>,
    /// Picture of the event.
    pub(super) preview: Card,
}

#[derive(Debug, Serialize)]
struct EventSummary {
    heading: Heading,
    leaders: Vec<Leader>,
    first_bout: Option<BoutId>,
}

#[derive(Debug, Serialize)]
struct Leader {
    /// None before the first bout, when there is no leader.
    rank: Option<u32>,
    name: String,
    matches: Record,
}

/// A bout that plays on the first page.
#[derive(Debug, Serialize)]
struct OverviewBoard {
    event: String,
    folder: String,
    src: String,
    bout: BoutId,
    seats: Vec<String>,
}

impl EventSite {
    /// Returns the event's card for the first page; `notes` are those of its bouts.
    pub fn card(&self, site: &Site, notes: &Notes) -> EventCard {
        let rows = self.standings.playing();
        let best = self.best_bout(notes).filter(|_| site.publication.shows(PublicPart::Replays));
        EventCard {
            shown: event(self, best),
            bots: rows.len(),
            bouts: self.standings.bouts,
            faults: rows.iter().map(|row| u64::from(row.verdicts.faults())).sum(),
            last_at: self.last_at(),
            example: self.bouts().next(),
            board: best.map(|bout| board(self, bout)),
            table: leaderboard::table(self, site, IN_TABLE),
            leader: leader(rows).filter(|_| self.standings.bouts > 0),
            preview: preview::of_event(self, site, notes),
        }
    }
}

/// Returns the name of the bot that is first alone.
fn leader(rows: &[StandingsRow]) -> Option<String> {
    let mut first = rows.iter().filter(|row| row.rank == Some(1));
    let leader = first.next()?;
    first.next().is_none().then(|| leader.bot.name.clone())
}

/// Returns the first page. Its board belongs to the first event that has one.
pub(super) fn page(site: &Site, events: Vec<EventCard>) -> Overview {
    let bots: usize = events.iter().map(|event| event.bots).sum();
    let faults = || formatting::count(events.iter().map(|event| event.faults).sum());
    let is_only = events.len() == 1;
    let mut overview = Overview {
        bots: formatting::count(bots as u64),
        bouts: formatting::count(events.iter().map(|event| event.bouts).sum()),
        faults: site.publication.shows(PublicPart::Verdicts).then(faults),
        last: events.iter().filter_map(|event| event.last_at).max(),
        events: Vec::new(),
        board: None,
        table: None,
    };
    for event in events {
        overview.board = overview.board.or(event.board);
        overview.table = is_only.then_some(event.table);
        overview.events.push(event.shown);
    }
    overview
}

fn event(event: &EventSite, best: Option<&BoutSummary>) -> EventSummary {
    let leader = |row: &StandingsRow| Leader {
        rank: row.rank,
        name: row.bot.name.clone(),
        matches: row.matches,
    };
    let playing = event.standings.playing().iter().filter(|_| event.bouts.all > 0);
    EventSummary {
        heading: heading(event),
        leaders: playing.take(ON_CARD).map(leader).collect(),
        first_bout: best.map(|bout| bout.bout),
    }
}

fn board(event: &EventSite, bout: &BoutSummary) -> OverviewBoard {
    OverviewBoard {
        event: event.title.clone(),
        folder: event.folder.clone(),
        src: names::replay_file(bout.bout),
        bout: bout.bout,
        seats: bout.seats.iter().map(|seat| seat.bot.to_string()).collect(),
    }
}
