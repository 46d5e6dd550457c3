//! Pages of the whole tournament: the first one with the best bout on a board, the standings and
//! how to enter; the page about verification; the badge; the pictures that chats show beside links.

use serde::Serialize;

use super::leaderboard::{self, Heading, LeaderboardTable, heading};
use super::{EventSite, Notes, Site, formatting, names};
use crate::paint::card::Card;
use joust_model::{BoutId, BoutSummary, PublicPart, counted, public_text};
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
    bouts: u64,
    faults: u64,
    last_at: Option<i64>,
    /// A bout of the event.
    example: Option<BoutId>,
    board: Option<OverviewBoard>,
    table: LeaderboardTable,
    /// The bot that leads alone, once anything was played.
    leader: Option<String>,
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
            preview: event_preview(self, site, notes),
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

#[derive(Debug, Serialize)]
pub(super) struct VerifyPage<'a> {
    /// `None` when it was drawn.
    seed: Option<u64>,
    head: &'a str,
    database: &'a str,
    /// A bout to try the commands with.
    example: Option<BoutId>,
    public: Vec<&'static str>,
    hidden: Vec<&'static str>,
}

/// Returns the page with instructions for checking the results.
pub(super) fn verification<'a>(site: &'a Site, events: &[EventCard]) -> VerifyPage<'a> {
    let parts = |wanted: bool| {
        let is_wanted = |what: &PublicPart| site.publication.shows(*what) == wanted;
        let parts = PublicPart::NAMES.into_iter().filter(|(_, what)| is_wanted(what));
        parts.map(|(name, _)| name).collect()
    };
    VerifyPage {
        seed: site.tournament.seed.map(|seed| seed.0),
        head: &site.tournament.head,
        database: &site.tournament.database,
        example: events.iter().find_map(|event| event.example),
        public: parts(true),
        hidden: parts(false),
    }
}

/// The longest text at the right, characters.
const LONGEST_BADGE: usize = 40;

/// Width of a character of eleven pixels, on the average; and what stays free beside a text.
const CHARACTER: usize = 7;
const BESIDE: usize = 12;

/// Text at the left.
const LABEL: &str = "joust";

/// Path of the badge.
pub(super) const BADGE: &str = "badge.svg";

/// Badge as its template takes it; lengths are in pixels.
#[derive(Debug, Serialize)]
pub(super) struct Badge {
    label: &'static str,
    said: String,
    /// Widths of the left part and of the right one.
    left: usize,
    right: usize,
}

/// Returns the badge.
pub(super) fn badge(events: &[EventCard]) -> Badge {
    let said = short(&said(events));
    Badge { label: LABEL, left: width(LABEL), right: width(&said), said }
}

/// One event has a leader; of several there is only how much was played.
fn said(events: &[EventCard]) -> String {
    let bouts: u64 = events.iter().map(|event| event.bouts).sum();
    let bouts = counted(bouts, "bout");
    match events {
        [only] => match &only.leader {
            Some(leader) => format!("{} leads · {bouts}", public_text(leader)),
            None => bouts,
        },
        events => format!("{} · {bouts}", counted(events.len() as u64, "event")),
    }
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_BADGE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn width(text: &str) -> usize {
    text.chars().count() * CHARACTER + BESIDE
}

/// Most bots that a picture names.
const NAMED: usize = 4;

/// Returns the picture of an event.
pub(super) fn event_preview(event: &EventSite, site: &Site, notes: &Notes) -> Card {
    Card {
        above: site.tournament.title(),
        title: public_text(&event.title),
        lines: leaders(event),
        still: notes.still.clone(),
    }
}

/// Returns the picture of the whole tournament: the picture of its first event that has a board,
/// under another title.
pub(super) fn tournament_preview(site: &Site, cards: &[Card]) -> Card {
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
    let line = |row: &StandingsRow| {
        let record = formatting::record(row.matches.won, row.matches.drawn, row.matches.lost);
        format!("{}. {}  {record}", row.rank.unwrap_or_default(), public_text(&row.bot.name))
    };
    rows.take(NAMED).map(line).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parking_lot::Mutex;

    use super::super::TournamentInput;
    use super::*;
    use joust_model::Publication;

    #[test]
    fn a_badge_is_text_whatever_names_say() {
        let name = "<b>\"Cup\" & more".to_owned();
        let tournament = TournamentInput { name, ..TournamentInput::default() };
        let site = Site::new(tournament, &[], Publication::default());
        let files = Mutex::<BTreeMap<String, Vec<u8>>>::default();
        site.overview(Vec::new(), &files).expect("memory takes all");
        let badge = files.lock().remove(BADGE).expect("a badge");
        let badge = String::from_utf8(badge).expect("text");
        assert!(
            badge.contains("&lt;b&gt;&quot;Cup&quot; &amp; more: 0 events · 0 bouts"),
            "{badge}"
        );
        assert_eq!(short(&"x".repeat(60)).chars().count(), LONGEST_BADGE + 1);
    }
}
